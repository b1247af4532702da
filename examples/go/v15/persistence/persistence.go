// Package persistence is the facade of the pre-16 line: everything of that line is imported from here (section 9 of the
// specification).
package persistence

import (
	"encoding/json"

	"example.com/agentpersistence/internal/metrics"
	"example.com/agentpersistence/internal/patterns"
	"example.com/agentpersistence/internal/states"
)

// PatternPersistence saves and loads libraries. All its operations are static:
//
//	err := persistence.PatternPersistence.SaveToJSON(library, "patterns.json")
var PatternPersistence patterns.Persistence

// What SaveToSQLite does with patterns that the database has and the library does not.
const (
	Merge   = patterns.Merge   // they stay
	Replace = patterns.Replace // they are removed with their usage rows
)

type (
	// Pattern is a pattern record (section 2.1).
	Pattern = patterns.Pattern
	// PatternLibrary is a collection of patterns.
	PatternLibrary = patterns.Library
	// StateManager saves and restores the states of users (section 4.4).
	StateManager = states.Manager
	// State is the collaboration state of a user (section 2.8).
	State = states.State
	// UserStats has the statistics of a user (section 2.6).
	UserStats = metrics.UserStats
	// GlobalStats has the statistics of all users (section 2.7).
	GlobalStats = metrics.GlobalStats
	// TrendOptions selects the interactions of a trend and its periods.
	TrendOptions = metrics.TrendOptions
	// Bucket is the length of the periods of a trend.
	Bucket = metrics.Bucket
	// Trust has the figures of the trust trajectory.
	Trust = metrics.Trust
	// Period has the statistics of one period of a trend.
	Period = metrics.Period
)

// NewPatternLibrary returns an empty library.
func NewPatternLibrary() *PatternLibrary { return patterns.NewLibrary() }

// NewStateManager returns a manager of the states in a directory. An empty name is ./state. The first save creates it.
func NewStateManager(stateDir string) *StateManager { return states.NewManager(stateDir) }

// The lengths of periods. Weeks begin on Monday.
const (
	Day   = metrics.Day // the default
	Hour  = metrics.Hour
	Week  = metrics.Week
	Month = metrics.Month
)

// MetricsCollector records interactions in an SQLite database (section 4.3).
type MetricsCollector struct{ *metrics.Collector }

// NewMetricsCollector opens a metrics database, or creates it. An empty path is ./metrics.db. A database of the 16+ line is
// refused with an *agentpersistence.UnsupportedFormatError.
func NewMetricsCollector(dbPath string) (*MetricsCollector, error) {
	collector, err := metrics.Open(dbPath, metrics.EmpathyLevel)
	if err != nil {
		return nil, err
	}
	return &MetricsCollector{collector}, nil
}

// RecordMetric records an interaction of a user at an empathy level from 1 to 5. The response time is in milliseconds. The
// metadata is a JSON object, or nil.
func (c *MetricsCollector) RecordMetric(userID string, empathyLevel int, success bool, responseTimeMS float64, metadata json.RawMessage) error {
	_, err := metrics.RecordAt(c.Collector, empathyLevel, userID, success, responseTimeMS, metadata)
	return err
}
