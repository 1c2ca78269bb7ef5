package review

import (
	"slices"
	"strings"
)

var sectionNames = func() map[string]string {
	out := map[string]string{}
	for _, s := range sections {
		for _, n := range append([]string{s.Name[English], s.Name[Chinese]}, s.aliases...) {
			out[strings.ToLower(n)] = s.Key
		}
	}
	return out
}()

var fieldNames = func() map[string]Field {
	out := map[string]Field{}
	for _, f := range slices.Concat(fields, extraFields) {
		for _, n := range append([]string{f.Name[English], f.Name[Chinese]}, f.aliases...) {
			out[strings.ToLower(n)] = f
		}
	}
	return out
}()

// sectionNamed returns the key of the section a heading names, or "".
func sectionNamed(text string) string {
	for _, n := range names(text) {
		if key, ok := sectionNames[n]; ok {
			return key
		}
	}
	return ""
}

// fieldNamed finds the field a key names.
func fieldNamed(text string) (Field, bool) {
	if len(text) > 60 {
		return Field{}, false
	}
	for _, n := range names(text) {
		if f, ok := fieldNames[n]; ok {
			return f, true
		}
	}
	return Field{}, false
}
