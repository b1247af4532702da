// Package ids checks the ids of users, agents and patterns.
package ids

import (
	"strings"
	"unicode/utf8"

	"example.com/agentpersistence"
)

// Check refuses an id that some backend could not hold. The name is that of the argument or of the field.
func Check(name, id string) error {
	switch {
	case id == "":
		return &agentpersistence.ValidationError{Subject: name, Reason: "expected a text that is not empty"}
	case strings.ContainsRune(id, 0), !utf8.ValidString(id):
		return &agentpersistence.ValidationError{Subject: name, Reason: "contains a NUL, a lone surrogate or bytes that are not UTF-8"}
	}
	return nil
}
