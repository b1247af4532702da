// Package patternpersistence saves and loads pattern libraries, in the 16+ line (section 4.1 of the specification).
package patternpersistence

import "example.com/agentpersistence/internal/patterns"

// PatternPersistence saves and loads libraries. All its operations are static:
//
//	err := patternpersistence.PatternPersistence.SaveToJSON(library, "patterns.json")
var PatternPersistence patterns.Persistence

// What SaveToSQLite does with patterns that the database has and the library does not.
const (
	Merge   = patterns.Merge   // they stay
	Replace = patterns.Replace // they are removed with their usage rows
)
