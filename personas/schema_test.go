package personas

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("persona.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("persona.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSchemaHasTheKeysOfTheFile: an editor offers exactly what is read.
func TestSchemaHasTheKeysOfTheFile(t *testing.T) {
	var doc struct {
		Properties map[string]any
		Defs       map[string]struct {
			Properties map[string]any
		} `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(), &doc); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		typ  reflect.Type
		keys map[string]any
	}{
		{"persona", reflect.TypeFor[file](), doc.Properties},
		{"check", reflect.TypeFor[check](), doc.Defs["check"].Properties},
		{"labels", reflect.TypeFor[label](), doc.Defs["labels"].Properties},
	} {
		var want []string
		for f := range c.typ.Fields() {
			want = append(want, f.Tag.Get("yaml"))
		}
		slices.Sort(want)
		if got := slices.Sorted(maps.Keys(c.keys)); !slices.Equal(got, want) {
			t.Errorf("%s: the schema has %v, the file %v", c.name, got, want)
		}
	}
}

// TestSchemaAgreesWithParse: what the loader takes the schema takes, and what
// the schema can know to be wrong it refuses.
func TestSchemaAgreesWithParse(t *testing.T) {
	s := compiledSchema(t)
	validate := func(data []byte) error {
		var v any
		if err := yaml.Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		return s.Validate(doc)
	}
	for _, name := range order {
		data, err := builtin.ReadFile(name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := validate([]byte(valid)); err != nil {
		t.Errorf("valid: %v", err)
	}
	for _, bad := range []string{
		valid + "colour: red\n",
		strings.Replace(valid, "house", "My House", 1),
		strings.Replace(valid, "house", "house-2", 1),
		strings.Replace(valid, "prompt: Look.\n", "", 1),
		strings.Replace(valid, "  en:", "  zh:", 1),
		strings.Replace(valid, `block: "No"`, "", 1),
		valid + "severity_cap: awful\n",
		valid + "effort: heroic\n",
		valid + "model: smart\n",
		valid + "timeout: soon\n",
		valid + "steps: -1\n",
		valid + "checks: [{id: x}]\n",
	} {
		if validate([]byte(bad)) == nil {
			t.Errorf("the schema takes\n%s", bad)
		}
		if _, err := Parse([]byte(bad), "p.yaml"); err == nil {
			t.Errorf("the loader takes\n%s", bad)
		}
	}
}
