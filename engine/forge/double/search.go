package double

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// search answers GitHub's search for pull requests, in the words that mrv
// uses; a word that is not known here fails the test.
func (s *Server) search(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Header.Get("Authorization") == "" { // @me is nobody
		fail(w, http.StatusUnprocessableEntity, "Validation Failed", map[string]any{
			"message": "The listed users cannot be searched either because the users do not exist or you do not have permission to view the users.",
			"field":   "q", "resource": "Search", "code": "invalid"})
		return
	}
	hits := s.listed("updated")
	for _, term := range strings.Fields(r.URL.Query().Get("q")) {
		key, value, _ := strings.Cut(term, ":")
		if value == "@me" {
			value = s.Viewer.Login
		}
		if key == "repo" && value != s.Owner+"/"+s.Name {
			fail(w, http.StatusUnprocessableEntity, "Validation Failed", map[string]any{
				"message": "The listed users and repositories cannot be searched either because the resources do not exist or you do not have permission to view them.",
				"field":   "q", "resource": "Search", "code": "invalid"})
			return
		}
		hits = slices.DeleteFunc(hits, func(p *Pull) bool { return !s.matches(p, key, value) })
	}
	items := []any{}
	for _, p := range hits[:min(len(hits), number(r, "per_page", 30), 100)] {
		items = append(items, s.asIssue(p))
	}
	answer(w, http.StatusOK, map[string]any{"total_count": len(hits), "incomplete_results": false, "items": items, "search_type": "lexical"})
}

func (s *Server) matches(p *Pull, key, value string) bool {
	switch key + ":" + value {
	case "is:pr", "archived:false":
		return true
	case "is:open":
		return p.State == "open"
	}
	switch key {
	case "repo":
		return true // there is one
	case "author":
		return p.Author.Login == value
	case "review-requested":
		return slices.Contains(p.Reviewers, value)
	case "involves":
		return p.Author.Login == value || slices.ContainsFunc(s.lists["comment "+strconv.Itoa(p.Number)], func(c map[string]any) bool {
			user, _ := c["user"].(map[string]any)
			return user["login"] == value
		})
	}
	s.t.Errorf("double: search for %s:%s is not known", key, value)
	return false
}

// listed is every pull request: the newest first, or the last updated.
func (s *Server) listed(by string) []*Pull {
	list := slices.Collect(maps.Values(s.pulls))
	slices.SortFunc(list, func(a, b *Pull) int {
		if order := cmp.Compare(b.Updated, a.Updated); by == "updated" && order != 0 {
			return order
		}
		return cmp.Compare(b.Number, a.Number)
	})
	return list
}

// asIssue is a pull request as searches show it.
func (s *Server) asIssue(p *Pull) map[string]any {
	at := "https://api.github.com/repos/" + s.Owner + "/" + s.Name
	page := "https://github.com/" + s.Owner + "/" + s.Name + "/pull/" + strconv.Itoa(p.Number)
	return s.spec.fill("issue-search-result-item", map[string]any{
		"number": p.Number, "title": p.Title, "user": s.user(p.Author), "draft": p.Draft, "state": p.State, "html_url": page,
		"repository_url": at, "updated_at": p.Updated, "comments": len(s.lists["comment "+strconv.Itoa(p.Number)]), "author_association": "CONTRIBUTOR",
		"pull_request": map[string]any{"url": at + "/pulls/" + strconv.Itoa(p.Number), "html_url": page, "diff_url": page + ".diff", "patch_url": page + ".patch"},
	})
}
