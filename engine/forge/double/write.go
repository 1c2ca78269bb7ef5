package double

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// writeRoutes says who obeys what.
func (s *Server) writeRoutes(at func(string, http.HandlerFunc), repo string) {
	at("POST "+repo+"/issues/{n}/comments", s.withPull(s.createComment))
	at("PATCH "+repo+"/issues/comments/{id}", s.withComment("comment", s.editComment))
	at("DELETE "+repo+"/issues/comments/{id}", s.withComment("comment", s.deleteComment))
	at("POST "+repo+"/pulls/{n}/reviews", s.withPull(s.createReview))
	at("POST "+repo+"/pulls/{n}/comments", s.withPull(s.commentOnFile))
	at("PATCH "+repo+"/pulls/comments/{id}", s.withComment("line", s.editComment))
	at("DELETE "+repo+"/pulls/comments/{id}", s.withComment("line", s.deleteComment))
	s.gateRoutes(at, repo)
	s.runRoutes(at, repo)
}

// issueComments answers /issues/7/comments and /issues/comments/1001, which
// one mux can not tell apart by their patterns.
func (s *Server) issueComments(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.PathValue("n") == "comments":
		s.withComment("comment", s.getComment)(w, r)
	case r.PathValue("id") == "comments":
		s.withPull(s.list("comment"))(w, r)
	default:
		fail(w, http.StatusNotFound, "Not Found")
	}
}

// found is a comment in its list.
type found struct {
	list string // key of lists
	at   int
}

func (s *Server) withComment(kind string, f func(http.ResponseWriter, *http.Request, found)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		id, _ := strconv.Atoi(r.PathValue("id"))
		for key, list := range s.lists {
			at := slices.IndexFunc(list, func(v map[string]any) bool { return v["id"] == id })
			if strings.HasPrefix(key, kind+" ") && at >= 0 {
				f(w, r, found{key, at})
				return
			}
		}
		fail(w, http.StatusNotFound, "Not Found")
	}
}

func decode(r *http.Request, into any) {
	_ = json.NewDecoder(r.Body).Decode(into) // checked against the description before
}

// keep stores what was written; the caller holds the lock.
func (s *Server) keep(kind string, number int, v map[string]any) map[string]any {
	s.id++
	v["id"], v["node_id"] = s.id, fmt.Sprintf("%s_%d", kind, s.id)
	v["html_url"] = fmt.Sprintf("https://github.com/%s/%s/pull/%d#%s-%d", s.Owner, s.Name, number, kind, s.id)
	key := kind + " " + strconv.Itoa(number)
	s.lists[key] = append(s.lists[key], v)
	return v
}

func (s *Server) createComment(w http.ResponseWriter, r *http.Request, p *Pull) {
	var in struct{ Body string }
	decode(r, &in)
	if strings.TrimSpace(in.Body) == "" {
		fail(w, http.StatusUnprocessableEntity, "Validation Failed", map[string]any{"resource": "IssueComment", "field": "data", "code": "unprocessable"})
		return
	}
	answer(w, http.StatusCreated, s.keep("comment", p.Number, s.spec.fill("issue-comment", map[string]any{"body": in.Body, "user": s.user(s.Viewer)})))
}

func (s *Server) getComment(w http.ResponseWriter, _ *http.Request, f found) {
	answer(w, http.StatusOK, s.lists[f.list][f.at])
}

func (s *Server) editComment(w http.ResponseWriter, r *http.Request, f found) {
	var in struct{ Body string }
	decode(r, &in)
	v := s.lists[f.list][f.at]
	v["body"] = in.Body
	s.editors[v["node_id"].(string)] = s.Viewer
	answer(w, http.StatusOK, v)
}

func (s *Server) deleteComment(w http.ResponseWriter, _ *http.Request, f found) {
	s.lists[f.list] = slices.Delete(s.lists[f.list], f.at, f.at+1)
	w.WriteHeader(http.StatusNoContent)
}

// newReview is what is sent for a review.
type newReview struct {
	Commit   string `json:"commit_id"`
	Body     string
	Event    string
	Comments []newLine
}

type newLine struct {
	Path, Body, Side string
	Line             int
	StartLine        int    `json:"start_line"`
	StartSide        string `json:"start_side"`
}

