// Package configuration opens the databases that a configuration object names (section 4.5 of the specification), in the 16+
// line.
package configuration

import (
	"example.com/agentpersistence/internal/configuration"
	"example.com/agentpersistence/internal/metrics"
	"example.com/agentpersistence/internal/patterns"
	"example.com/agentpersistence/v16/metricscollector"
	"example.com/agentpersistence/v16/patternlibrary"
)

// Config has the fields of section 4.5. The field TargetLevel of the pre-16 line was removed in 16.0.0.
type Config = configuration.Fields

// Persistence has all operations on what a configuration opens.
type Persistence struct {
	*metricscollector.MetricsCollector
	patterns *patterns.Store
}

// Open opens patterns.db and metrics.db in the directory of a configuration. If persistence is not enabled, they are in memory
// and no file is touched.
func Open(config Config) (*Persistence, error) {
	store, collector, err := configuration.Open(config, metrics.Level)
	if err != nil {
		return nil, err
	}
	return &Persistence{&metricscollector.MetricsCollector{Collector: collector}, store}, nil
}

// SavePatterns merges a library into the stored one.
func (p *Persistence) SavePatterns(library *patternlibrary.PatternLibrary) error {
	return p.patterns.Save(library)
}

// LoadPatterns returns the stored library. If none was saved, the error wraps fs.ErrNotExist.
func (p *Persistence) LoadPatterns() (*patternlibrary.PatternLibrary, error) {
	return p.patterns.Load()
}

// Close closes what is open.
func (p *Persistence) Close() error {
	patternsErr, metricsErr := p.patterns.Close(), p.MetricsCollector.Close()
	if patternsErr != nil {
		return patternsErr
	}
	return metricsErr
}
