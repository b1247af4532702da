// Package agentpersistence has the errors that both lines of the persistence layer return.
//
// A missing file is reported by an error that wraps [io/fs.ErrNotExist], which is FileNotFoundError in the specification
// (section 7).
package agentpersistence

import "fmt"

// ValidationError reports arguments or data that an operation refuses. Nothing was written.
type ValidationError struct {
	Path    string // the file, empty if an argument is refused
	Subject string // the name of the argument, or the place in the file as a JSON Pointer
	Reason  string // the expected and the actual value
}

func (e *ValidationError) Error() string {
	return place(e.Path) + place(e.Subject) + e.Reason
}

// JSONDecodeError reports a file that is not valid JSON (section 7).
type JSONDecodeError struct {
	Path         string
	Line, Column int // both count from 1; a column is a byte
	Reason       string
}

func (e *JSONDecodeError) Error() string {
	return fmt.Sprintf("%sline %d, column %d: %s", place(e.Path), e.Line, e.Column, e.Reason)
}

// CorruptDataError reports a stored file that cannot be read as what it should be. The file was not changed.
type CorruptDataError struct {
	Path   string
	Reason string
	Err    error // the cause, or nil
}

func (e *CorruptDataError) Error() string {
	return place(e.Path) + e.Reason
}

func (e *CorruptDataError) Unwrap() error {
	return e.Err
}

// UnsupportedFormatError reports a file in a format of another version. The file was not changed.
type UnsupportedFormatError struct {
	Path      string
	Found     string
	Supported string
}

func (e *UnsupportedFormatError) Error() string {
	return fmt.Sprintf("%sfound %s, but only %s is supported", place(e.Path), e.Found, e.Supported)
}

func place(name string) string {
	if name == "" {
		return ""
	}
	return name + ": "
}
