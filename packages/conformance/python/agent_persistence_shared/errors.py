"""The errors of this package. What Python has a name for keeps it: FileNotFoundError, json.JSONDecodeError."""

from __future__ import annotations


class PersistenceError(Exception):
    """Base of every error that is raised on purpose."""


class ValidationError(PersistenceError, ValueError):
    """An argument or a document breaks a rule; the message names the place. Nothing was written."""

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(f"{where}: {problem}")
        self.where = where
        self.problem = problem

    def inside(self, place: str) -> ValidationError:
        """The same error seen from further out, such as the file and the position of a pattern in it."""
        return ValidationError(f"{place}{self.where}", self.problem)


class CorruptDataError(PersistenceError):
    """A stored file is damaged or holds something else. It was left as it is."""

    def __init__(self, path: str, reason: object) -> None:
        super().__init__(f"{path}: {reason}")


class UnsupportedFormatError(PersistenceError):
    """The data is written in a format that this line does not read."""
