// Package atomicfile replaces files atomically and durably.
package atomicfile

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/agentpersistence"
)

// Write replaces the file at path, or creates it, with what write writes. When it returns nil, the content survives a loss
// of power. When it returns an error, the former content is complete. A symbolic link stays one, and the permissions of a
// file stay the same. An SQLite database is refused, because it may be open.
func Write(path string, write func(io.Writer) error) (err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if isDatabase(path) {
		return &agentpersistence.ValidationError{Path: path, Reason: "is an SQLite database and was not replaced"}
	}
	temporary, err := create(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			temporary.Close()
			os.Remove(temporary.Name())
		}
	}()
	if info, err := os.Stat(path); err == nil {
		if err := temporary.Chmod(info.Mode().Perm()); err != nil {
			return err
		}
	}
	buffer := bufio.NewWriter(temporary)
	if err := write(buffer); err != nil {
		return err
	}
	if err := buffer.Flush(); err != nil {
		return err
	}
	if err := temporary.Sync(); err != nil {
		return err
	}
	if err := temporary.Close(); err != nil {
		return err
	}
	if err := os.Rename(temporary.Name(), path); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(path))
}

// Remove removes a file durably.
func Remove(path string) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(path))
}

// MakeDirectory creates a directory durably, with its parents, unless it exists.
func MakeDirectory(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(path)
	if parent != path {
		if err := MakeDirectory(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(path, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDirectory(parent)
}

// syncDirectory makes new, renamed and removed names in a directory durable.
func syncDirectory(path string) error {
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	defer directory.Close()
	return directory.Sync()
}

// create makes an empty file in the folder of path. Unlike [os.CreateTemp], it gives it the permissions of an ordinary file.
func create(path string) (*os.File, error) {
	for {
		random := make([]byte, 8)
		if _, err := rand.Read(random); err != nil {
			return nil, err
		}
		name := filepath.Join(filepath.Dir(path), ".tmp-"+hex.EncodeToString(random))
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
}

func isDatabase(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	header := make([]byte, 16)
	_, err = io.ReadFull(file, header)
	return err == nil && bytes.Equal(header, []byte("SQLite format 3\x00"))
}
