package double

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
)

// WorkflowRun is a run of a workflow over a pull request's head, with what it
// kept: zip files by name.
type WorkflowRun struct {
	ID       int
	Path     string
	Pull     int
	HeadRepo string // default: the repository itself
	Event    string // default: "pull_request"; "issue_comment" names no pull request
	Kept     map[string][]byte
}

// AddRun adds a finished run over the present head of its pull request.
func (s *Server) AddRun(r WorkflowRun) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = append(s.runs, kept{r, s.head(r.Pull)})
}

// kept is a run and the head it was over.
type kept struct {
	WorkflowRun
	head string
}

func (s *Server) runRoutes(at func(string, http.HandlerFunc), repo string) {
	at("GET "+repo+"/actions/runs", s.listRuns)
	at("GET "+repo+"/actions/runs/{id}", s.withRun(func(w http.ResponseWriter, r kept) { answer(w, http.StatusOK, s.workflowRun(r)) }))
	at("GET "+repo+"/actions/runs/{id}/artifacts", s.withRun(s.artifacts))
}

func (s *Server) withRun(f func(http.ResponseWriter, kept)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, x := range s.runs {
			if strconv.Itoa(x.ID) == r.PathValue("id") {
				f(w, x)
				return
			}
		}
		fail(w, http.StatusNotFound, "Not Found")
	}
}

func (s *Server) workflowRun(r kept) map[string]any {
	repo := s.repository("minimal-repository")
	from := s.repository("minimal-repository")
	if r.HeadRepo != "" {
		from["full_name"] = r.HeadRepo
	}
	pulls := []any{}
	head, event := r.head, or(r.Event, "pull_request")
	if event != "pull_request" { // it is over the default branch
		head = s.git("rev-parse", s.DefaultBranch)
	} else if r.HeadRepo == "" {
		pulls = append(pulls, s.spec.fill("pull-request-minimal", map[string]any{"number": r.Pull}))
	}
	return s.spec.fill("workflow-run", map[string]any{
		"id": r.ID, "path": r.Path, "event": event, "status": "completed", "conclusion": "success", "head_sha": head, "head_commit": nil,
		"repository": repo, "head_repository": from, "pull_requests": pulls,
	})
}

func (s *Server) listRuns(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []any{}
	for i := len(s.runs) - 1; i >= 0; i-- { // newest first
		if or(s.runs[i].Event, "pull_request") == "pull_request" && s.runs[i].head == r.URL.Query().Get("head_sha") {
			list = append(list, s.workflowRun(s.runs[i]))
		}
	}
	answer(w, http.StatusOK, map[string]any{"total_count": len(list), "workflow_runs": list})
}

func (s *Server) artifacts(w http.ResponseWriter, r kept) {
	list := []any{}
	for name := range r.Kept {
		list = append(list, s.spec.fill("artifact", map[string]any{"id": r.ID, "name": name, "expired": false}))
	}
	answer(w, http.StatusOK, map[string]any{"total_count": len(list), "artifacts": list})
}

// download answers with the bytes themselves, or with where they are; it is no
// part of the description. A run keeps one artefact here.
func (s *Server) download(w http.ResponseWriter, r *http.Request) bool {
	rest, ok := strings.CutPrefix(r.URL.Path, "/repos/"+s.Owner+"/"+s.Name+"/actions/artifacts/")
	if !ok {
		return false
	}
	id, _ := strings.CutSuffix(rest, "/zip")
	data, ok := s.artifact(id)
	s.mu.Lock()
	store := s.store
	s.mu.Unlock()
	switch {
	case !ok:
		fail(w, http.StatusNotFound, "Not Found")
	case store != "":
		http.Redirect(w, r, store+"/"+id+"?sig=signed", http.StatusFound)
	default:
		w.Header().Set("Content-Type", "application/zip")
		_, _ = w.Write(data) // the client may be gone
	}
	return true
}

func (s *Server) artifact(id string) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.runs {
		if id == strconv.Itoa(x.ID) {
			for _, data := range x.Kept {
				return data, true
			}
		}
	}
	return nil, false
}

// Store keeps artefacts at another host from now on, as GitHub does: a
// download is answered with a redirect to it. Requests there are handed to
// seen; env makes a program trust the host's certificate (on Linux).
func (s *Server) Store(seen func(*http.Request)) (env []string) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen(r)
		data, ok := s.artifact(strings.Trim(r.URL.Path, "/"))
		if !ok || r.URL.Query().Get("sig") == "" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = w.Write(data) // the client may be gone
	}))
	s.t.Cleanup(server.Close)
	s.mu.Lock()
	s.store = server.URL
	s.mu.Unlock()
	s.write("store.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	return []string{"SSL_CERT_FILE=" + filepath.Join(s.home, "store.pem")}
}
