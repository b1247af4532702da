// Package configuration opens what a configuration object names (section 4.5 of the specification).
package configuration

import (
	"encoding/json"
	"path/filepath"

	"example.com/agentpersistence"
	"example.com/agentpersistence/internal/atomicfile"
	"example.com/agentpersistence/internal/ids"
	"example.com/agentpersistence/internal/jsontext"
	"example.com/agentpersistence/internal/metrics"
	"example.com/agentpersistence/internal/patterns"
)

// Fields has the fields that both lines accept.
type Fields struct {
	UserID             string // empty if not given
	PersistenceEnabled *bool  // nil is true; if false, no file is touched
	PersistencePath    string // a directory, which is created if necessary; empty is "."
}

// UnmarshalJSON reads an object with fields of section 4.5. All are optional, and unknown ones are refused.
func (f *Fields) UnmarshalJSON(text []byte) error {
	return f.Decode(text, map[string]func(json.RawMessage) bool{})
}

// Decode reads an object whose further fields more describes.
func (f *Fields) Decode(text json.RawMessage, more map[string]func(json.RawMessage) bool) error {
	*f = Fields{}
	more["user_id"] = jsontext.To(&f.UserID, nonEmpty)
	more["persistence_path"] = jsontext.To(&f.PersistencePath, nonEmpty)
	more["persistence_enabled"] = func(value json.RawMessage) bool {
		enabled, ok := jsontext.Boolean(value)
		f.PersistenceEnabled = &enabled
		return ok
	}
	if err := jsontext.Decode(text, more); err != nil {
		return &agentpersistence.ValidationError{Subject: "config", Reason: err.Error()}
	}
	return nil
}

func nonEmpty(value json.RawMessage) (string, bool) {
	text, _ := jsontext.String(value)
	return text, text != ""
}

// Open opens patterns.db and metrics.db in the directory, or both in memory.
func Open(fields Fields, levelColumn string) (*patterns.Store, *metrics.Collector, error) {
	if fields.UserID != "" {
		if err := ids.Check("user_id", fields.UserID); err != nil {
			return nil, nil, err
		}
	}
	if !fields.InFiles() {
		collector, err := metrics.OpenInMemory(levelColumn)
		if err != nil {
			return nil, nil, err
		}
		store, err := patterns.NewMemoryStore()
		return store, collector, err
	}
	if err := atomicfile.MakeDirectory(fields.File(".")); err != nil {
		return nil, nil, err
	}
	collector, err := metrics.Open(fields.File("metrics.db"), levelColumn)
	return patterns.NewStore(fields.File("patterns.db")), collector, err
}

// InFiles reports whether persistence is enabled.
func (f Fields) InFiles() bool {
	return f.PersistenceEnabled == nil || *f.PersistenceEnabled
}

// File returns the path of a file in the directory of the configuration.
func (f Fields) File(name string) string {
	return filepath.Join(f.PersistencePath, name)
}
