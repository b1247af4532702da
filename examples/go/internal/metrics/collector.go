// Package metrics records interactions in an SQLite database and computes statistics (sections 2.5 to 2.7 and 4.2 of the
// specification). The lines differ in the name of one column, and in the parameters of RecordMetric.
package metrics

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"example.com/agentpersistence"
	"example.com/agentpersistence/internal/ids"
	"example.com/agentpersistence/internal/jsontext"
	"example.com/agentpersistence/internal/sqlitefile"
)

// DefaultPath is the database of a collector that is opened without a path.
const DefaultPath = "./metrics.db"

// The name of the level column, which differs between the lines (section 9).
const (
	EmpathyLevel = "empathy_level" // before 16.0.0
	Level        = "level"         // from 16.0.0
)

// schema has the table of section 2.5 and its indexes. %s is the name of the level column.
const schema = `
CREATE TABLE IF NOT EXISTS interactions (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id TEXT NOT NULL,
	%s INTEGER NOT NULL,
	success BOOLEAN NOT NULL,
	response_time_ms REAL,
	timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX IF NOT EXISTS idx_interactions_user ON interactions(user_id);
CREATE INDEX IF NOT EXISTS idx_interactions_timestamp ON interactions(timestamp);`

// metadataSchema is the table for metadata, which interactions has no column for.
const metadataSchema = `
CREATE TABLE IF NOT EXISTS interaction_metadata (
	interaction_id INTEGER PRIMARY KEY REFERENCES interactions(id) ON DELETE CASCADE,
	metadata TEXT NOT NULL
)`

// Collector records interactions. It is safe for concurrent use, and other processes may use the same database.
type Collector struct {
	db    *sql.DB
	path  string
	level string // the name of the level column
}

// Open opens a metrics database, or creates it. An empty path is DefaultPath. A file that is not a database and a database
// of the other line are refused and not changed.
func Open(path, levelColumn string) (*Collector, error) {
	if path == "" {
		path = DefaultPath
	}
	db, err := sqlitefile.Open(path, sqlitefile.Create)
	if err != nil {
		return nil, err
	}
	return prepare(db, path, levelColumn)
}

// OpenInMemory returns a collector that touches no file.
func OpenInMemory(levelColumn string) (*Collector, error) {
	db, err := sqlitefile.InMemory()
	if err != nil {
		return nil, err
	}
	return prepare(db, "memory", levelColumn)
}

func prepare(db *sql.DB, path, levelColumn string) (*Collector, error) {
	c := &Collector{db, path, levelColumn}
	columns, err := c.columns()
	if err == nil && len(columns) == 0 {
		err = sqlitefile.Transact(db, func(tx *sql.Tx) error {
			_, err := tx.Exec(fmt.Sprintf(schema, levelColumn))
			return err
		})
		if err == nil {
			columns, err = c.columns()
		}
	}
	if err == nil {
		err = c.checkColumns(columns)
	}
	if err != nil {
		db.Close()
		return nil, c.explain(err)
	}
	return c, nil
}

