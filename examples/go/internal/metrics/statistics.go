package metrics

import (
	"database/sql"
	"fmt"
	"sort"
	"unicode/utf8"

	"example.com/agentpersistence/internal/ids"
)

// LevelCounts has the number of interactions at each level.
type LevelCounts struct {
	Level1 int64 `json:"level_1_count"`
	Level2 int64 `json:"level_2_count"`
	Level3 int64 `json:"level_3_count"`
	Level4 int64 `json:"level_4_count"`
	Level5 int64 `json:"level_5_count"`
}

// UserStats has the statistics of a user (section 2.6). All numbers are 0 for a user without interactions.
type UserStats struct {
	TotalOperations   int64   `json:"total_operations"`
	SuccessRate       float64 `json:"success_rate"`         // from 0 to 1
	AvgResponseTimeMS float64 `json:"avg_response_time_ms"` // of the interactions that have a response time
	LevelCounts
	CurrentLevel int     `json:"current_level,omitempty"` // of the newest interaction; 0 without interactions
	FirstUse     *string `json:"first_use"`               // the oldest timestamp, nil without interactions
	LastUse      *string `json:"last_use"`                // the newest timestamp
}

// GlobalStats has the statistics of all users (section 2.7). All numbers are 0 for an empty database.
type GlobalStats struct {
	TotalUsers        int64   `json:"total_users"`
	TotalInteractions int64   `json:"total_interactions"`
	SuccessRate       float64 `json:"success_rate"` // from 0 to 1
}

// querier is a database, or a connection that reads within a transaction.
type querier interface {
	Query(query string, args ...any) (*sql.Rows, error)
	QueryRow(query string, args ...any) *sql.Row
}

// UserStats returns the statistics of a user.
func (c *Collector) UserStats(userID string) (UserStats, error) {
	if err := ids.Check("user_id", userID); err != nil {
		return UserStats{}, err
	}
	return c.userStats(c.db, userID)
}

func (c *Collector) userStats(q querier, userID string) (stats UserStats, err error) {
	query := fmt.Sprintf(`
		SELECT count(*), coalesce(avg(success <> 0), 0.0), coalesce(avg(response_time_ms), 0.0),
			count(*) FILTER (WHERE %[1]s = 1), count(*) FILTER (WHERE %[1]s = 2), count(*) FILTER (WHERE %[1]s = 3),
			count(*) FILTER (WHERE %[1]s = 4), count(*) FILTER (WHERE %[1]s = 5),
			coalesce((SELECT %[1]s FROM interactions WHERE user_id = ?1 ORDER BY id DESC LIMIT 1), 0),
			min(timestamp), max(timestamp)
		FROM interactions WHERE user_id = ?1`, c.level)
	err = q.QueryRow(query, userID).Scan(&stats.TotalOperations, &stats.SuccessRate, &stats.AvgResponseTimeMS,
		&stats.Level1, &stats.Level2, &stats.Level3, &stats.Level4, &stats.Level5,
		&stats.CurrentLevel, &stats.FirstUse, &stats.LastUse)
	return stats, c.unreadable(err)
}

// GlobalStats returns the statistics of all users.
func (c *Collector) GlobalStats() (GlobalStats, error) {
	return c.globalStats(c.db)
}

func (c *Collector) globalStats(q querier) (stats GlobalStats, err error) {
	err = q.QueryRow("SELECT count(DISTINCT user_id), count(*), coalesce(avg(success <> 0), 0.0) FROM interactions").
		Scan(&stats.TotalUsers, &stats.TotalInteractions, &stats.SuccessRate)
	return stats, c.explain(err)
}

// AllUsers returns the ids of the users that have interactions, sorted by code point.
func (c *Collector) AllUsers() ([]string, error) {
	return c.allUsers(c.db)
}

func (c *Collector) allUsers(q querier) ([]string, error) {
	rows, err := q.Query("SELECT DISTINCT user_id FROM interactions")
	if err != nil {
		return nil, c.explain(err)
	}
	defer rows.Close()
	users := []string{}
	for rows.Next() {
		var user string
		if err := rows.Scan(&user); err != nil {
			return nil, c.unreadable(err)
		}
		if !utf8.ValidString(user) {
			return nil, c.unreadable(fmt.Errorf("the user id %q is not UTF-8", user))
		}
		users = append(users, user)
	}
	sort.Strings(users) // UTF-8 has the order of code points, which a database in UTF-16 has not
	return users, c.explain(rows.Err())
}
