package states

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var hostile = []string{
	"alice", "Alice", "ALICE", "a b", " a", "a ", ".", "..", ".a", "a.", "a.b", "../up", "/etc/passwd", `c:\x`, "con", "CON", "con.txt",
	"lpt1", "%", "%41lice", "%61lice", "%_alice", "%~", "é", "e\u0301", "日本", "\u2028", "a\nb", strings.Repeat("x", 201), strings.Repeat("X", 300),
}

func TestEveryIDHasItsOwnFile(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "deep", "state")
	manager := NewManager(folder)
	for _, id := range hostile {
		if err := manager.SaveState(id, State{UserID: id, TrustLevel: 0.5}); err != nil {
			t.Fatalf("%q: %v", id, err)
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, entry := range entries {
		folded := strings.ToLower(entry.Name())
		if seen[folded] {
			t.Errorf("two files are named %s on a file system that ignores case", folded)
		}
		seen[folded] = true
	}
	users, err := manager.ListUsers()
	if err != nil || len(users) != len(hostile) {
		t.Errorf("listed %d users of %d: %q, %v", len(users), len(hostile), users, err)
	}
	for _, id := range hostile {
		if state, err := manager.LoadState(id); err != nil || state == nil || state.UserID != id {
			t.Errorf("%q: loaded %v, %v", id, state, err)
		}
		if deleted, err := manager.DeleteState(id); err != nil || !deleted {
			t.Errorf("%q: deleted %v, %v", id, deleted, err)
		}
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 0 {
		t.Errorf("left over: %v, %v", entries, err)
	}
}

func TestFilesOfOlderPrograms(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("Alice.json", `{"user_id": "Alice", "trust_level": 0.1}`)
	write("a%20b.json", `{"user_id": "a%20b", "trust_level": 0.2}`)
	manager := NewManager(folder)
	for _, id := range []string{"alice", "a b"} {
		if err := manager.SaveState(id, State{UserID: id, TrustLevel: 0.9}); err != nil {
			t.Fatal(err)
		}
	}
	if err := manager.SaveState("Alice", State{UserID: "Alice", TrustLevel: 0.3}); err != nil {
		t.Fatal(err)
	}
	trust := map[string]float64{}
	for _, id := range []string{"Alice", "alice", "a%20b", "a b"} {
		state, err := manager.LoadState(id)
		if err != nil || state == nil {
			t.Fatalf("%q: %v, %v", id, state, err)
		}
		trust[id] = state.TrustLevel
	}
	want := map[string]float64{"Alice": 0.3, "alice": 0.9, "a%20b": 0.2, "a b": 0.9}
	if !reflect.DeepEqual(trust, want) {
		t.Errorf("expected %v, found %v", want, trust)
	}
	if _, err := os.Stat(filepath.Join(folder, "%41lice.json")); err == nil {
		t.Error("the state of Alice moved to another file")
	}
}
