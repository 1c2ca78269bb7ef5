package double

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// routes says who answers what. Writes are added beside these.
func (s *Server) routes() {
	at := func(pattern string, handler http.HandlerFunc) { s.mux.HandleFunc(pattern, handler) }
	repo := "/repos/" + s.Owner + "/" + s.Name
	at("GET /user", s.getUser)
	at("GET /search/issues", s.search)
	at("GET "+repo, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, s.repository("full-repository"))
	})
	at("GET "+repo+"/pulls", s.listPulls)
	at("GET "+repo+"/pulls/{n}", s.withPull(s.getPull))
	at("GET "+repo+"/pulls/{n}/files", s.withPull(s.listFiles))
	at("GET "+repo+"/pulls/{n}/commits", s.withPull(func(w http.ResponseWriter, r *http.Request, p *Pull) {
		page(w, r, s.commits(s.base(p.Number), s.head(p.Number)))
	}))
	at("GET "+repo+"/pulls/{n}/reviews", s.withPull(s.list("review")))
	at("GET "+repo+"/pulls/{n}/comments", s.withPull(s.list("line")))
	at("GET "+repo+"/issues/{n}/{id}", s.issueComments)
	at("GET "+repo+"/issues/{n}", s.getIssue)
	at("GET "+repo+"/compare/{basehead...}", s.compare)
	at("GET "+repo+"/contents/{path...}", s.contents)
	s.writeRoutes(at, repo)
	at("/", func(w http.ResponseWriter, _ *http.Request) { fail(w, http.StatusNotFound, "Not Found") })
}

// withPull finds the pull request of a path and holds the state while it is
// answered.
func (s *Server) withPull(f func(http.ResponseWriter, *http.Request, *Pull)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		n, _ := strconv.Atoi(r.PathValue("n"))
		p := s.pulls[n]
		if p == nil {
			fail(w, http.StatusNotFound, "Not Found")
			return
		}
		f(w, r, p)
	}
}

func (s *Server) user(u User) map[string]any {
	return s.spec.fill("simple-user", map[string]any{"login": u.Login, "id": u.ID, "type": or(u.Type, "User")})
}

func (s *Server) getUser(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer(w, http.StatusOK, s.spec.fill("public-user", map[string]any{
		"login": s.Viewer.Login, "id": s.Viewer.ID, "type": or(s.Viewer.Type, "User"), "user_view_type": "public"}))
}

func (s *Server) repository(schema string) map[string]any {
	visibility := "public"
	if s.Private {
		visibility = "private"
	}
	return s.spec.fill(schema, map[string]any{
		"id": 1, "name": s.Name, "full_name": s.Owner + "/" + s.Name, "owner": s.user(User{Login: s.Owner, ID: 9}),
		"private": s.Private, "visibility": visibility, "default_branch": s.DefaultBranch})
}

// pull is a pull request as the schema has it.
func (s *Server) pull(schema string, p *Pull) map[string]any {
	side := func(owner, ref, sha string) map[string]any {
		ref = strings.TrimPrefix(ref, "refs/heads/")
		return map[string]any{"label": owner + ":" + ref, "ref": ref, "sha": sha, "user": s.user(User{Login: owner, ID: 9}), "repo": s.repository("repository")}
	}
	base, head := s.base(p.Number), s.head(p.Number)
	v := map[string]any{
		"id": 100 + p.Number, "number": p.Number, "title": p.Title, "body": p.Body, "user": s.user(p.Author),
		"draft": p.Draft, "state": p.State, "locked": false, "updated_at": p.Updated, "author_association": "CONTRIBUTOR",
		"html_url": fmt.Sprintf("https://github.com/%s/%s/pull/%d", s.Owner, s.Name, p.Number),
		"base":     side(s.Owner, p.Base, base), "head": side(or(p.HeadOwner, s.Owner), p.Head, head),
	}
	if p.State == "merged" {
		v["state"], v["merged"] = "closed", true
	}
	if schema == "pull-request" {
		files := s.files(base, head)
		v["changed_files"] = len(files)
		v["additions"], v["deletions"] = stat(files)
		v["commits"] = len(s.commits(base, head))
	}
	return s.spec.fill(schema, v)
}

func (s *Server) getPull(w http.ResponseWriter, r *http.Request, p *Pull) {
	if !strings.Contains(r.Header.Get("Accept"), "diff") {
		answer(w, http.StatusOK, s.pull("pull-request", p))
		return
	}
	diff := s.diff(s.base(p.Number), s.head(p.Number))
	if why := s.tooLarge(diff); why != "" {
		fail(w, http.StatusNotAcceptable, why, map[string]any{"resource": "PullRequest", "field": "diff", "code": "too_large"})
		return
	}
	w.Header().Set("Content-Type", "application/vnd.github.diff; charset=utf-8")
	_, _ = w.Write([]byte(diff))
}

func (s *Server) listPulls(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := r.URL.Query()
	list := []map[string]any{}
	for _, p := range s.listed(q.Get("sort")) {
		state := or(q.Get("state"), "open")
		label := or(p.HeadOwner, s.Owner) + ":" + strings.TrimPrefix(p.Head, "refs/heads/")
		if (state == "all" || state == p.State) && (q.Get("head") == "" || q.Get("head") == label) {
			list = append(list, s.pull("pull-request-simple", p))
		}
	}
	page(w, r, list)
}

