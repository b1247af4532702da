package states

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"sort"
	"strings"
	"sync"

	"example.com/agentpersistence"
	"example.com/agentpersistence/internal/ids"
	"example.com/agentpersistence/internal/jsontext"
)

// DefaultDirectory is the directory of a manager that is made without one.
const DefaultDirectory = "./state"

// apart begins the name of a new file whose usual name a file of another user has.
const apart = "%_"

// Manager saves and restores the states of users. It is safe for concurrent use. Processes that save the state of one user at
// the same time overwrite each other's state as a whole.
type Manager struct {
	mutex sync.Mutex
	files storage
	place string // in messages
}

// NewManager returns a manager of the states in a directory. An empty name is DefaultDirectory. The first save creates it.
func NewManager(directory string) *Manager {
	if directory == "" {
		directory = DefaultDirectory
	}
	return &Manager{files: folder(directory), place: directory}
}

// NewMemoryManager returns a manager that touches no file.
func NewMemoryManager() *Manager {
	return &Manager{files: memory{}, place: "memory"}
}

// SaveState replaces the state of a user. The state survives a loss of power when it returns.
func (m *Manager) SaveState(userID string, state State) error {
	if err := ids.Check("user_id", userID); err != nil {
		return err
	}
	if state.UserID != userID {
		return refused("state.user_id", "expected %q, found %q", userID, state.UserID)
	}
	text, err := jsontext.Marshal(state)
	if err != nil {
		return err
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, text, "", "  "); err != nil {
		return err
	}
	indented.WriteByte('\n')
	m.mutex.Lock()
	defer m.mutex.Unlock()
	names, err := m.files.names()
	if err != nil {
		return err
	}
	own, err := m.filesOf(userID, names)
	if err != nil {
		return err
	}
	if len(own) > 0 {
		return m.files.write(own[0], indented.Bytes())
	}
	stem := encode(userID)
	for _, name := range names {
		if strings.EqualFold(name, stem+".json") {
			stem = apart + stem
			break
		}
	}
	if strings.Contains(stem, hashed) {
		if err := m.files.write(stem+".id", []byte(userID)); err != nil {
			return err
		}
	}
	return m.files.write(stem+".json", indented.Bytes())
}

// LoadState returns the state of a user, or nil for a user without one. A file that is not a state is an
// *agentpersistence.CorruptDataError and is not changed.
func (m *Manager) LoadState(userID string) (*State, error) {
	if err := ids.Check("user_id", userID); err != nil {
		return nil, err
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	own, err := m.existingFilesOf(userID)
	if err != nil || len(own) == 0 {
		return nil, err
	}
	data, err := m.files.read(own[0])
	if err != nil {
		return nil, err
	}
	var state State
	text, err := jsontext.Document(data)
	if err == nil {
		err = state.UnmarshalJSON(text)
	}
	if err != nil {
		path := filepath.Join(m.place, own[0])
		return nil, &agentpersistence.CorruptDataError{Path: path, Reason: err.Error(), Err: err}
	}
	state.UserID = userID // the name of the file decides
	return &state, nil
}

// ListUsers returns the ids of the users with a saved state, sorted by code point.
func (m *Manager) ListUsers() ([]string, error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	names, err := m.files.names()
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	users := []string{}
	for _, name := range names {
		owner, err := m.owner(name)
		if err != nil {
			return nil, err
		}
		if owner != "" && !seen[owner] {
			seen[owner] = true
			users = append(users, owner)
		}
	}
	sort.Strings(users)
	return users, nil
}

// DeleteState deletes the state of a user and returns true, or false for a user without one.
func (m *Manager) DeleteState(userID string) (deleted bool, err error) {
	if err := ids.Check("user_id", userID); err != nil {
		return false, err
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	own, err := m.existingFilesOf(userID)
	if err != nil {
		return false, err
	}
	for _, name := range own {
		if err := m.files.remove(name); err != nil {
			return false, err
		}
		if stem := strings.TrimSuffix(name, ".json"); strings.Contains(stem, hashed) {
			if err := m.files.remove(stem + ".id"); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return false, err
			}
		}
	}
	return len(own) > 0, nil
}

func (m *Manager) existingFilesOf(userID string) ([]string, error) {
	names, err := m.files.names()
	if err != nil {
		return nil, err
	}
	return m.filesOf(userID, names)
}

// filesOf returns those of the files that hold the state of a user, the one that counts first. Older programs used the id
// itself as the name.
func (m *Manager) filesOf(userID string, names []string) (own []string, err error) {
	exists := map[string]bool{}
	for _, name := range names {
		exists[name] = true
	}
	stems := []string{encode(userID), apart + encode(userID)}
	if stems[0] != userID {
		stems = append(stems, userID)
	}
	for _, stem := range stems {
		if name := stem + ".json"; exists[name] {
			owner, err := m.owner(name)
			if err != nil {
				return nil, err
			}
			if owner == userID {
				own = append(own, name)
			}
		}
	}
	return own, nil
}

// owner returns the user whose state a file holds. The name of the file decides, unless it looks like an escape.
func (m *Manager) owner(name string) (string, error) {
	stem := strings.TrimSuffix(name, ".json")
	if !strings.Contains(stem, "%") {
		return stem, nil
	}
	data, err := m.files.read(name)
	if err != nil {
		return "", err
	}
	encoded := strings.TrimPrefix(stem, apart)
	if text, err := jsontext.Document(data); err == nil {
		values, _ := jsontext.Lookup(text)
		if id, ok := jsontext.String(values["user_id"]); ok && (id == stem || encode(id) == encoded) {
			return id, nil
		}
	}
	if strings.HasPrefix(encoded, hashed) {
		if id, err := m.files.read(stem + ".id"); err == nil && encode(string(id)) == encoded {
			return string(id), nil
		}
	}
	if id, ok := decode(encoded); ok {
		return id, nil
	}
	return stem, nil
}
