// Package patterns stores pattern libraries (sections 2.1 to 2.4 and 4.1 of the specification). Its formats are the same in
// both lines.
package patterns

import (
	"encoding/json"
	"fmt"
	"math"

	"example.com/agentpersistence"
	"example.com/agentpersistence/internal/ids"
	"example.com/agentpersistence/internal/jsontext"
)

// DefaultConfidence is the confidence of a pattern without one.
const DefaultConfidence = 0.5

// Pattern is a pattern record (section 2.1). Texts may contain lone surrogates, as the three bytes of their code point.
type Pattern struct {
	ID          string // required
	AgentID     string // required; the agent that owns the pattern
	PatternType string // required; any text
	Name        string // required

	Description *string         // nil if absent
	Context     json.RawMessage // a JSON object, whose numbers keep their digits; nil if absent
	Code        *string         // nil if absent
	Confidence  *float64        // nil for DefaultConfidence

	UsageCount   int64
	SuccessCount int64
	FailureCount int64

	Tags         []string // nil if absent; an empty list is a value
	DiscoveredAt string   // YYYY-MM-DDTHH:MM:SS with up to six digits of a fraction; empty if absent
	LastUsed     string   // in the same form
}

// confidence returns the confidence with its default.
func (p *Pattern) confidence() float64 {
	if p.Confidence == nil {
		return DefaultConfidence
	}
	return *p.Confidence
}

// MarshalJSON returns the pattern object of a library file: all fields of section 2.1 except updated_at.
func (p Pattern) MarshalJSON() ([]byte, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	return jsontext.Marshal(struct {
		ID           json.RawMessage   `json:"id"`
		AgentID      json.RawMessage   `json:"agent_id"`
		PatternType  json.RawMessage   `json:"pattern_type"`
		Name         json.RawMessage   `json:"name"`
		Description  json.RawMessage   `json:"description"`
		Context      json.RawMessage   `json:"context"`
		Code         json.RawMessage   `json:"code"`
		Confidence   float64           `json:"confidence"`
		UsageCount   int64             `json:"usage_count"`
		SuccessCount int64             `json:"success_count"`
		FailureCount int64             `json:"failure_count"`
		Tags         []json.RawMessage `json:"tags"`
		DiscoveredAt json.RawMessage   `json:"discovered_at"`
		LastUsed     json.RawMessage   `json:"last_used"`
	}{
		jsontext.Quote(p.ID), jsontext.Quote(p.AgentID), jsontext.Quote(p.PatternType), jsontext.Quote(p.Name),
		quoteOrNull(p.Description), p.Context, quoteOrNull(p.Code), p.confidence(),
		p.UsageCount, p.SuccessCount, p.FailureCount,
		quoteAll(p.Tags), quoteTime(p.DiscoveredAt), quoteTime(p.LastUsed),
	})
}

// UnmarshalJSON reads a pattern object. An absent field and null are the same; unknown keys are ignored.
func (p *Pattern) UnmarshalJSON(data []byte) error {
	values, ok := jsontext.Lookup(data)
	if !ok {
		return refused("", "expected an object, found %s", data)
	}
	return p.fromFields(values)
}

func (p *Pattern) fromFields(values map[string]json.RawMessage) error {
	r := fieldReader{values: values}
	*p = Pattern{
		ID:           r.required("id"),
		AgentID:      r.required("agent_id"),
		PatternType:  r.required("pattern_type"),
		Name:         r.required("name"),
		Description:  r.text("description"),
		Context:      r.object("context"),
		Code:         r.text("code"),
		Confidence:   r.real("confidence"),
		UsageCount:   r.integer("usage_count"),
		SuccessCount: r.integer("success_count"),
		FailureCount: r.integer("failure_count"),
		Tags:         r.strings("tags"),
		DiscoveredAt: r.time("discovered_at"),
		LastUsed:     r.time("last_used"),
	}
	if r.err != nil {
		return r.err
	}
	return p.validate()
}

// validate checks what the types of the fields do not.
func (p *Pattern) validate() error {
	if err := ids.Check("/id", p.ID); err != nil {
		return err
	}
	if err := ids.Check("/agent_id", p.AgentID); err != nil {
		return err
	}
	for _, field := range p.texts() {
		if !jsontext.Valid(field.text) {
			return refused(field.name, "%q is not UTF-8", field.text)
		}
	}
	if p.Context != nil {
		text, err := jsontext.Document(p.Context)
		if err != nil || !jsontext.IsObject(text) {
			return refused("context", "expected a JSON object, found %s", p.Context)
		}
	}
	if math.IsNaN(p.confidence()) || math.IsInf(p.confidence(), 0) {
		return refused("confidence", "expected a finite number, found %v", p.confidence())
	}
	for _, field := range []namedText{{"discovered_at", p.DiscoveredAt}, {"last_used", p.LastUsed}} {
		if field.text != "" && !isTimestamp(field.text) {
			return refused(field.name, "expected YYYY-MM-DDTHH:MM:SS, found %q", field.text)
		}
	}
	return nil
}

type namedText struct{ name, text string }

// texts returns the texts other than ids and timestamps.
func (p *Pattern) texts() []namedText {
	texts := []namedText{{"pattern_type", p.PatternType}, {"name", p.Name}}
	if p.Description != nil {
		texts = append(texts, namedText{"description", *p.Description})
	}
	if p.Code != nil {
		texts = append(texts, namedText{"code", *p.Code})
	}
	for i, tag := range p.Tags {
		texts = append(texts, namedText{fmt.Sprintf("tags/%d", i), tag})
	}
	return texts
}

// refused returns a ValidationError about a field. Its place is a JSON Pointer relative to the pattern.
func refused(field, format string, values ...any) error {
	pointer := ""
	if field != "" {
		pointer = "/" + field
	}
	return &agentpersistence.ValidationError{Subject: pointer, Reason: fmt.Sprintf(format, values...)}
}

func quoteOrNull(text *string) json.RawMessage {
	if text == nil {
		return nil
	}
	return jsontext.Quote(*text)
}

func quoteTime(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return jsontext.Quote(text)
}

func quoteAll(texts []string) []json.RawMessage {
	if texts == nil {
		return nil
	}
	quoted := make([]json.RawMessage, len(texts))
	for i, text := range texts {
		quoted[i] = jsontext.Quote(text)
	}
	return quoted
}
