"""What both lines of the persistence layer share. Private: import from a line's own package."""
