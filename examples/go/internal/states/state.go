// Package states stores the collaboration states of users (sections 2.8 and 4.4 of the specification), before 16.0.0 only.
package states

import (
	"encoding/json"
	"fmt"
	"math"
	"sort"

	"example.com/agentpersistence"
	"example.com/agentpersistence/internal/jsontext"
)

// State is the collaboration state of a user (section 2.8). A field that is nil is absent: older programs did not write all of
// them.
type State struct {
	UserID     string  // required
	TrustLevel float64 // required, from 0 to 1

	CurrentLevel     *int64
	TargetLevel      *int64
	InteractionCount *int64
	SuccessCount     *int64
	FailureCount     *int64

	LastInteraction *string // a timestamp, which is kept unchanged
	CreatedAt       *string

	// Extra has the keys beyond section 2.8. They are kept.
	Extra map[string]json.RawMessage
}

// olderNames has the fields that programs before the specification wrote under another name.
var olderNames = map[string]string{
	"interaction_count": "total_interactions",
	"success_count":     "successful_interventions",
	"failure_count":     "failed_interventions",
	"created_at":        "session_start",
	"last_interaction":  "saved_at",
}

func (s *State) integers() map[string]**int64 {
	return map[string]**int64{
		"current_level": &s.CurrentLevel, "target_level": &s.TargetLevel, "interaction_count": &s.InteractionCount,
		"success_count": &s.SuccessCount, "failure_count": &s.FailureCount,
	}
}

func (s *State) timestamps() map[string]**string {
	return map[string]**string{"last_interaction": &s.LastInteraction, "created_at": &s.CreatedAt}
}

// MarshalJSON returns the state object with its extra keys.
func (s State) MarshalJSON() ([]byte, error) {
	if err := s.validate(); err != nil {
		return nil, err
	}
	values := map[string]json.RawMessage{}
	for name, value := range s.Extra {
		values[name] = value
	}
	trust, err := jsontext.Marshal(s.TrustLevel)
	if err != nil {
		return nil, err
	}
	values["user_id"], values["trust_level"] = jsontext.Quote(s.UserID), trust
	for name, field := range s.integers() {
		if *field != nil {
			values[name] = json.RawMessage(fmt.Sprint(**field))
		}
	}
	for name, field := range s.timestamps() {
		if *field != nil {
			values[name] = jsontext.Quote(**field)
		}
	}
	return object(values), nil
}

// object writes an object with its keys in order. The keys of a map that encoding/json writes cannot hold lone surrogates.
func object(values map[string]json.RawMessage) []byte {
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	sort.Strings(names)
	text := []byte("{")
	for i, name := range names {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(append(text, jsontext.Quote(name)...), ':'), values[name]...)
	}
	return append(text, '}')
}

// UnmarshalJSON reads a state object. Fields that it has only under the names of older programs are read from there, and these
// keys stay in Extra.
func (s *State) UnmarshalJSON(data []byte) error {
	values, ok := jsontext.Lookup(data)
	if !ok {
		return refused("state", "expected an object, found %s", data)
	}
	*s = State{}
	if s.UserID, ok = jsontext.String(values["user_id"]); !ok {
		return refused("user_id", "expected a string, found %s", values["user_id"])
	}
	if s.TrustLevel, ok = jsontext.Real(values["trust_level"]); !ok {
		return refused("trust_level", "expected a number, found %s", values["trust_level"])
	}
	for name, field := range s.integers() {
		if value := valueOf(values, name); !jsontext.IsNull(value) {
			number, ok := jsontext.Integer(value)
			if !ok {
				return refused(name, "expected an integer, found %s", value)
			}
			*field = &number
		}
	}
	for name, field := range s.timestamps() {
		if value := valueOf(values, name); !jsontext.IsNull(value) {
			text, ok := jsontext.String(value)
			if !ok {
				return refused(name, "expected a timestamp, found %s", value)
			}
			*field = &text
		}
	}
	s.Extra = s.extra(values)
	return s.validate()
}

func valueOf(values map[string]json.RawMessage, name string) json.RawMessage {
	if value, found := values[name]; found {
		return value
	}
	return values[olderNames[name]]
}

// extra returns the values that the fields of section 2.8 do not hold.
func (s *State) extra(values map[string]json.RawMessage) map[string]json.RawMessage {
	extra := map[string]json.RawMessage{}
	for name, value := range values {
		_, isInteger := s.integers()[name]
		_, isTimestamp := s.timestamps()[name]
		described := isInteger || isTimestamp || name == "user_id" || name == "trust_level"
		if !described || jsontext.IsNull(value) {
			extra[name] = value
		}
	}
	return extra
}

func (s *State) validate() error {
	if math.IsNaN(s.TrustLevel) || s.TrustLevel < 0 || s.TrustLevel > 1 {
		return refused("trust_level", "expected a number from 0 to 1, found %v", s.TrustLevel)
	}
	for name, field := range s.timestamps() {
		if *field != nil && !jsontext.Valid(**field) {
			return refused(name, "%q is not UTF-8", **field)
		}
	}
	for name, value := range s.Extra {
		if !jsontext.Valid(name) {
			return refused("Extra", "the key %q is not UTF-8", name)
		}
		if _, err := jsontext.Document(value); err != nil {
			return refused(name, "%v", err)
		}
	}
	return nil
}

func refused(name, format string, values ...any) error {
	return &agentpersistence.ValidationError{Subject: name, Reason: fmt.Sprintf(format, values...)}
}
