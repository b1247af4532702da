// Package sqlitefile opens SQLite databases with the settings that this module relies on.
package sqlitefile

import (
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/mattn/go-sqlite3"

	"example.com/agentpersistence"
)

// Mode tells what to do if the file does not exist.
type Mode string

const (
	Existing Mode = "rw"  // opening fails with fs.ErrNotExist
	Create   Mode = "rwc" // the first write creates the file
)

// The driver's own default, synchronous=NORMAL, can lose transactions that were committed before a loss of power. EXTRA also
// makes the end of a transaction durable in the directory. Transactions take the lock at once, so that none can fail between
// its first read and its first write.
const settings = "_busy_timeout=5000&_foreign_keys=on&_synchronous=EXTRA&_txlock=immediate"

// Open opens a database. An Existing file is not created, and reading does not change it.
func Open(path string, mode Mode) (*sql.DB, error) {
	if strings.ContainsRune(path, 0) {
		return nil, &agentpersistence.ValidationError{Path: path, Reason: "contains a NUL character"}
	}
	if mode == Existing {
		if _, err := os.Stat(path); err != nil {
			return nil, err
		}
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(absolute), RawQuery: settings + "&mode=" + string(mode)}
	return open(name.String())
}

// InMemory opens a new database that exists until it is closed.
func InMemory() (*sql.DB, error) {
	return open("file::memory:?" + settings)
}

// open opens one connection. More of them would only wait for each other, and each would have a memory of its own.
func open(name string) (*sql.DB, error) {
	db, err := sql.Open("sqlite3", name)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// Transact runs a function in a transaction, which is committed if the function returns nil.
func Transact(db *sql.DB, run func(*sql.Tx) error) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after a commit
	if err := run(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Explain turns an error of SQLite into the error of the operation on the file at path.
func Explain(path string, err error) error {
	var sqliteError sqlite3.Error
	if !errors.As(err, &sqliteError) {
		return err
	}
	switch sqliteError.Code {
	case sqlite3.ErrNotADB, sqlite3.ErrCorrupt, sqlite3.ErrError:
		return &agentpersistence.CorruptDataError{Path: path, Reason: err.Error(), Err: err}
	case sqlite3.ErrCantOpen:
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return err
		}
	}
	return &os.PathError{Op: "use database", Path: path, Err: err}
}
