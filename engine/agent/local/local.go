// Package local asks model servers on this machine how large a context they
// really serve. Some cut the front of a longer prompt off without a word, and
// serve far less than the model could take.
//
//	Ollama     GET /api/ps (of a loaded model), POST /api/show (num_ctx of its Modelfile)
//	llama.cpp  GET /props
//	vLLM       GET /v1/models
//
// No model is asked, and nobody who is not on loopback.
package local

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mrv-dev/mrv/engine/agent"
)

// ollamaDefault is what Ollama serves when nobody says anything, on a machine
// with less than 24 GB of graphics memory (docs.ollama.com/context-length).
const ollamaDefault = 4096

// patience is how long a server on this machine may take.
const patience = 2 * time.Second

// Window is the context that a server serves.
type Window struct {
	Server  string // "Ollama", "llama.cpp", "vLLM"
	Tokens  int64  // for a prompt and its answer together
	Assumed bool   // the server's own default: the model is not loaded
}

// Ask finds out what the server behind an OpenAI-compatible base URL serves
// for a model; ok is false when it is elsewhere, silent, or none of those known.
func Ask(ctx context.Context, base, model string) (w Window, ok bool) {
	if !agent.Loopback(base) {
		return Window{}, false
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	a := asker{ctx: ctx, root: strings.TrimSuffix(strings.TrimRight(base, "/"), "/v1"), model: model}
	for _, ask := range []func() (Window, bool){a.ollama, a.llama, a.vllm} {
		if w, ok := ask(); ok {
			return w, true
		}
	}
	return Window{}, false
}

type asker struct {
	ctx         context.Context
	root, model string
}

// get fetches JSON; body is posted if there is one.
func (a asker) get(path string, body, into any) bool {
	method, raw := http.MethodGet, []byte(nil)
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return false
		}
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(a.ctx, method, a.root+path, bytes.NewReader(raw))
	if err != nil {
		return false
	}
	// Never through a proxy: the server is on loopback.
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	return res.StatusCode == http.StatusOK && json.NewDecoder(res.Body).Decode(into) == nil
}

func (a asker) ollama() (Window, bool) {
	var loaded struct {
		Models []struct {
			Name    string `json:"name"`
			Context int64  `json:"context_length"`
		} `json:"models"`
	}
	if !a.get("/api/ps", nil, &loaded) {
		return Window{}, false
	}
	w := Window{Server: "Ollama", Tokens: ollamaDefault, Assumed: true}
	for _, m := range loaded.Models {
		if m.Context > 0 && (m.Name == a.model || m.Name == a.model+":latest") {
			return Window{Server: w.Server, Tokens: m.Context}, true
		}
	}
	var about struct {
		Parameters string `json:"parameters"` // a line each
	}
	if a.get("/api/show", map[string]string{"model": a.model}, &about) {
		for l := range strings.Lines(about.Parameters) {
			if f := strings.Fields(l); len(f) == 2 && f[0] == "num_ctx" {
				if n, err := strconv.ParseInt(f[1], 10, 64); err == nil {
					return Window{Server: w.Server, Tokens: n}, true
				}
			}
		}
	}
	return w, true
}

func (a asker) llama() (Window, bool) {
	var p struct {
		Defaults struct {
			Context int64 `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	ok := a.get("/props", nil, &p) && p.Defaults.Context > 0
	return Window{Server: "llama.cpp", Tokens: p.Defaults.Context}, ok
}

func (a asker) vllm() (Window, bool) {
	var list struct {
		Data []struct {
			ID  string `json:"id"`
			Max int64  `json:"max_model_len"`
		} `json:"data"`
	}
	if a.get("/v1/models", nil, &list) {
		for _, m := range list.Data {
			if m.ID == a.model && m.Max > 0 {
				return Window{Server: "vLLM", Tokens: m.Max}, true
			}
		}
	}
	return Window{}, false
}

// Against says what is served and what is needed, and, where that is more, the
// line that raises it.
func (w Window) Against(model string, need int64) string {
	s := fmt.Sprintf("%s serves %s %d tokens", w.Server, model, w.Tokens)
	if w.Assumed {
		s += " unless it was told otherwise"
	}
	s += fmt.Sprintf("; about %d are needed", need)
	if need > w.Tokens {
		s += ": the prompt would be cut; raise it with " + w.raise(need)
	}
	return s
}

// raise is the line that makes the server serve that much, in steps of 4096.
func (w Window) raise(need int64) string {
	const step = 4096
	n := (need + step - 1) / step * step
	switch w.Server {
	case "Ollama":
		return fmt.Sprintf("OLLAMA_CONTEXT_LENGTH=%d ollama serve", n)
	case "vLLM":
		return fmt.Sprintf("vllm serve --max-model-len %d", n)
	}
	return fmt.Sprintf("llama-server --ctx-size %d", n)
}
