// Package metricscollector records interactions and computes statistics, in the 16+ line (section 4.2 of the specification).
package metricscollector

import (
	"encoding/json"

	"example.com/agentpersistence/internal/metrics"
)

type (
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

// The lengths of periods. Weeks begin on Monday.
const (
	Day   = metrics.Day // the default
	Hour  = metrics.Hour
	Week  = metrics.Week
	Month = metrics.Month
)

// MetricsCollector records interactions in an SQLite database.
type MetricsCollector struct{ *metrics.Collector }

// New opens a metrics database, or creates it. An empty path is ./metrics.db. A database of the pre-16 line is refused with an
// *agentpersistence.UnsupportedFormatError.
func New(dbPath string) (*MetricsCollector, error) {
	collector, err := metrics.Open(dbPath, metrics.Level)
	if err != nil {
		return nil, err
	}
	return &MetricsCollector{collector}, nil
}

// RecordMetric records an interaction of a user at the user's current level, or at 1 for a new user. The response time is in
// milliseconds. The metadata is a JSON object, whose numbers keep their digits, or nil.
func (c *MetricsCollector) RecordMetric(userID string, success bool, responseTimeMS float64, metadata json.RawMessage) error {
	_, err := metrics.RecordAtCurrentLevel(c.Collector, userID, success, responseTimeMS, metadata)
	return err
}
