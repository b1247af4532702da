package persistence

import (
	"encoding/json"

	"example.com/agentpersistence/internal/configuration"
	"example.com/agentpersistence/internal/jsontext"
	"example.com/agentpersistence/internal/metrics"
	"example.com/agentpersistence/internal/patterns"
	"example.com/agentpersistence/internal/states"
)

// ConfigFields has the fields that both lines accept.
type ConfigFields = configuration.Fields

// Config has the fields of section 4.5.
type Config struct {
	ConfigFields
	TargetLevel *int // from 1 to 5, or nil
}

// UnmarshalJSON reads an object with fields of section 4.5. All are optional, and unknown ones are refused.
func (c *Config) UnmarshalJSON(text []byte) error {
	c.TargetLevel = nil
	return c.Decode(text, map[string]func(json.RawMessage) bool{
		"target_level": func(value json.RawMessage) bool {
			number, ok := jsontext.Integer(value)
			level := int(number)
			c.TargetLevel = &level
			return ok
		},
	})
}

// Persistence has all operations on what a configuration opens.
type Persistence struct {
	*MetricsCollector
	*StateManager
	patterns *patterns.Store
}

// Open opens patterns.db, metrics.db and state in the directory of a configuration. If persistence is not enabled, they are in
// memory and no file is touched.
func Open(config Config) (*Persistence, error) {
	if config.TargetLevel != nil {
		if err := metrics.CheckLevel("target_level", *config.TargetLevel); err != nil {
			return nil, err
		}
	}
	store, collector, err := configuration.Open(config.ConfigFields, metrics.EmpathyLevel)
	if err != nil {
		return nil, err
	}
	manager := states.NewMemoryManager()
	if config.InFiles() {
		manager = states.NewManager(config.File("state"))
	}
	return &Persistence{&MetricsCollector{collector}, manager, store}, nil
}

// SavePatterns merges a library into the stored one.
func (p *Persistence) SavePatterns(library *PatternLibrary) error { return p.patterns.Save(library) }

// LoadPatterns returns the stored library. If none was saved, the error wraps fs.ErrNotExist.
func (p *Persistence) LoadPatterns() (*PatternLibrary, error) { return p.patterns.Load() }

// Close closes what is open.
func (p *Persistence) Close() error {
	patternsErr, metricsErr := p.patterns.Close(), p.MetricsCollector.Close()
	if patternsErr != nil {
		return patternsErr
	}
	return metricsErr
}
