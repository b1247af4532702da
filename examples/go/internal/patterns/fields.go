package patterns

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"example.com/agentpersistence/internal/jsontext"
)

// fieldReader reads the fields of a pattern object and keeps the first error.
type fieldReader struct {
	values map[string]json.RawMessage
	err    error
}

// read returns a value with its type, or the zero value if the field is absent, null or of another type.
func read[T any](r *fieldReader, name, expected string, convert func(json.RawMessage) (T, bool)) (value T, found bool) {
	raw := r.values[name]
	if jsontext.IsNull(raw) {
		return value, false
	}
	value, ok := convert(raw)
	if !ok && r.err == nil {
		r.err = refused(name, "expected %s, found %s", expected, raw)
	}
	return value, ok
}

func (r *fieldReader) required(name string) string {
	value, found := read(r, name, "a string", jsontext.String)
	if !found && r.err == nil {
		r.err = refused(name, "is required")
	}
	return value
}

func (r *fieldReader) text(name string) *string {
	if value, found := read(r, name, "a string", jsontext.String); found {
		return &value
	}
	return nil
}

func (r *fieldReader) real(name string) *float64 {
	if value, found := read(r, name, "a number", jsontext.Real); found {
		return &value
	}
	return nil
}

func (r *fieldReader) integer(name string) int64 {
	value, _ := read(r, name, "an integer", jsontext.Integer)
	return value
}

func (r *fieldReader) strings(name string) []string {
	value, found := read(r, name, "an array of strings", jsontext.Strings)
	if !found {
		return nil
	}
	return value
}

func (r *fieldReader) object(name string) json.RawMessage {
	value, _ := read(r, name, "an object", func(raw json.RawMessage) (json.RawMessage, bool) {
		return raw, jsontext.IsObject(raw)
	})
	return value
}

func (r *fieldReader) time(name string) string {
	value, found := read(r, name, "a timestamp YYYY-MM-DDTHH:MM:SS", jsontext.String)
	if found && value == "" && r.err == nil {
		r.err = refused(name, `expected YYYY-MM-DDTHH:MM:SS, found ""`)
	}
	return value
}

var timestampForm = regexp.MustCompile(`^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,6})?$`)

// isTimestamp reports whether text is a time without a zone. A space instead of T is accepted.
func isTimestamp(text string) bool {
	if !timestampForm.MatchString(text) || strings.HasPrefix(text, "0000") {
		return false
	}
	_, err := time.Parse("2006-01-02T15:04:05", strings.Replace(text[:19], " ", "T", 1))
	return err == nil
}

// now returns the current time in the form of section 2.1, in UTC.
func now() string {
	return time.Now().UTC().Format("2006-01-02T15:04:05")
}