func (c *Collector) columns() (names []string, err error) {
	rows, err := c.db.Query("SELECT name FROM pragma_table_info('interactions')")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

func (c *Collector) checkColumns(found []string) error {
	has := map[string]bool{}
	for _, name := range found {
		has[strings.ToLower(name)] = true // as in SQL
	}
	for _, name := range []string{"id", "user_id", c.level, "success", "response_time_ms", "timestamp"} {
		if !has[name] {
			return &agentpersistence.UnsupportedFormatError{
				Path:      c.path,
				Found:     "a table interactions with the columns " + strings.Join(found, ", "),
				Supported: "one with the column " + name,
			}
		}
	}
	return nil
}

// Close closes the database. Everything that was recorded is already in it.
func (c *Collector) Close() error {
	return c.db.Close()
}

// RecordInteraction records an interaction of a user at a level from 1 to 5. It returns the id of the new row, which survives
// a loss of power from then on. The response time is in milliseconds.
func (c *Collector) RecordInteraction(userID string, level int, success bool, responseTimeMS float64) (id int64, err error) {
	return RecordAt(c, level, userID, success, responseTimeMS, nil)
}

// RecordAt records an interaction with its metadata at a level from 1 to 5, in one transaction.
func RecordAt(c *Collector, level int, userID string, success bool, responseTimeMS float64, metadata json.RawMessage) (int64, error) {
	if err := CheckLevel(c.level, level); err != nil {
		return 0, err
	}
	return c.record(func(*sql.Tx) (int, error) { return level, nil }, userID, success, responseTimeMS, metadata)
}

// RecordAtCurrentLevel records an interaction at the level of the user's newest interaction, or at 1 for a new user.
func RecordAtCurrentLevel(c *Collector, userID string, success bool, responseTimeMS float64, metadata json.RawMessage) (int64, error) {
	current := func(tx *sql.Tx) (int, error) { return c.currentLevel(tx, userID) }
	return c.record(current, userID, success, responseTimeMS, metadata)
}

func (c *Collector) record(levelOf func(*sql.Tx) (int, error), userID string, success bool, responseTimeMS float64,
	metadata json.RawMessage) (id int64, err error) {
	if err := ids.Check("user_id", userID); err != nil {
		return 0, err
	}
	if responseTimeMS < 0 || math.IsNaN(responseTimeMS) || math.IsInf(responseTimeMS, 0) {
		return 0, refused("response_time_ms", "expected a number of milliseconds of at least 0, found %v", responseTimeMS)
	}
	text, err := metadataText(metadata)
	if err != nil {
		return 0, err
	}
	err = sqlitefile.Transact(c.db, func(tx *sql.Tx) error {
		level, err := levelOf(tx)
		if err != nil {
			return err
		}
		insert := fmt.Sprintf("INSERT INTO interactions (user_id, %s, success, response_time_ms) VALUES (?, ?, ?, ?)", c.level)
		result, err := tx.Exec(insert, userID, level, success, responseTimeMS)
		if err != nil {
			return err
		}
		if id, err = result.LastInsertId(); err != nil || text == "" {
			return err
		}
		if _, err := tx.Exec(metadataSchema); err != nil {
			return err
		}
		_, err = tx.Exec("INSERT INTO interaction_metadata (interaction_id, metadata) VALUES (?, ?)", id, text)
		return err
	})
	return id, c.explain(err)
}

func (c *Collector) currentLevel(tx *sql.Tx, userID string) (level int, err error) {
	query := fmt.Sprintf("SELECT %s FROM interactions WHERE user_id = ? ORDER BY id DESC LIMIT 1", c.level)
	if err := tx.QueryRow(query, userID).Scan(&level); err == sql.ErrNoRows {
		return 1, nil
	} else if err != nil {
		return 0, c.unreadable(err)
	}
	return level, CheckLevel(c.level, level)
}

// metadataText returns metadata as JSON text, which is empty without metadata.
func metadataText(metadata json.RawMessage) (string, error) {
	if jsontext.IsNull(metadata) {
		return "", nil
	}
	text, err := jsontext.Document(metadata)
	if err != nil {
		return "", refused("metadata", "%v", err)
	}
	if !jsontext.IsObject(text) {
		return "", refused("metadata", "expected an object, found %s", text)
	}
	text, err = jsontext.Marshal(text)
	return string(text), err
}

// CheckLevel refuses a level outside 1 to 5 (section 8).
func CheckLevel(name string, level int) error {
	if level < 1 || level > 5 {
		return refused(name, "expected an integer from 1 to 5, found %d", level)
	}
	return nil
}

func (c *Collector) explain(err error) error {
	return sqlitefile.Explain(c.path, err)
}

// unreadable explains the error of a row whose values are not those of an interaction: another program wrote it.
func (c *Collector) unreadable(err error) error {
	if explained := c.explain(err); err == nil || explained != err {
		return explained
	}
	return &agentpersistence.CorruptDataError{Path: c.path, Reason: err.Error(), Err: err}
}

func refused(argument, format string, values ...any) error {
	return &agentpersistence.ValidationError{Subject: argument, Reason: fmt.Sprintf(format, values...)}
}
