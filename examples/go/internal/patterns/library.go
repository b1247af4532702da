package patterns

import (
	"fmt"
	"math"

	"example.com/agentpersistence"
	"example.com/agentpersistence/internal/ids"
)

// Library is a collection of patterns in the order in which they were added. It is not safe for concurrent use.
type Library struct {
	Patterns           []Pattern
	AgentContributions map[string][]string // by agent id, the ids of the patterns that the agent contributed

	uses []use // recorded, but not yet in a database
}

// use is a row of pattern_usage (section 2.2) that the next save into a database writes.
type use struct {
	patternID, agentID string
	success            bool
	at                 string
}

// NewLibrary returns an empty library.
func NewLibrary() *Library {
	return &Library{Patterns: []Pattern{}, AgentContributions: map[string][]string{}}
}

// Contribute adds a pattern that its owner contributes.
func (l *Library) Contribute(pattern Pattern) error {
	if err := pattern.validate(); err != nil {
		return err
	}
	if l.Find(pattern.ID) != nil {
		return refused("id", "the library already has a pattern %q", pattern.ID)
	}
	l.Patterns = append(l.Patterns, pattern)
	if l.AgentContributions == nil {
		l.AgentContributions = map[string][]string{}
	}
	l.AgentContributions[pattern.AgentID] = append(l.AgentContributions[pattern.AgentID], pattern.ID)
	return nil
}

// Find returns the pattern with an id, or nil.
func (l *Library) Find(id string) *Pattern {
	for i := range l.Patterns {
		if l.Patterns[i].ID == id {
			return &l.Patterns[i]
		}
	}
	return nil
}

// RecordUsage records that an agent used a pattern: it increments the counts, sets LastUsed, and the next save into a
// database writes one row of pattern_usage.
func (l *Library) RecordUsage(patternID, agentID string, success bool) error {
	if err := ids.Check("agent_id", agentID); err != nil {
		return err
	}
	pattern := l.Find(patternID)
	if pattern == nil {
		return &agentpersistence.ValidationError{Subject: "pattern_id", Reason: fmt.Sprintf("the library has no pattern %q", patternID)}
	}
	count := &pattern.FailureCount
	if success {
		count = &pattern.SuccessCount
	}
	if pattern.UsageCount == math.MaxInt64 || *count == math.MaxInt64 {
		return &agentpersistence.ValidationError{Subject: "pattern_id", Reason: fmt.Sprintf("a count of %q has its highest value", patternID)}
	}
	pattern.UsageCount++
	*count++
	pattern.LastUsed = now()
	l.uses = append(l.uses, use{patternID, agentID, success, pattern.LastUsed})
	return nil
}

// validate checks all patterns and contributions before anything is written.
func (l *Library) validate() error {
	seen := make(map[string]bool, len(l.Patterns))
	for i := range l.Patterns {
		if err := l.Patterns[i].validate(); err != nil {
			return at(fmt.Sprintf("/patterns/%d", i), err)
		}
		if id := l.Patterns[i].ID; seen[id] {
			return refused(fmt.Sprintf("patterns/%d/id", i), "%q occurs twice", id)
		}
		seen[l.Patterns[i].ID] = true
	}
	for agent, contributed := range l.AgentContributions {
		for _, id := range append([]string{agent}, contributed...) {
			if err := ids.Check("/agent_contributions", id); err != nil {
				return err
			}
		}
	}
	return nil
}

// deriveContributions lists the patterns of each owner.
func (l *Library) deriveContributions() {
	l.AgentContributions = map[string][]string{}
	for _, pattern := range l.Patterns {
		l.AgentContributions[pattern.AgentID] = append(l.AgentContributions[pattern.AgentID], pattern.ID)
	}
}
