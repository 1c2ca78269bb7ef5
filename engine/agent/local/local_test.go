package local_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/mrv-dev/mrv/engine/agent/local"
)

// serving is a server that answers some routes, as the real ones are documented.
func serving(t *testing.T, routes map[string]string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := routes[r.Method+" "+r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

// TestServed: what each server says of itself, and the line that raises it.
func TestServed(t *testing.T) {
	const ps = "GET /api/ps"
	for name, tt := range map[string]struct {
		routes map[string]string
		want   string // "" = not known
	}{
		"ollama, loaded": {map[string]string{ps: `{"models":[{"name":"other:7b","context_length":32768},{"name":"qwen3:latest","model":"qwen3:latest","context_length":8192}]}`},
			"Ollama serves qwen3 8192 tokens; about 9000 are needed: the prompt would be cut; raise it with OLLAMA_CONTEXT_LENGTH=12288 ollama serve"},
		"ollama, set in its Modelfile": {map[string]string{ps: `{"models":[]}`, "POST /api/show": `{"parameters":"stop  \"<|end|>\"\nnum_ctx                        16384"}`},
			"Ollama serves qwen3 16384 tokens; about 9000 are needed"},
		"ollama, not loaded": {map[string]string{ps: `{"models":[]}`, "POST /api/show": `{"parameters":""}`},
			"Ollama serves qwen3 4096 tokens unless it was told otherwise; about 9000 are needed: the prompt would be cut; raise it with OLLAMA_CONTEXT_LENGTH=12288 ollama serve"},
		"llama.cpp": {map[string]string{"GET /props": `{"default_generation_settings":{"n_ctx":4096}}`},
			"llama.cpp serves qwen3 4096 tokens; about 9000 are needed: the prompt would be cut; raise it with llama-server --ctx-size 12288"},
		"vllm": {map[string]string{"GET /v1/models": `{"data":[{"id":"qwen3","max_model_len":8000}]}`},
			"vLLM serves qwen3 8000 tokens; about 9000 are needed: the prompt would be cut; raise it with vllm serve --max-model-len 12288"},
		"another": {map[string]string{"GET /v1/models": `{"data":[{"id":"qwen3"}]}`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w, ok := local.Ask(t.Context(), serving(t, tt.routes), "qwen3")
			got := ""
			if ok {
				got = w.Against("qwen3", 9000)
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
