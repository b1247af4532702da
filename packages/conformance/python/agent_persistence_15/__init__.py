"""The pre-16 persistence layer: everything is imported from ``persistence``."""

VERSION = "15.0.0"
