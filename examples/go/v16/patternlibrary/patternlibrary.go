// Package patternlibrary has the pattern libraries of the 16+ line (sections 2.1 and 2.4 of the specification).
package patternlibrary

import "example.com/agentpersistence/internal/patterns"

type (
	// PatternLibrary is a collection of patterns.
	PatternLibrary = patterns.Library
	// Pattern is a pattern record (section 2.1).
	Pattern = patterns.Pattern
)

// New returns an empty library.
func New() *PatternLibrary { return patterns.NewLibrary() }