func (s *Server) listFiles(w http.ResponseWriter, r *http.Request, p *Pull) {
	list := []map[string]any{}
	for _, f := range s.files(s.base(p.Number), s.head(p.Number)) {
		v := map[string]any{"filename": f.new, "status": f.status, "sha": f.blob,
			"additions": f.additions, "deletions": f.deletions, "changes": f.additions + f.deletions}
		if f.patch != "" {
			v["patch"] = f.patch
		}
		if f.new != f.old {
			v["previous_filename"] = f.old
		}
		list = append(list, s.spec.fill("diff-entry", v))
	}
	page(w, r, list[:min(len(list), s.MaxFiles)])
}

func (s *Server) compare(w http.ResponseWriter, r *http.Request) {
	base, head, ok := strings.Cut(r.PathValue("basehead"), "...")
	baseSHA, err := s.tryGit("rev-parse", "--verify", "--quiet", "--end-of-options", base+"^{commit}")
	headSHA, err2 := s.tryGit("rev-parse", "--verify", "--quiet", "--end-of-options", head+"^{commit}")
	if !ok || err != nil || err2 != nil {
		fail(w, http.StatusNotFound, "Not Found")
		return
	}
	mergeBase, err := s.tryGit("merge-base", baseSHA, headSHA)
	if err != nil {
		fail(w, http.StatusNotFound, fmt.Sprintf("No common ancestor between %s and %s.", base, head))
		return
	}
	commits := s.commits(baseSHA, headSHA)
	answer(w, http.StatusOK, s.spec.fill("commit-comparison", map[string]any{
		"base_commit": s.commit(baseSHA), "merge_base_commit": s.commit(mergeBase),
		"status": "ahead", "ahead_by": len(commits), "total_commits": len(commits), "commits": commits[:min(len(commits), number(r, "per_page", 250))]}))
}

func (s *Server) contents(w http.ResponseWriter, r *http.Request) {
	ref := or(r.URL.Query().Get("ref"), s.DefaultBranch)
	name := strings.Trim(r.PathValue("path"), "/")
	kind, err := s.tryGit("cat-file", "-t", ref+":"+name)
	switch {
	case err != nil:
		fail(w, http.StatusNotFound, "Not Found")
	case kind == "tree":
		list := []map[string]any{}
		for rec := range strings.SplitSeq(s.git("ls-tree", "-z", ref+":"+name), "\x00") {
			head, base, ok := strings.Cut(rec, "\t")
			if ok {
				f := strings.Fields(head)
				list = append(list, s.entry("content-directory", path.Join(name, base), map[string]string{"040000": "dir", "120000": "symlink"}[f[0]], f[2]))
			}
		}
		answer(w, http.StatusOK, list)
	default:
		v := s.entry("content-file", name, "file", s.git("rev-parse", ref+":"+name))
		if mode := s.git("ls-tree", ref, "--", name); strings.HasPrefix(mode, "120000") {
			v = s.entry("content-symlink", name, "symlink", s.git("rev-parse", ref+":"+name))
			v["target"] = s.git("cat-file", "blob", ref+":"+name)
			answer(w, http.StatusOK, v)
			return
		}
		// GitHub breaks its base64 into lines.
		text := base64.StdEncoding.EncodeToString(s.blob(ref + ":" + name))
		var b strings.Builder
		for len(text) > 60 {
			b.WriteString(text[:60] + "\n")
			text = text[60:]
		}
		v["content"], v["encoding"] = b.String()+text+"\n", "base64"
		answer(w, http.StatusOK, v)
	}
}

func (s *Server) blob(name string) []byte {
	size, _ := strconv.Atoi(s.git("cat-file", "-s", name))
	text := s.git("cat-file", "blob", name)
	if len(text) < size {
		text += "\n" // that git() took off
	}
	return []byte(text)
}

func (s *Server) entry(schema, name, kind, sha string) map[string]any {
	return s.spec.fill(schema, map[string]any{"type": or(kind, "file"), "name": path.Base(name), "path": name, "sha": sha})
}

// Issue adds an issue.
func (s *Server) Issue(number int, by User, title, body string) {
	s.add("issue", number, map[string]any{"number": number, "title": title, "body": body, "user": s.user(by), "state": "open"})
}

func (s *Server) getIssue(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.lists["issue "+r.PathValue("n")]
	if len(list) == 0 {
		fail(w, http.StatusNotFound, "Not Found")
		return
	}
	answer(w, http.StatusOK, list[0])
}

// list answers what was said of one kind.
func (s *Server) list(kind string) func(http.ResponseWriter, *http.Request, *Pull) {
	return func(w http.ResponseWriter, r *http.Request, p *Pull) {
		page(w, r, s.lists[kind+" "+strconv.Itoa(p.Number)])
	}
}

// Say adds a comment to a pull request.
func (s *Server) Say(number int, by User, text string) {
	s.add("comment", number, s.spec.fill("issue-comment", map[string]any{"body": text, "user": s.user(by)}))
}

// Review adds a submitted review with a text.
func (s *Server) Review(number int, by User, text string) {
	s.add("review", number, s.spec.fill("pull-request-review", map[string]any{"body": text, "user": s.user(by), "state": "COMMENTED"}))
}

// SayAt adds a comment on a line of the new side.
func (s *Server) SayAt(number int, by User, file string, line int, text string) {
	s.add("line", number, s.spec.fill("pull-request-review-comment", map[string]any{
		"body": text, "user": s.user(by), "path": file, "line": line, "side": "RIGHT"}))
}

func (s *Server) add(kind string, number int, v map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.id++
	v["id"], v["node_id"] = s.id, fmt.Sprintf("%s_%d", kind, s.id)
	key := kind + " " + strconv.Itoa(number)
	s.lists[key] = append(s.lists[key], v)
}
