"""Code that both lines of the persistence layer share. Private: import from the package of a line instead."""
