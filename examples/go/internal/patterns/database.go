package patterns

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"example.com/agentpersistence"
	"example.com/agentpersistence/internal/jsontext"
	"example.com/agentpersistence/internal/sqlitefile"
)

// schema has the tables of sections 2.1 and 2.2 and the indexes of section 2.3.
const schema = `
CREATE TABLE IF NOT EXISTS patterns (
	id TEXT PRIMARY KEY NOT NULL,
	agent_id TEXT NOT NULL,
	pattern_type TEXT NOT NULL,
	name TEXT NOT NULL,
	description TEXT,
	context TEXT,
	code TEXT,
	confidence REAL DEFAULT 0.5,
	usage_count INTEGER DEFAULT 0,
	success_count INTEGER DEFAULT 0,
	failure_count INTEGER DEFAULT 0,
	tags TEXT,
	discovered_at TIMESTAMP,
	last_used TIMESTAMP,
	updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE IF NOT EXISTS pattern_usage (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	pattern_id TEXT NOT NULL REFERENCES patterns(id),
	agent_id TEXT NOT NULL,
	success BOOLEAN NOT NULL,
	used_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX IF NOT EXISTS idx_patterns_agent ON patterns(agent_id);
CREATE INDEX IF NOT EXISTS idx_patterns_type ON patterns(pattern_type);
CREATE INDEX IF NOT EXISTS idx_patterns_confidence ON patterns(confidence);`

// An upsert keeps columns that other programs added to the table, and the usage rows that refer to the pattern.
const upsert = `
INSERT INTO patterns (id, agent_id, pattern_type, name, description, context, code, confidence,
	usage_count, success_count, failure_count, tags, discovered_at, last_used, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, CURRENT_TIMESTAMP)
ON CONFLICT (id) DO UPDATE SET
	agent_id = excluded.agent_id, pattern_type = excluded.pattern_type, name = excluded.name,
	description = excluded.description, context = excluded.context, code = excluded.code,
	confidence = excluded.confidence, usage_count = excluded.usage_count,
	success_count = excluded.success_count, failure_count = excluded.failure_count, tags = excluded.tags,
	discovered_at = excluded.discovered_at, last_used = excluded.last_used, updated_at = excluded.updated_at`

// The unary plus hides the declared types of columns: for TIMESTAMP the driver would return a time.Time, which loses the
// text as it was written.
const selectAll = `
SELECT +id, +agent_id, +pattern_type, +name, +description, +context, +code, +confidence,
	+usage_count, +success_count, +failure_count, +tags, +discovered_at, +last_used
FROM patterns ORDER BY rowid`

// Mode tells what a save does with patterns that the database has and the library does not.
type Mode string

const (
	Merge   Mode = "merge"   // they stay; the default
	Replace Mode = "replace" // they are removed with their usage rows: the table becomes equal to the library
)

// Removed tells what a save with Replace removed from a database.
type Removed struct {
	Patterns, UsageRows int64
}

// SaveToSQLite writes the library into a database in one transaction, and creates its tables if necessary. An empty mode is
// Merge, for several agents may share a database. Recorded uses become rows of pattern_usage. The folder must exist.
func (Persistence) SaveToSQLite(library *Library, path string, mode Mode) (removed Removed, err error) {
	if mode != "" && mode != Merge && mode != Replace {
		return removed, refused("mode", "expected merge or replace, found %q", mode)
	}
	if err := checkStorable(library); err != nil {
		return removed, in(path, err)
	}
	db, err := sqlitefile.Open(path, sqlitefile.Create)
	if err != nil {
		return removed, err
	}
	defer db.Close()
	removed, err = save(db, library, mode == Replace)
	return removed, sqlitefile.Explain(path, err)
}

// LoadFromSQLite loads the patterns of a database in the order of its rows. Contributions are derived from their owners. A
// missing file is an error that wraps fs.ErrNotExist and is not created. A file without such a table, and a row that is not
// a pattern, are an *agentpersistence.CorruptDataError.
func (Persistence) LoadFromSQLite(path string) (*Library, error) {
	db, err := sqlitefile.Open(path, sqlitefile.Existing)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	library, err := load(db, path)
	return library, sqlitefile.Explain(path, err)
}

// checkStorable refuses a library that the tables cannot hold. A lone surrogate is escaped in context and tags, which are JSON.
func checkStorable(library *Library) error {
	if err := library.validate(); err != nil {
		return err
	}
	for i := range library.Patterns {
		for _, field := range library.Patterns[i].texts() {
			if !strings.HasPrefix(field.name, "tags/") && !utf8.ValidString(field.text) {
				return refused(fmt.Sprintf("patterns/%d/%s", i, field.name), "SQLite cannot hold a lone surrogate")
			}
		}
	}
	return nil
}

func save(db *sql.DB, library *Library, replace bool) (removed Removed, err error) {
	var waiting []use
	err = sqlitefile.Transact(db, func(tx *sql.Tx) error {
		if _, err := tx.Exec(schema); err != nil {
			return err
		}
		if replace {
			if removed, err = removeOthers(tx, library); err != nil {
				return err
			}
		}
		if err := insertPatterns(tx, library, replace); err != nil {
			return err
		}
		waiting, err = insertUses(tx, library.uses)
		return err
	})
	if err != nil {
		return Removed{}, err
	}
	library.uses = waiting
	if replace {
		library.uses = nil
	}
	return removed, nil
}