// createReview takes a review whole or refuses it whole, without naming the
// comment that is wrong (QwenLM/qwen-code#6711). The texts are GitHub's.
func (s *Server) createReview(w http.ResponseWriter, r *http.Request, p *Pull) {
	var in newReview
	decode(r, &in)
	refuse := func(text string) { fail(w, http.StatusUnprocessableEntity, "Unprocessable Entity", text) }
	own := p.Author.ID == s.Viewer.ID
	head := s.head(p.Number)
	switch {
	case s.pending(p.Number):
		refuse("User can only have one pending review per pull request")
		return
	case own && in.Event == "APPROVE":
		refuse("Can not approve your own pull request")
		return
	case own && in.Event == "REQUEST_CHANGES":
		refuse("Can not request changes on your own pull request")
		return
	case in.Body == "" && in.Event != "APPROVE":
		refuse("Body can't be blank")
		return
	case !s.isPart(p, in.Commit):
		refuse("The commitOID is not part of the pull request")
		return
	}
	if len(in.Comments) > 0 {
		files := s.hunks(p, or(in.Commit, head))
		for _, c := range in.Comments {
			text := wrong(files, c)
			if text == "" && s.refuse != nil {
				text = s.refuse(c.Path, c.Line)
			}
			if text != "" {
				refuse(text)
				return
			}
		}
	}
	state := map[string]string{"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED", "": "PENDING"}[in.Event]
	review := s.keep("review", p.Number, s.spec.fill("pull-request-review", map[string]any{
		"body": in.Body, "user": s.user(s.Viewer), "state": state, "commit_id": or(in.Commit, head)}))
	for _, c := range in.Comments {
		v := map[string]any{"body": c.Body, "user": s.user(s.Viewer), "path": c.Path, "line": c.Line, "side": or(c.Side, "RIGHT"),
			"commit_id": in.Commit, "original_commit_id": in.Commit, "pull_request_review_id": review["id"], "subject_type": "line"}
		if c.StartLine > 0 {
			v["start_line"], v["start_side"] = c.StartLine, or(c.StartSide, "RIGHT")
		}
		s.keep("line", p.Number, s.spec.fill("pull-request-review-comment", v))
	}
	answer(w, http.StatusOK, review)
}

func (s *Server) pending(number int) bool {
	return slices.ContainsFunc(s.lists["review "+strconv.Itoa(number)], func(v map[string]any) bool {
		return v["state"] == "PENDING" && v["user"].(map[string]any)["id"] == s.Viewer.ID
	})
}

// isPart reports whether a commit belongs to the pull request as it is now.
func (s *Server) isPart(p *Pull, commit string) bool {
	head := s.head(p.Number)
	if commit == "" || commit == head {
		return true
	}
	return slices.Contains(strings.Fields(s.git("rev-list", s.mergeBase(s.base(p.Number), head)+".."+head)), commit)
}

// hunks are git's own, read by a parser that is not mrv's.
func (s *Server) hunks(p *Pull, commit string) []*gitdiff.File {
	files, _, err := gitdiff.Parse(strings.NewReader(s.diff(s.base(p.Number), commit)))
	if err != nil {
		s.t.Errorf("double: %v", err)
	}
	return files
}

// wrong says why GitHub would refuse a comment, "" if it would not.
func wrong(files []*gitdiff.File, c newLine) string {
	at := slices.IndexFunc(files, func(f *gitdiff.File) bool { return or(f.NewName, f.OldName) == c.Path })
	switch {
	case at < 0:
		return "Pull request review thread path is invalid"
	case c.Line == 0:
		return "Pull request review thread line must be part of the diff"
	}
	hunk := hunkOf(files[at], c.Line, or(c.Side, "RIGHT"))
	switch {
	case hunk < 0:
		return "Pull request review thread line must be part of the diff"
	case c.StartLine == 0:
		return ""
	case c.StartLine >= c.Line && or(c.StartSide, "RIGHT") == or(c.Side, "RIGHT"):
		return "Pull request review thread start line must precede the end line."
	case hunkOf(files[at], c.StartLine, or(c.StartSide, "RIGHT")) != hunk:
		return "Pull request review thread start line must be part of the same hunk as the line."
	}
	return ""
}

// hunkOf is the hunk that has a line of a side, -1 if none.
func hunkOf(f *gitdiff.File, line int, side string) int {
	for i, h := range f.TextFragments {
		from, n := h.NewPosition, h.NewLines
		if side == "LEFT" {
			from, n = h.OldPosition, h.OldLines
		}
		if int64(line) >= from && int64(line) < from+n {
			return i
		}
	}
	return -1
}

