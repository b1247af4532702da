package metrics

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"example.com/agentpersistence"
)

func TestConcurrentRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "metrics.db")
	const collectors, records = 4, 25
	var group sync.WaitGroup
	for i := 0; i < collectors; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			c, err := Open(path, Level)
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			for j := 0; j < records; j++ {
				if _, err := RecordAtCurrentLevel(c, "alice", true, 1, json.RawMessage(`{"n":1e400}`)); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	group.Wait()
	c, err := Open(path, Level)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if stats, err := c.UserStats("alice"); err != nil || stats.TotalOperations != collectors*records {
		t.Errorf("expected %d interactions, found %+v, %v", collectors*records, stats, err)
	}
	var metadata int
	if err := c.db.QueryRow("SELECT count(*) FROM interaction_metadata").Scan(&metadata); err != nil || metadata != collectors*records {
		t.Errorf("expected %d rows of metadata, found %d, %v", collectors*records, metadata, err)
	}
}

// A record call that returned must survive a loss of power, so the driver's default must not be in force.
func TestDurability(t *testing.T) {
	c, err := Open(filepath.Join(t.TempDir(), "metrics.db"), Level)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const extra = 3
	var synchronous, foreignKeys int
	if err := c.db.QueryRow("PRAGMA synchronous").Scan(&synchronous); err != nil || synchronous != extra {
		t.Errorf("synchronous is %d, %v", synchronous, err)
	}
	if err := c.db.QueryRow("PRAGMA foreign_keys").Scan(&foreignKeys); err != nil || foreignKeys != 1 {
		t.Errorf("foreign_keys is %d, %v", foreignKeys, err)
	}
}

func TestRefusedArguments(t *testing.T) {
	c, err := OpenInMemory(EmpathyLevel)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, level := range []int{-1, 0, 6} {
		if _, err := RecordAt(c, level, "alice", true, 1, nil); err == nil {
			t.Errorf("level %d was accepted", level)
		}
	}
	for _, ms := range []float64{-0.1, math.NaN(), math.Inf(1)} {
		if _, err := c.RecordInteraction("alice", 1, true, ms); err == nil {
			t.Errorf("a response time of %v was accepted", ms)
		}
	}
	for _, metadata := range []string{"[]", "1", "{", `{"a": NaN}`} {
		if _, err := RecordAt(c, 1, "alice", true, 1, json.RawMessage(metadata)); err == nil {
			t.Errorf("metadata %s was accepted", metadata)
		}
	}
	if stats, err := c.GlobalStats(); err != nil || stats != (GlobalStats{}) {
		t.Errorf("something was written: %+v, %v", stats, err)
	}
}

// Other programs wrote these rows. None of them may look like another user or another level.
func TestUnreadableRows(t *testing.T) {
	c, err := OpenInMemory(Level)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = c.db.Exec(`INSERT INTO interactions (user_id, level, success) VALUES
		(CAST(x'61ff' AS TEXT), 1, 1), ('bob', 2.5, 1), ('eve', 9, 1)`)
	if err != nil {
		t.Fatal(err)
	}
	var corrupt *agentpersistence.CorruptDataError
	if _, err := c.AllUsers(); !errors.As(err, &corrupt) {
		t.Errorf("users: %v", err)
	}
	if _, err := c.UserStats("bob"); !errors.As(err, &corrupt) {
		t.Errorf("statistics: %v", err)
	}
	if _, err := c.UserTrend("bob", TrendOptions{}); !errors.As(err, &corrupt) {
		t.Errorf("trend: %v", err)
	}
	path := filepath.Join(t.TempDir(), "export.csv")
	if _, err := c.Export(path); !errors.As(err, &corrupt) {
		t.Errorf("export: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the refused export left a file")
	}
	if _, err := RecordAtCurrentLevel(c, "eve", true, 1, nil); err == nil {
		t.Error("level 9 was recorded again")
	}
}
