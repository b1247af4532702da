package states

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"example.com/agentpersistence/internal/atomicfile"
)

// storage holds files by name. A missing file is fs.ErrNotExist.
type storage interface {
	names() ([]string, error) // of the files that end in .json
	read(name string) ([]byte, error)
	write(name string, data []byte) error
	remove(name string) error
}

// folder is a directory, which need not exist yet.
type folder string

func (f folder) names() ([]string, error) {
	entries, err := os.ReadDir(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, entry := range entries {
		if !entry.IsDir() && strings.HasSuffix(entry.Name(), ".json") {
			names = append(names, entry.Name())
		}
	}
	return names, err
}

func (f folder) read(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(string(f), name))
}

func (f folder) write(name string, data []byte) error {
	if err := atomicfile.MakeDirectory(filepath.Clean(string(f))); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(string(f), name), func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

func (f folder) remove(name string) error {
	return atomicfile.Remove(filepath.Join(string(f), name))
}

// memory is a map of the contents of files.
type memory map[string][]byte

func (m memory) names() (names []string, err error) {
	for name := range m {
		if strings.HasSuffix(name, ".json") {
			names = append(names, name)
		}
	}
	return names, nil
}

func (m memory) read(name string) ([]byte, error) {
	data, found := m[name]
	if !found {
		return nil, fs.ErrNotExist
	}
	return data, nil
}

func (m memory) write(name string, data []byte) error {
	m[name] = data
	return nil
}

func (m memory) remove(name string) error {
	delete(m, name)
	return nil
}
