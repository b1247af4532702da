package patterns

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"example.com/agentpersistence"
	"example.com/agentpersistence/internal/atomicfile"
	"example.com/agentpersistence/internal/jsontext"
)

// formatVersion marks the current format of a library file (section 9).
const formatVersion = "1.0"

var supportedVersion = regexp.MustCompile(`^1(\.\d+)*$`)

// document is the top-level object of a library file.
type document struct {
	Patterns           []Pattern                    `json:"patterns"`
	AgentContributions map[string][]json.RawMessage `json:"agent_contributions"`
	Metadata           *metadata                    `json:"metadata,omitempty"`
}

type metadata struct {
	SavedAt      string `json:"saved_at"`
	PatternCount int    `json:"pattern_count"`
	Version      string `json:"version"`
}

// Persistence saves and loads libraries. Its operations are those of PatternPersistence (section 4.1).
type Persistence struct{}

// SaveToJSON replaces the file, or creates it, with the library in the format of section 2.4. The folder must exist.
func (Persistence) SaveToJSON(library *Library, path string) error {
	if err := library.validate(); err != nil {
		return in(path, err)
	}
	patterns := make([]Pattern, len(library.Patterns))
	for i, pattern := range library.Patterns {
		// A database may have a space instead of the T that section 2.1 requires in JSON.
		pattern.DiscoveredAt = strings.Replace(pattern.DiscoveredAt, " ", "T", 1)
		pattern.LastUsed = strings.Replace(pattern.LastUsed, " ", "T", 1)
		patterns[i] = pattern
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(document{patterns, contributionsText(library.AgentContributions),
			&metadata{now(), len(patterns), formatVersion}})
	})
}

// LoadFromJSON loads the library that a file contains. A missing file is an error that wraps fs.ErrNotExist, text that is not
// JSON an *agentpersistence.JSONDecodeError, and JSON that is not a library an *agentpersistence.ValidationError.
func (Persistence) LoadFromJSON(path string) (*Library, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	text, err := jsontext.Document(data)
	if err != nil {
		return nil, in(path, err)
	}
	library := NewLibrary()
	if err := library.UnmarshalJSON(text); err != nil {
		return nil, in(path, err)
	}
	if err := library.validate(); err != nil {
		return nil, in(path, err)
	}
	return library, nil
}

// MarshalJSON returns the library without the metadata of a file. Timestamps are unchanged.
func (l *Library) MarshalJSON() ([]byte, error) {
	return jsontext.Marshal(document{l.Patterns, contributionsText(l.AgentContributions), nil})
}

// UnmarshalJSON reads the format of section 2.4. It checks each pattern; saving checks the library as a whole. Without
// agent_contributions, each pattern counts as contributed by its owner.
func (l *Library) UnmarshalJSON(text []byte) error {
	values, ok := jsontext.Lookup(text)
	if !ok {
		return refused("", "expected the object of a library")
	}
	if err := checkVersion(values["metadata"]); err != nil {
		return err
	}
	elements, ok := jsontext.Elements(values["patterns"])
	if !ok {
		return refused("patterns", "expected an array")
	}
	*l = Library{Patterns: make([]Pattern, len(elements))}
	for i, element := range elements {
		if err := l.Patterns[i].UnmarshalJSON(element); err != nil {
			return at(fmt.Sprintf("/patterns/%d", i), err)
		}
	}
	contributions, found := values["agent_contributions"]
	if !found {
		l.deriveContributions()
		return nil
	}
	agents, ok := jsontext.Lookup(contributions)
	if !ok {
		return refused("agent_contributions", "expected an object")
	}
	l.AgentContributions = make(map[string][]string, len(agents))
	for agent, ids := range agents {
		if l.AgentContributions[agent], ok = jsontext.Strings(ids); !ok {
			return refused("agent_contributions/"+agent, "expected an array of strings")
		}
	}
	return nil
}

func checkVersion(metadata json.RawMessage) error {
	if metadata == nil {
		return nil
	}
	values, ok := jsontext.Lookup(metadata)
	if !ok {
		return refused("metadata", "expected an object")
	}
	if values["version"] == nil {
		return nil
	}
	version, ok := jsontext.String(values["version"])
	if !ok {
		return refused("metadata/version", "expected a string")
	}
	if !supportedVersion.MatchString(version) {
		return &agentpersistence.UnsupportedFormatError{Found: fmt.Sprintf("version %q", version), Supported: "version 1.x"}
	}
	return nil
}

func contributionsText(contributions map[string][]string) map[string][]json.RawMessage {
	text := make(map[string][]json.RawMessage, len(contributions))
	for agent, ids := range contributions {
		text[agent] = append([]json.RawMessage{}, quoteAll(ids)...)
	}
	return text
}

// at puts the pointer of a value before the place that an error names.
func at(pointer string, err error) error {
	var validation *agentpersistence.ValidationError
	if errors.As(err, &validation) {
		validation.Subject = pointer + validation.Subject
	}
	return err
}

// in names the file in an error.
func in(path string, err error) error {
	var validation *agentpersistence.ValidationError
	var decode *agentpersistence.JSONDecodeError
	var unsupported *agentpersistence.UnsupportedFormatError
	switch {
	case errors.As(err, &validation):
		validation.Path = path
	case errors.As(err, &decode):
		decode.Path = path
	case errors.As(err, &unsupported):
		unsupported.Path = path
	}
	return err
}
