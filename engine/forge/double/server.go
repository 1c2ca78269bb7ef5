package double

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3filter"
)

// Token is the one that the server takes.
const Token = "ghp_double"

// Options describe the forge's side.
type Options struct {
	Owner, Name string // default "octo" and "repo"
	// Dir is the forge's repository, not the person's clone: pull requests'
	// references are written to it.
	Dir           string
	DefaultBranch string // default "main"
	Private       bool   // hidden without the token
	Viewer        User   // whose token it is; default "viewer"
	// Limits of a diff; 0 = GitHub's.
	DiffFiles, DiffLines int
	// PatchBytes is the size from which a file's patch is left out of the
	// list of files; 0 = no limit.
	PatchBytes int
	// MaxFiles is how many files are listed at all; 0 = GitHub's 3000.
	MaxFiles int
}

// User is an account.
type User struct {
	Login string
	ID    int
	Type  string // "User" or "Bot"
}

// Pull is a pull request. Base and Head are revisions of the forge's
// repository: as branches they move with it.
type Pull struct {
	Number      int
	Title, Body string
	Author      User
	Base, Head  string
	// HeadOwner is the owner of the fork that Head lives in; "" = no fork.
	HeadOwner string
	Draft     bool
	State     string // default "open"
	// Reviewers are those whose review is requested.
	Reviewers []string
	Updated   string // RFC 3339
}

// Server is a running double.
type Server struct {
	Options

	t      testing.TB
	mux    *http.ServeMux
	spec   *spec
	home   string // of gh's and git's configuration
	socket string

	mu        sync.Mutex
	pulls     map[int]*Pull
	lists     map[string][]map[string]any // "comment 7", "review 7", "line 7"
	editors   map[string]User             // of edited comments, by node id
	id        int
	requests  []string
	intercept func(http.ResponseWriter, *http.Request) bool
	cut       func(*http.Request) bool
	refuse    func(path string, line int) string
	gate      Gate
	runs      []kept
	store     string // where artefacts are, "" = here
}

// Start starts a double that ends with the test.
func Start(t testing.TB, o Options, pulls ...Pull) *Server {
	t.Helper()
	o.Owner, o.Name, o.DefaultBranch = or(o.Owner, "octo"), or(o.Name, "repo"), or(o.DefaultBranch, "main")
	o.DiffFiles, o.DiffLines, o.MaxFiles = or(o.DiffFiles, 300), or(o.DiffLines, 20_000), or(o.MaxFiles, 3000)
	if o.Viewer.Login == "" {
		o.Viewer = User{Login: "viewer", ID: 1}
	}
	s := &Server{Options: o, t: t, mux: http.NewServeMux(), pulls: map[int]*Pull{}, lists: map[string][]map[string]any{}, editors: map[string]User{}, id: 1000}
	for _, p := range pulls {
		p.State, p.Updated = or(p.State, "open"), or(p.Updated, "2024-01-02T03:04:05Z")
		p.Author = p.Author.or(User{Login: "author", ID: 2})
		s.pulls[p.Number] = &p
	}
	s.spec = loadSpec(t)
	s.routes()
	s.listen()
	return s
}

func or[T comparable](v, standard T) T {
	var zero T
	if v == zero {
		return standard
	}
	return v
}

func (u User) or(standard User) User {
	if u.Login == "" {
		return standard
	}
	return u
}

// listen opens the socket and writes the configuration that leads there.
func (s *Server) listen() {
	s.t.Helper()
	// Paths of sockets are short: 104 bytes on macOS.
	dir, err := os.MkdirTemp("", "gh")
	if err != nil {
		s.t.Fatal(err)
	}
	s.home, s.socket = dir, filepath.Join(dir, "s")
	l, err := net.Listen("unix", s.socket)
	if err != nil {
		s.t.Fatal(err)
	}
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(s.serve)}}
	server.Start()
	s.t.Cleanup(func() {
		server.Close()
		_ = os.RemoveAll(dir)
	})
	s.write("config.yml", "http_unix_socket: "+s.socket+"\n")
	s.write("gitconfig", fmt.Sprintf("[url \"file://%s\"]\n\tinsteadOf = https://github.com/%s/%s.git\n[safe]\n\tdirectory = *\n", s.Dir, s.Owner, s.Name))
	s.git("config", "uploadpack.allowAnySHA1InWant", "true")
	for n := range s.pulls {
		s.head(n)
	}
}

