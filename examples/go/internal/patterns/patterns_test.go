package patterns

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"example.com/agentpersistence"
)

func sample(id string) Pattern {
	description := "lone \xed\xa0\x80 surrogate"
	return Pattern{
		ID: id, AgentID: "agent-1", PatternType: "sequential", Name: "a <b> & c", Description: &description,
		Context: json.RawMessage(`{"n":12345678901234567890,"s":"\ud800"}`), Tags: []string{}, DiscoveredAt: "2026-01-02 03:04:05.6789",
	}
}

func TestFileKeepsWhatADatabaseCannotHold(t *testing.T) {
	folder := t.TempDir()
	library := &Library{} // the zero value is ready to use
	if err := library.Contribute(sample("p1")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "library.json")
	if err := (Persistence{}).SaveToJSON(library, path); err != nil {
		t.Fatal(err)
	}
	loaded, err := Persistence{}.LoadFromJSON(path)
	if err != nil {
		t.Fatal(err)
	}
	got, want := loaded.Patterns[0], library.Patterns[0]
	if *got.Description != *want.Description || got.DiscoveredAt != "2026-01-02T03:04:05.6789" || got.Tags == nil || *got.Confidence != 0.5 {
		t.Errorf("found %+v", got)
	}
	database := filepath.Join(folder, "library.db")
	var refused *agentpersistence.ValidationError
	if _, err := (Persistence{}).SaveToSQLite(library, database, Merge); !errors.As(err, &refused) || refused.Subject != "/patterns/0/description" {
		t.Errorf("expected an error about the description, found %v", err)
	}
	if _, err := os.Stat(database); err == nil {
		t.Error("the refused save created the database")
	}
}

func TestReplaceTakesTheOrderAndKeepsUsage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "library.db")
	save := func(library *Library, mode Mode) Removed {
		removed, err := Persistence{}.SaveToSQLite(library, path, mode)
		if err != nil {
			t.Fatal(err)
		}
		return removed
	}
	library := func(ids ...string) *Library {
		made := NewLibrary()
		for _, id := range ids {
			pattern := sample(id)
			pattern.Description = nil
			if err := made.Contribute(pattern); err != nil {
				t.Fatal(err)
			}
		}
		return made
	}
	first := library("a", "b", "c")
	for _, id := range []string{"a", "b", "b"} {
		if err := first.RecordUsage(id, "agent-2", true); err != nil {
			t.Fatal(err)
		}
	}
	save(first, Merge)
	if removed := save(library("c", "a"), Replace); removed != (Removed{Patterns: 1, UsageRows: 2}) {
		t.Errorf("removed %+v", removed)
	}
	loaded, err := Persistence{}.LoadFromSQLite(path)
	if err != nil {
		t.Fatal(err)
	}
	if ids := loaded.AgentContributions["agent-1"]; !reflect.DeepEqual(ids, []string{"c", "a"}) {
		t.Errorf("found %v", ids)
	}
}
