package opencode

import "encoding/json"

// plainJSON makes JSON of JSON with comments and trailing commas. Bytes are
// replaced by spaces, so that positions in errors stay right.
func plainJSON(b []byte) []byte {
	out := append([]byte(nil), b...)
	comma := -1 // a comma that nothing has followed yet
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			comma = -1
			i = endOfString(out, i)
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			i = blankComment(out, i)
		case c == ',':
			comma = i
		case c == '}' || c == ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			comma = -1
		}
	}
	return out
}

// endOfString is the index of the quote that ends the string begun at i.
func endOfString(b []byte, i int) int {
	for i++; i < len(b) && b[i] != '"'; i++ {
		if b[i] == '\\' {
			i++
		}
	}
	return i
}

// blankComment replaces the comment at i and returns its last index.
func blankComment(b []byte, i int) int {
	block := b[i+1] == '*'
	b[i], b[i+1] = ' ', ' '
	for i += 2; i < len(b); i++ {
		if !block && b[i] == '\n' {
			return i
		}
		if block && b[i] == '*' && i+1 < len(b) && b[i+1] == '/' {
			b[i], b[i+1] = ' ', ' '
			return i + 1
		}
		if b[i] != '\n' {
			b[i] = ' '
		}
	}
	return i
}

// merge puts b over a, object into object; neither is changed.
func merge(a, b map[string]any) map[string]any {
	out := clone(a)
	for k, v := range b {
		am, aok := out[k].(map[string]any)
		bm, bok := v.(map[string]any)
		if aok && bok {
			out[k] = merge(am, bm)
			continue
		}
		out[k] = v
	}
	return clone(out)
}

// clone copies JSON values deeply; of nothing it makes an empty object.
func clone(m map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		out[k] = cloneValue(v)
	}
	return out
}

func cloneValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return clone(v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = cloneValue(e)
		}
		return out
	}
	return v
}

// mustJSON encodes what was decoded from JSON.
func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("opencode: " + err.Error()) // JSON values always encode
	}
	return string(b)
}
