package double

import (
	"net/http"
)

// Gate is what the forge knows beside the change: who may do what, which
// checks are required and how they stand.
type Gate struct {
	Permissions map[string]string // by login; others have "none"
	Protected   []string          // checks that the branch's protection requires
	Ruled       []string          // checks that a ruleset requires
	Runs        map[string]string // check runs: "success", "in_progress", ...
	Statuses    map[string]string // commit statuses: "success", "pending", ...
}

// SetGate sets it.
func (s *Server) SetGate(g Gate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gate = g
}

func (s *Server) gateRoutes(at func(string, http.HandlerFunc), repo string) {
	at("GET "+repo+"/collaborators/{login}/permission", s.permission)
	at("GET "+repo+"/branches/{branch...}", s.branch)
	at("GET "+repo+"/rules/branches/{branch...}", s.rules)
	at("GET "+repo+"/commits/{ref}", s.getCommit)
	at("GET "+repo+"/commits/{ref}/check-runs", s.checkRuns)
	at("GET "+repo+"/commits/{ref}/status", s.statuses)
	at("POST "+repo+"/issues/{n}/labels", s.withPull(s.label))
}

func (s *Server) locked() Gate {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gate
}

func (s *Server) permission(w http.ResponseWriter, r *http.Request) {
	login := r.PathValue("login")
	role := or(s.locked().Permissions[login], "none")
	// The old field knows four words; the role has them all.
	old := map[string]string{"maintain": "write", "triage": "read"}
	answer(w, http.StatusOK, s.spec.fill("repository-collaborator-permission", map[string]any{
		"permission": or(old[role], role), "role_name": role, "user": nil}))
}

func (s *Server) branch(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("branch")
	sha, err := s.tryGit("rev-parse", "--verify", "--quiet", "refs/heads/"+name)
	if err != nil {
		fail(w, http.StatusNotFound, "Branch not found")
		return
	}
	contexts := s.locked().Protected
	protection := map[string]any{"enabled": len(contexts) > 0}
	if len(contexts) > 0 {
		protection["required_status_checks"] = map[string]any{"enforcement_level": "non_admins", "contexts": contexts, "checks": []any{}}
	}
	answer(w, http.StatusOK, s.spec.fill("branch-with-protection", map[string]any{
		"name": name, "commit": s.commit(sha), "protected": len(contexts) > 0, "protection": protection}))
}

func (s *Server) rules(w http.ResponseWriter, r *http.Request) {
	list := []map[string]any{}
	if names := s.locked().Ruled; len(names) > 0 {
		var checks []any
		for _, n := range names {
			checks = append(checks, map[string]any{"context": n})
		}
		list = append(list, map[string]any{"type": "required_status_checks", "ruleset_source_type": "Repository", "ruleset_source": s.Owner + "/" + s.Name, "ruleset_id": 1,
			"parameters": map[string]any{"required_status_checks": checks, "strict_required_status_checks_policy": false}})
	}
	page(w, r, list)
}

func (s *Server) getCommit(w http.ResponseWriter, r *http.Request) {
	sha, err := s.tryGit("rev-parse", "--verify", "--quiet", r.PathValue("ref")+"^{commit}")
	if err != nil {
		fail(w, http.StatusUnprocessableEntity, "No commit found for SHA: "+r.PathValue("ref"))
		return
	}
	answer(w, http.StatusOK, s.commit(sha))
}

func (s *Server) checkRuns(w http.ResponseWriter, _ *http.Request) {
	runs := []any{}
	for name, state := range s.locked().Runs {
		v := map[string]any{"name": name, "status": "completed", "conclusion": state, "head_sha": "x"}
		if state == "queued" || state == "in_progress" {
			v["status"], v["conclusion"] = state, nil
		}
		runs = append(runs, s.spec.fill("check-run", v))
	}
	answer(w, http.StatusOK, map[string]any{"total_count": len(runs), "check_runs": runs})
}

func (s *Server) statuses(w http.ResponseWriter, r *http.Request) {
	list := []any{}
	for name, state := range s.locked().Statuses {
		list = append(list, s.spec.fill("simple-commit-status", map[string]any{"context": name, "state": state}))
	}
	answer(w, http.StatusOK, s.spec.fill("combined-commit-status", map[string]any{
		"state": "pending", "sha": r.PathValue("ref"), "total_count": len(list), "statuses": list, "repository": s.repository("minimal-repository")}))
}

func (s *Server) label(w http.ResponseWriter, r *http.Request, p *Pull) {
	var in struct{ Labels []string }
	decode(r, &in)
	list := []any{}
	for _, name := range in.Labels {
		list = append(list, s.spec.fill("label", map[string]any{"name": name}))
		s.keep("label", p.Number, map[string]any{"body": name, "user": s.user(s.Viewer)})
	}
	answer(w, http.StatusOK, list)
}
