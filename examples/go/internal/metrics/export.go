package metrics

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/agentpersistence/internal/atomicfile"
	"example.com/agentpersistence/internal/jsontext"
)

// interaction is an exported row of interactions with its metadata.
type interaction struct {
	id           int64
	userID       string
	level        int
	success      bool
	responseTime *float64
	timestamp    *string
	metadata     *string // JSON text
}

// Export writes all interactions to a file and returns their number. The extension of the file selects the format: .json for
// one document with statistics, .jsonl for a line per interaction, .csv for a table with a header. The file is replaced
// atomically.
func (c *Collector) Export(path string) (count int, err error) {
	formats := map[string]func(*snapshot, io.Writer) (int, error){
		".json": writeJSON, ".jsonl": writeJSONLines, ".csv": writeCSV,
	}
	format, ok := formats[strings.ToLower(filepath.Ext(path))]
	if !ok {
		return 0, refused("filepath", "expected a name that ends in .json, .jsonl or .csv, found %q", path)
	}
	s, err := c.snapshot()
	if err != nil {
		return 0, c.explain(err)
	}
	defer s.close()
	err = atomicfile.Write(path, func(w io.Writer) (err error) {
		count, err = format(s, w)
		return c.explain(err)
	})
	return count, err
}

// snapshot reads one state of the database while others may write.
type snapshot struct {
	*Collector
	conn *sql.Conn
}

func (c *Collector) snapshot() (*snapshot, error) {
	conn, err := c.db.Conn(context.Background())
	if err != nil {
		return nil, err
	}
	if _, err := conn.ExecContext(context.Background(), "BEGIN DEFERRED"); err != nil {
		conn.Close()
		return nil, err
	}
	return &snapshot{c, conn}, nil
}

func (s *snapshot) close() {
	s.conn.ExecContext(context.Background(), "ROLLBACK")
	s.conn.Close()
}

func (s *snapshot) Query(query string, args ...any) (*sql.Rows, error) {
	return s.conn.QueryContext(context.Background(), query, args...)
}

func (s *snapshot) QueryRow(query string, args ...any) *sql.Row {
	return s.conn.QueryRowContext(context.Background(), query, args...)
}

// each calls a function with every interaction in the order of ids.
func (s *snapshot) each(visit func(interaction) error) (count int, err error) {
	join, metadata := "", "NULL"
	var tables int
	if err := s.QueryRow("SELECT count(*) FROM sqlite_master WHERE name = 'interaction_metadata'").Scan(&tables); err != nil {
		return 0, err
	}
	if tables > 0 {
		join, metadata = "LEFT JOIN interaction_metadata AS m ON m.interaction_id = i.id", "m.metadata"
	}
	rows, err := s.Query(fmt.Sprintf(`
		SELECT i.id, i.user_id, i.%s, i.success <> 0, i.response_time_ms, +i.timestamp, %s
		FROM interactions AS i %s ORDER BY i.id`, s.level, metadata, join))
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for ; rows.Next(); count++ {
		var i interaction
		if err := rows.Scan(&i.id, &i.userID, &i.level, &i.success, &i.responseTime, &i.timestamp, &i.metadata); err != nil {
			return count, s.unreadable(err)
		}
		if !utf8.ValidString(i.userID) {
			return count, s.unreadable(fmt.Errorf("the user id %q is not UTF-8", i.userID))
		}
		if err := visit(i); err != nil {
			return count, err
		}
	}
	return count, rows.Err()
}

// object returns a row as a JSON object. The key of the level has the name of its column.
func (s *snapshot) object(i interaction) (json.RawMessage, error) {
	var metadata json.RawMessage
	if i.metadata != nil {
		metadata = json.RawMessage(*i.metadata)
	}
	rest, err := jsontext.Marshal(struct {
		Success      bool            `json:"success"`
		ResponseTime *float64        `json:"response_time_ms"`
		Timestamp    *string         `json:"timestamp"`
		Metadata     json.RawMessage `json:"metadata"`
	}{i.success, i.responseTime, i.timestamp, metadata})
	if err != nil {
		return nil, err
	}
	head := fmt.Sprintf(`{"id":%d,"user_id":%s,"%s":%d,`, i.id, jsontext.Quote(i.userID), s.level, i.level)
	return append(json.RawMessage(head), rest[1:]...), nil
}

func writeJSONLines(s *snapshot, w io.Writer) (int, error) {
	return s.each(func(i interaction) error {
		object, err := s.object(i)
		if err == nil {
			_, err = fmt.Fprintf(w, "%s\n", object)
		}
		return err
	})
}

func writeJSON(s *snapshot, w io.Writer) (int, error) {
	global, err := s.globalStats(s)
	if err != nil {
		return 0, err
	}
	users, err := s.allUsers(s)
	if err != nil {
		return 0, err
	}
	stats := make(map[string]UserStats, len(users))
	for _, user := range users {
		if stats[user], err = s.userStats(s, user); err != nil {
			return 0, err
		}
	}
	head, err := jsontext.Marshal(struct {
		Metadata map[string]string    `json:"metadata"`
		Global   GlobalStats          `json:"global"`
		Users    map[string]UserStats `json:"users"`
	}{map[string]string{"exported_at": time.Now().UTC().Format("2006-01-02T15:04:05"), "level_column": s.level}, global, stats})
	if err != nil {
		return 0, err
	}
	if _, err := fmt.Fprintf(w, "%s,\"interactions\":[", strings.TrimSuffix(string(head), "}")); err != nil {
		return 0, err
	}
	separator := "\n"
	count, err := s.each(func(i interaction) error {
		object, err := s.object(i)
		if err == nil {
			_, err = fmt.Fprintf(w, "%s%s", separator, object)
		}
		separator = ",\n"
		return err
	})
	if err != nil {
		return 0, err
	}
	_, err = fmt.Fprint(w, "\n]}\n")
	return count, err
}

// writeCSV writes lines as RFC 4180 describes them. The writer of encoding/csv would change line ends inside texts.
func writeCSV(s *snapshot, w io.Writer) (int, error) {
	line := func(fields ...string) error {
		for i, field := range fields {
			if strings.ContainsAny(field, "\",\r\n") {
				fields[i] = `"` + strings.ReplaceAll(field, `"`, `""`) + `"`
			}
		}
		_, err := fmt.Fprint(w, strings.Join(fields, ","), "\r\n")
		return err
	}
	if err := line("id", "user_id", s.level, "success", "response_time_ms", "timestamp", "metadata"); err != nil {
		return 0, err
	}
	return s.each(func(i interaction) error {
		return line(strconv.FormatInt(i.id, 10), i.userID, strconv.Itoa(i.level), strconv.FormatBool(i.success),
			number(i.responseTime), text(i.timestamp), text(i.metadata))
	})
}

func number(value *float64) string {
	if value == nil {
		return ""
	}
	return strconv.FormatFloat(*value, 'g', -1, 64)
}

func text(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}