// insertPatterns writes all patterns. If the table replaces another one, the rows are in the order of the library.
func insertPatterns(tx *sql.Tx, library *Library, reorder bool) error {
	insert, err := tx.Prepare(upsert)
	if err != nil {
		return err
	}
	defer insert.Close()
	for i := range library.Patterns {
		p := &library.Patterns[i]
		if _, err := insert.Exec(p.ID, p.AgentID, p.PatternType, p.Name, p.Description, textOrNull(p.Context), p.Code,
			p.confidence(), p.UsageCount, p.SuccessCount, p.FailureCount, tagsText(p.Tags),
			timeOrNull(p.DiscoveredAt), timeOrNull(p.LastUsed)); err != nil {
			return err
		}
		if reorder {
			if _, err := tx.Exec("UPDATE patterns SET rowid = (SELECT max(rowid) + 1 FROM patterns) WHERE id = ?", p.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

func removeOthers(tx *sql.Tx, library *Library) (removed Removed, err error) {
	if _, err := tx.Exec("CREATE TEMP TABLE kept (id TEXT PRIMARY KEY)"); err != nil {
		return removed, err
	}
	for i := range library.Patterns {
		if _, err := tx.Exec("INSERT INTO temp.kept VALUES (?)", library.Patterns[i].ID); err != nil {
			return removed, err
		}
	}
	for _, step := range []struct {
		statement string
		count     *int64
	}{
		{"DELETE FROM pattern_usage WHERE pattern_id IN (SELECT id FROM patterns EXCEPT SELECT id FROM temp.kept)", &removed.UsageRows},
		{"DELETE FROM patterns WHERE id NOT IN (SELECT id FROM temp.kept)", &removed.Patterns},
	} {
		result, err := tx.Exec(step.statement)
		if err != nil {
			return removed, err
		}
		if *step.count, err = result.RowsAffected(); err != nil {
			return removed, err
		}
	}
	_, err = tx.Exec("DROP TABLE temp.kept")
	return removed, err
}

// insertUses writes recorded uses and returns those of patterns that the database does not have.
func insertUses(tx *sql.Tx, uses []use) (waiting []use, err error) {
	for _, u := range uses {
		result, err := tx.Exec(`INSERT INTO pattern_usage (pattern_id, agent_id, success, used_at)
			SELECT id, ?, ?, ? FROM patterns WHERE id = ?`, u.agentID, u.success, strings.Replace(u.at, "T", " ", 1), u.patternID)
		if err != nil {
			return nil, err
		}
		if written, err := result.RowsAffected(); err != nil {
			return nil, err
		} else if written == 0 {
			waiting = append(waiting, u)
		}
	}
	return waiting, nil
}

func load(db *sql.DB, path string) (*Library, error) {
	rows, err := db.Query(selectAll)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	library := NewLibrary()
	for rows.Next() {
		var values [14]any
		var targets [14]any
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets[:]...); err != nil {
			return nil, err
		}
		pattern, err := patternOfRow(values)
		if err != nil {
			reason := fmt.Sprintf("row %d of patterns (id %v): %v", len(library.Patterns)+1, values[0], err)
			return nil, &agentpersistence.CorruptDataError{Path: path, Reason: reason, Err: err}
		}
		library.Patterns = append(library.Patterns, pattern)
	}
	library.deriveContributions()
	return library, rows.Err()
}

// patternOfRow makes a pattern object of a row, so that rows and objects are checked by the same rules.
func patternOfRow(values [14]any) (pattern Pattern, err error) {
	object := map[string]json.RawMessage{}
	for i, name := range [...]string{"id", "agent_id", "pattern_type", "name", "description", "context", "code", "confidence",
		"usage_count", "success_count", "failure_count", "tags", "discovered_at", "last_used"} {
		switch value := values[i].(type) {
		case string:
			if !utf8.ValidString(value) {
				return pattern, refused(name, "%q is not UTF-8", value)
			}
			if name != "context" && name != "tags" {
				object[name] = jsontext.Quote(value)
			} else if object[name], err = jsontext.Document([]byte(value)); err != nil {
				return pattern, refused(name, "%v", err)
			}
		case []byte:
			return pattern, refused(name, "expected text or a number, found a blob")
		default: // nil, int64 or float64
			if object[name], err = json.Marshal(value); err != nil {
				return pattern, refused(name, "%v", err)
			}
		}
	}
	err = pattern.fromFields(object)
	return pattern, err
}

func textOrNull(text json.RawMessage) any {
	if text == nil {
		return nil
	}
	compact, _ := jsontext.Marshal(text) // cannot fail: the pattern was validated
	return string(compact)
}

func timeOrNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func tagsText(tags []string) any {
	if tags == nil {
		return nil
	}
	text, _ := json.Marshal(quoteAll(tags)) // cannot fail: each element is valid JSON
	return string(text)
}
