package config

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestExamplesHaveEveryKey: the examples are the reference; each key of the
// types is in them, and what they say is right once the # is off.
func TestExamplesHaveEveryKey(t *testing.T) {
	bare := regexp.MustCompile(`(?m)^#([a-z]|  )`)
	person, err := ParsePerson("person.yaml", []byte(bare.ReplaceAllString(PersonExample(), "$1")))
	if err != nil {
		t.Error(err)
	}
	project, err := ParseProject("project.yaml", []byte(bare.ReplaceAllString(ProjectExample(), "$1")))
	if err != nil {
		t.Error(err)
	}
	for _, v := range []struct {
		of   any
		text string
	}{{person, PersonExample()}, {project, ProjectExample()}} {
		for _, key := range keys(reflect.TypeOf(v.of)) {
			if !regexp.MustCompile(`(^|[#{ ])` + key + `:`).MatchString(v.text) {
				t.Errorf("%T: the key %s is not in the example", v.of, key)
			}
		}
		top := reflect.ValueOf(v.of)
		for i := range top.NumField() {
			if name := top.Type().Field(i).Name; top.Field(i).IsZero() {
				t.Errorf("%T: the example does not set %s", v.of, name)
			}
		}
	}
	if _, err := ParsePerson("as it is", []byte(PersonExample())); err != nil {
		t.Errorf("all commented out: %v", err)
	}
	if strings.Contains(PersonExample()+ProjectExample(), "\t") {
		t.Error("YAML takes no tabs")
	}
}
