package agentpersistence_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"

	"example.com/agentpersistence/v15/persistence"
	"example.com/agentpersistence/v16/metricscollector"
	"example.com/agentpersistence/v16/patternlibrary"
	"example.com/agentpersistence/v16/patternpersistence"
)

// Saves a library into a database, and records interactions, on the 16+ line.
func Example() {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	database := filepath.Join(folder, "patterns.db")

	_, err = patternpersistence.PatternPersistence.LoadFromSQLite(database)
	fmt.Println("nothing saved yet:", errors.Is(err, fs.ErrNotExist))

	library := patternlibrary.New()
	err = library.Contribute(patternlibrary.Pattern{
		ID: "retry", AgentID: "agent-1", PatternType: "sequential", Name: "Retry once",
		Context: json.RawMessage(`{"seed": 12345678901234567890}`),
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := library.RecordUsage("retry", "agent-2", true); err != nil {
		log.Fatal(err)
	}
	if _, err := patternpersistence.PatternPersistence.SaveToSQLite(library, database, patternpersistence.Merge); err != nil {
		log.Fatal(err)
	}
	loaded, err := patternpersistence.PatternPersistence.LoadFromSQLite(database)
	if err != nil {
		log.Fatal(err)
	}
	pattern := loaded.Find("retry")
	fmt.Printf("%s %s %v %d\n", pattern.Name, pattern.Context, *pattern.Confidence, pattern.UsageCount)

	metrics, err := metricscollector.New(filepath.Join(folder, "metrics.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer metrics.Close()
	if _, err := metrics.RecordInteraction("alice", 3, true, 120.5); err != nil {
		log.Fatal(err)
	}
	if err := metrics.RecordMetric("alice", false, 79.5, json.RawMessage(`{"task": "search"}`)); err != nil {
		log.Fatal(err)
	}
	stats, err := metrics.UserStats("alice")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stats.SuccessRate, stats.AvgResponseTimeMS, stats.CurrentLevel)
	// Output:
	// nothing saved yet: true
	// Retry once {"seed":12345678901234567890} 0.5 1
	// 0.5 100 3
}

// Saves the collaboration state of a user, on the pre-16 line.
func Example_before16() {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)

	manager := persistence.NewStateManager(filepath.Join(folder, "state"))
	level := int64(3)
	if err := manager.SaveState("Alice", persistence.State{UserID: "Alice", TrustLevel: 0.7, CurrentLevel: &level}); err != nil {
		log.Fatal(err)
	}
	users, err := manager.ListUsers()
	if err != nil {
		log.Fatal(err)
	}
	state, err := manager.LoadState("Alice")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(users, state.TrustLevel, *state.CurrentLevel)
	// Output: [Alice] 0.7 3
}