// commentOnFile takes comments on a file as a whole, which are no part of a
// review.
func (s *Server) commentOnFile(w http.ResponseWriter, r *http.Request, p *Pull) {
	var in struct {
		Body, Path string
		Commit     string `json:"commit_id"`
		Subject    string `json:"subject_type"`
	}
	decode(r, &in)
	wrong := func(field string) {
		fail(w, http.StatusUnprocessableEntity, "Validation Failed", map[string]any{"resource": "PullRequestReviewComment", "field": field, "code": "invalid"})
	}
	known := slices.ContainsFunc(s.files(s.base(p.Number), s.head(p.Number)), func(f file) bool { return f.new == in.Path })
	switch {
	case in.Subject != "file":
		wrong("subject_type")
	case !s.isPart(p, in.Commit):
		wrong("commit_id")
	case !known:
		wrong("path")
	default:
		answer(w, http.StatusCreated, s.keep("line", p.Number, s.spec.fill("pull-request-review-comment", map[string]any{
			"body": in.Body, "user": s.user(s.Viewer), "path": in.Path, "commit_id": in.Commit, "original_commit_id": in.Commit, "subject_type": "file"})))
	}
}

// graphql answers the one question that is asked that way: who edited
// comments last.
func (s *Server) graphql(w http.ResponseWriter, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var in struct {
		Query     string
		Variables struct{ IDs []string }
	}
	const asked = `query($ids:[ID!]!){nodes(ids:$ids){... on IssueComment{id lastEditedAt editor{__typename login}}}}`
	if err := json.Unmarshal(body, &in); err != nil || in.Query != asked {
		s.t.Errorf("double: GraphQL %s (%v)", body, err)
		answer(w, http.StatusOK, map[string]any{"errors": []any{map[string]any{"message": "Parse error"}}})
		return
	}
	nodes := []any{}
	for _, id := range in.Variables.IDs {
		node := map[string]any{"id": id, "lastEditedAt": nil, "editor": nil}
		if by, ok := s.editors[id]; ok {
			node["lastEditedAt"] = "2024-01-02T03:04:05Z"
			node["editor"] = map[string]any{"__typename": or(by.Type, "User"), "login": strings.TrimSuffix(by.Login, "[bot]")}
		}
		nodes = append(nodes, node)
	}
	answer(w, http.StatusOK, map[string]any{"data": map[string]any{"nodes": nodes}})
}

// Open adds a pull request.
func (s *Server) Open(p Pull) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.State, p.Updated, p.Author = or(p.State, "open"), or(p.Updated, "2024-01-02T03:04:05Z"), p.Author.or(User{Login: "author", ID: 2})
	s.pulls[p.Number] = &p
	s.head(p.Number)
}

// Cut cuts the connection after a request was obeyed, before its answer, if f
// returns true. nil ends it.
func (s *Server) Cut(f func(*http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cut = f
}

// Refuse lets f refuse comments of a review for a reason that the double does
// not know, in GitHub's words; "" takes the comment. nil ends it.
func (s *Server) Refuse(f func(path string, line int) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = f
}

// As changes whose token it is.
func (s *Server) As(u User) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Viewer = u
}

// Limit changes from which size on the diff is not made (406).
func (s *Server) Limit(files, lines int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.DiffFiles, s.DiffLines = files, lines
}

// Said is a comment that stands on a pull request.
type Said struct {
	ID          int
	By          string
	Body        string
	Path, Side  string
	Start, Line int
	Commit      string
	State       string // of a review: "APPROVED", ...
}

// Standing lists what stands on a pull request: kind is "comment", "review" or
// "line".
func (s *Server) Standing(kind string, number int) []Said {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Said
	for _, v := range s.lists[kind+" "+strconv.Itoa(number)] {
		said := Said{ID: v["id"].(int), By: v["user"].(map[string]any)["login"].(string)}
		said.Body, _ = v["body"].(string)
		said.Path, _ = v["path"].(string)
		said.Side, _ = v["side"].(string)
		said.Start, _ = v["start_line"].(int)
		said.Line, _ = v["line"].(int)
		said.Commit, _ = v["commit_id"].(string)
		said.State, _ = v["state"].(string)
		out = append(out, said)
	}
	return out
}

// EditAs changes a comment as somebody with the right to.
func (s *Server) EditAs(by User, id int, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, list := range s.lists {
		for _, v := range list {
			if v["id"] == id {
				v["body"] = body
				s.editors[v["node_id"].(string)] = by
			}
		}
	}
}

// Reply answers a comment on a line.
func (s *Server) Reply(number int, by User, to int, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep("line", number, s.spec.fill("pull-request-review-comment", map[string]any{"body": text, "user": s.user(by), "in_reply_to_id": to}))
}

// StartReview leaves the viewer with a pending review.
func (s *Server) StartReview(number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep("review", number, s.spec.fill("pull-request-review", map[string]any{"body": "", "user": s.user(s.Viewer), "state": "PENDING"}))
}
