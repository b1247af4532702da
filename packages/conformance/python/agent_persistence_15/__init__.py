"""The persistence layer before 16.0.0: everything is imported from ``persistence``."""

VERSION = "15.0.0"
