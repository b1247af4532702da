"""The errors of this package. Python's own FileNotFoundError and json.JSONDecodeError are used where they fit."""

from __future__ import annotations


class PersistenceError(Exception):
    """Base class of the errors that this package defines."""


class ValidationError(PersistenceError, ValueError):
    """An argument or a document is invalid; the message names the field. Nothing was written."""

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(f"{where}: {problem}")
        self.where = where
        self.problem = problem

    def inside(self, place: str) -> ValidationError:
        """Returns the same error with an outer place before the field, such as a file and the position of a pattern."""
        return ValidationError(f"{place}{self.where}", self.problem)


class CorruptDataError(PersistenceError):
    """A stored file is damaged or is of another kind. It was not changed."""

    def __init__(self, path: str, reason: object) -> None:
        super().__init__(f"{path}: {reason}")


class UnsupportedFormatError(PersistenceError):
    """The data is written in a format that this line does not read."""
