package words

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// each walks every string of a vocabulary, with a name for where it stands.
func each(v reflect.Value, path string, visit func(path, s string)) {
	switch v.Kind() {
	case reflect.Pointer:
		each(v.Elem(), path, visit)
	case reflect.Struct:
		for i := range v.NumField() {
			each(v.Field(i), path+"."+v.Type().Field(i).Name, visit)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			each(v.MapIndex(k), path+"["+k.String()+"]", visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			each(v.Index(i), path, visit)
		}
	case reflect.String:
		visit(path, v.String())
	}
}

func TestBothLanguagesAreComplete(t *testing.T) {
	said := func(w *Words) map[string]string {
		all := map[string]string{}
		each(reflect.ValueOf(w), "", func(path, s string) {
			if strings.TrimSpace(s) == "" {
				t.Errorf("%s: %s is empty", w.Lang, path)
			}
			all[path] = s
		})
		return all
	}
	en, zh := said(English()), said(Chinese())
	verbs := regexp.MustCompile(`%[a-z]`)
	for path, s := range en {
		z, ok := zh[path]
		if !ok {
			t.Errorf("Chinese lacks %s", path)
			continue
		}
		if a, b := verbs.FindAllString(s, -1), verbs.FindAllString(z, -1); strings.Join(a, "") != strings.Join(b, "") {
			t.Errorf("%s: the formats differ: %q and %q", path, s, z)
		}
	}
	for path, s := range zh {
		if _, ok := en[path]; !ok {
			t.Errorf("English lacks %s", path)
		}
		for _, r := range en[path] {
			if unicode.Is(unicode.Han, r) {
				t.Errorf("English %s has Chinese in it: %q", path, s)
				break
			}
		}
	}
}

func TestForFallsBackToEnglish(t *testing.T) {
	if got := For("xx").Common.Tabs.Board; got != "Board" {
		t.Errorf("got %q", got)
	}
	if got := For("zh").Common.Tabs.Board; got != "问题" {
		t.Errorf("got %q", got)
	}
}