func (s *Server) write(name, text string) {
	if err := os.WriteFile(filepath.Join(s.home, name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// Env is the environment that leads a program, and its git, to the double
// with the right token.
func (s *Server) Env() []string { return append(s.Anonymous(), "GH_TOKEN="+Token) }

// Anonymous is the environment without a token, whatever the machine has.
func (s *Server) Anonymous() []string {
	return []string{"GH_CONFIG_DIR=" + s.home, "GIT_CONFIG_GLOBAL=" + filepath.Join(s.home, "gitconfig"), "GIT_CONFIG_NOSYSTEM=1",
		"GH_TOKEN=", "GITHUB_TOKEN=", "GH_HOST=", "GH_REPO=", "GH_PATH=" + filepath.Join(s.home, "no-gh")}
}

// Setenv sets an environment, as Env gives it, for the test itself.
func (s *Server) Setenv(env []string) {
	t, ok := s.t.(interface{ Setenv(string, string) })
	if !ok {
		s.t.Fatal("this test can set no environment")
	}
	for _, kv := range env {
		k, v, _ := strings.Cut(kv, "=")
		t.Setenv(k, v)
	}
}

// Intercept lets f answer requests before the double does, unchecked, if it
// returns true. nil ends it.
func (s *Server) Intercept(f func(http.ResponseWriter, *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.intercept = f
}

// Requests lists what was asked so far: "GET /repos/octo/repo/pulls/7".
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

// Update changes a pull request.
func (s *Server) Update(number int, change func(*Pull)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s.pulls[number])
}

// serve checks the request, answers it, and checks the answer.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, r.Method+" "+r.URL.RequestURI())
	intercept := s.intercept
	s.mu.Unlock()
	if intercept != nil && intercept(w, r) {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // cut connection
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if status, message := s.admit(r); status != 0 {
		fail(w, status, message)
		return
	}
	if r.URL.Path == "/graphql" { // not part of the description
		s.graphql(w, body)
		return
	}
	if s.download(w, r) { // nor is this
		return
	}
	input, err := s.spec.request(r)
	if err != nil {
		s.t.Errorf("double: request %s %s: %v", r.Method, r.URL, err)
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	rec := httptest.NewRecorder()
	s.mux.ServeHTTP(rec, r)
	if err := s.spec.response(input, rec); err != nil {
		s.t.Errorf("double: its own answer to %s %s: %v", r.Method, r.URL, err)
	}
	s.mu.Lock()
	cut := s.cut
	s.mu.Unlock()
	if cut != nil && cut(r) {
		panic(http.ErrAbortHandler) // obeyed, and no answer
	}
	for k, v := range rec.Header() {
		w.Header()[k] = v
	}
	w.WriteHeader(rec.Code)
	_, _ = w.Write(rec.Body.Bytes())
}

// admit checks the token as GitHub does: a bad one is refused, none sees what
// is public, and what is hidden is not there.
func (s *Server) admit(r *http.Request) (int, string) {
	auth := r.Header.Get("Authorization")
	_, token, _ := strings.Cut(auth, " ")
	switch {
	case auth != "" && token != Token:
		return http.StatusUnauthorized, "Bad credentials"
	case auth == "" && r.URL.Path == "/user":
		return http.StatusUnauthorized, "Requires authentication"
	case auth == "" && s.Private, auth == "" && r.Method != http.MethodGet:
		return http.StatusNotFound, "Not Found"
	}
	return 0, ""
}

// fail answers with an error as GitHub does; details may be objects or strings.
func fail(w http.ResponseWriter, status int, message string, details ...any) {
	body := map[string]any{"message": message, "documentation_url": "https://docs.github.com/rest", "status": strconv.Itoa(status)}
	if len(details) > 0 {
		body["errors"] = details
	}
	answer(w, status, body)
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// page answers one page of a list with its Link header.
func page[T any](w http.ResponseWriter, r *http.Request, list []T) {
	size, n := number(r, "per_page", 30), number(r, "page", 1)
	size = min(size, 100)
	last := max((len(list)+size-1)/size, 1)
	if n < last {
		u := *r.URL
		u.Scheme, u.Host = "https", r.Host
		link := func(n int) string {
			q := u.Query()
			q.Set("page", strconv.Itoa(n))
			u.RawQuery = q.Encode()
			return u.String()
		}
		w.Header().Set("Link", fmt.Sprintf(`<%s>; rel="next", <%s>; rel="last"`, link(n+1), link(last)))
	}
	from := min((n-1)*size, len(list))
	part := list[from:min(from+size, len(list))]
	if part == nil {
		part = []T{}
	}
	answer(w, http.StatusOK, part)
}

func number(r *http.Request, name string, standard int) int {
	n, err := strconv.Atoi(r.URL.Query().Get(name))
	if err != nil || n < 1 {
		return standard
	}
	return n
}

// spec.go's validation needs no authentication of its own.
var noAuth = &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true}

// background is for validations, which wait for nothing.
var background = context.Background()
