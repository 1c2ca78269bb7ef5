package double

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// spec is GitHub's description of the requests that are used.
type spec struct {
	doc    *openapi3.T
	router routers.Router
}

// loadSpec reads testdata/github/github-mrv-strict.json of the module.
func loadSpec(t testing.TB) *spec {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if up := filepath.Dir(dir); up != dir {
			dir = up
			continue
		}
		t.Fatal("the module's root is not above the working directory")
	}
	raw, err := os.ReadFile(filepath.Join(dir, "testdata", "github", "github-mrv-strict.json"))
	if err != nil {
		t.Fatal(err)
	}
	// Paths and names of branches have slashes.
	for _, name := range []string{"path", "basehead", "branch"} {
		raw = bytes.ReplaceAll(raw, []byte("/{"+name+"}\""), []byte("/{"+name+":.+}\""))
	}
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		t.Fatal(err)
	}
	doc.Servers = nil
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	openapi3filter.RegisterBodyDecoder("application/vnd.github.diff", textDecoder)
	return &spec{doc: doc, router: router}
}

func textDecoder(body io.Reader, _ http.Header, _ *openapi3.SchemaRef, _ openapi3filter.EncodingFn) (any, error) {
	data, err := io.ReadAll(body)
	return string(data), err
}

// undescribed are requests that the trimmed description leaves out; they are
// answered unchecked.
var undescribed = regexp.MustCompile(`^GET /repos/[^/]+/[^/]+/issues/[0-9]+$`)

// request checks a request. It is nil if there is nothing to check it by.
func (s *spec) request(r *http.Request) (*openapi3filter.RequestValidationInput, error) {
	if undescribed.MatchString(r.Method + " " + r.URL.Path) {
		return nil, nil
	}
	plain := r.Clone(r.Context())
	plain.Body = r.Body
	if plain.Body == nil || r.ContentLength == 0 {
		plain.Body = http.NoBody
	}
	route, params, err := s.router.FindRoute(plain)
	if err != nil {
		return nil, err
	}
	in := &openapi3filter.RequestValidationInput{Request: plain, PathParams: params, Route: route, Options: noAuth}
	return in, openapi3filter.ValidateRequest(background, in)
}

// response checks an answer.
func (s *spec) response(in *openapi3filter.RequestValidationInput, rec *httptest.ResponseRecorder) error {
	if in == nil {
		return nil
	}
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: rec.Code, Header: rec.Header(), Options: noAuth}
	out.SetBodyBytes(rec.Body.Bytes())
	return openapi3filter.ValidateResponse(background, out)
}

// fill adds to an object what the named schema (or its items, if it is a list)
// requires and the object lacks: the double says only what matters to its readers.
func (s *spec) fill(name string, object map[string]any) map[string]any {
	schema := s.doc.Components.Schemas[name].Value
	if schema.Type.Is("array") {
		schema = schema.Items.Value
	}
	return complete(schema, object)
}

func complete(schema *openapi3.Schema, object map[string]any) map[string]any {
	for _, key := range schema.Required {
		if _, ok := object[key]; !ok {
			object[key] = example(key, schema.Properties[key].Value)
		}
	}
	return object
}

// example is the plainest value that a schema takes.
func example(key string, schema *openapi3.Schema) any {
	for _, list := range []openapi3.SchemaRefs{schema.OneOf, schema.AnyOf, schema.AllOf} {
		if len(list) > 0 && !schema.Nullable {
			return example(key, list[0].Value)
		}
	}
	switch {
	case schema.Nullable:
		return nil
	case len(schema.Enum) > 0:
		return schema.Enum[0]
	case schema.Type.Is("boolean"):
		return false
	case schema.Type.Is("integer"), schema.Type.Is("number"):
		return 0
	case schema.Type.Is("array"):
		return []any{}
	case schema.Type.Is("object"):
		return complete(schema, map[string]any{})
	}
	switch schema.Format {
	case "uri":
		return "https://api.github.com/" + strings.TrimSuffix(key, "_url")
	case "date-time":
		return "2024-01-02T03:04:05Z"
	}
	return key
}
