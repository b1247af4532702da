package patterns

import (
	"database/sql"
	"fmt"
	"io/fs"

	"example.com/agentpersistence/internal/sqlitefile"
)

// Store saves and loads the library of an opened configuration (section 4.5): in a database file, or in memory.
type Store struct {
	path   string
	memory *sql.DB // nil if the library is in a file
	saved  bool    // something was saved in memory
}

// NewStore returns a store in the database file at path. No file is touched until something is saved.
func NewStore(path string) *Store {
	return &Store{path: path}
}

// NewMemoryStore returns a store that touches no file.
func NewMemoryStore() (*Store, error) {
	db, err := sqlitefile.InMemory()
	return &Store{memory: db}, err
}

// Save merges the library into the stored one.
func (s *Store) Save(library *Library) error {
	if s.memory == nil {
		_, err := Persistence{}.SaveToSQLite(library, s.path, Merge)
		return err
	}
	if err := checkStorable(library); err != nil {
		return err
	}
	_, err := save(s.memory, library, false)
	s.saved = s.saved || err == nil
	return err
}

// Load returns the stored library. If none was saved, the error wraps fs.ErrNotExist.
func (s *Store) Load() (*Library, error) {
	if s.memory == nil {
		return Persistence{}.LoadFromSQLite(s.path)
	}
	if !s.saved {
		return nil, fmt.Errorf("no library was saved: %w", fs.ErrNotExist)
	}
	return load(s.memory, "memory")
}

// Close frees the memory of a store.
func (s *Store) Close() error {
	if s.memory == nil {
		return nil
	}
	return s.memory.Close()
}
