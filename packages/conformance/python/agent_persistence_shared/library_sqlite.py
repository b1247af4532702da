"""Pattern libraries in SQLite (sections 2.1 to 2.3)."""

from __future__ import annotations

import json
import sqlite3
from typing import Any, Iterable

from . import checks, exact_json, sqlite_file
from .errors import CorruptDataError, ValidationError
from .pattern import FIELDS, Pattern
from .pattern_library import PatternLibrary

_SCHEMA = (
    """CREATE TABLE IF NOT EXISTS patterns (
        id TEXT PRIMARY KEY NOT NULL,
        agent_id TEXT NOT NULL,
        pattern_type TEXT NOT NULL,
        name TEXT NOT NULL,
        description TEXT,
        context TEXT,
        code TEXT,
        confidence REAL DEFAULT 0.5,
        usage_count INTEGER DEFAULT 0,
        success_count INTEGER DEFAULT 0,
        failure_count INTEGER DEFAULT 0,
        tags TEXT,
        discovered_at TIMESTAMP,
        last_used TIMESTAMP,
        updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP
    )""",
    """CREATE TABLE IF NOT EXISTS pattern_usage (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        pattern_id TEXT NOT NULL REFERENCES patterns(id),
        agent_id TEXT NOT NULL,
        success BOOLEAN NOT NULL,
        used_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP
    )""",
    "CREATE INDEX IF NOT EXISTS idx_patterns_agent ON patterns(agent_id)",
    "CREATE INDEX IF NOT EXISTS idx_patterns_type ON patterns(pattern_type)",
    "CREATE INDEX IF NOT EXISTS idx_patterns_confidence ON patterns(confidence)",
)
_UPSERT = (
    f"INSERT INTO patterns ({', '.join(FIELDS)}) VALUES ({', '.join('?' for _ in FIELDS)}) "
    f"ON CONFLICT (id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in FIELDS if name != 'id')}, "
    "updated_at = CURRENT_TIMESTAMP"
)


def save(connection: sqlite3.Connection, path: str, library: PatternLibrary, rows: list[list], mode: str) -> int:
    """
    Merges the library into the database by id, or replaces the content of the database, in one transaction.

    :param rows: the result of ``savable_rows`` for the library.
    :returns: the number of usage rows that were removed with their patterns; always 0 for a merge.
    """
    removed = 0
    with sqlite_file.naming_damage(path), sqlite_file.transaction(connection):
        _refuse_other_layout(connection, path, (*FIELDS, "updated_at"))
        for statement in _SCHEMA:
            connection.execute(statement)
        if mode == "replace":
            # All rows are deleted and inserted again, in the order of the library. Their usage rows are kept.
            connection.execute("PRAGMA defer_foreign_keys = ON")
            connection.execute("DELETE FROM patterns")
        connection.executemany(_UPSERT, rows)
        if mode == "replace":
            orphans = "DELETE FROM pattern_usage WHERE pattern_id NOT IN (SELECT id FROM patterns)"
            removed = connection.execute(orphans).rowcount
        waiting = [usage for usage in library.queued_usage if not _write_usage(connection, usage)]
    library.queued_usage = waiting if mode == "merge" else []
    return removed


def savable_rows(library: PatternLibrary, mode: str) -> list[list]:
    """
    Checks the library and returns its rows. Call it before a database is opened, so that an invalid library creates no
    file.

    :raises ValidationError: when the library cannot be saved.
    """
    if mode not in ("merge", "replace"):
        raise ValidationError("mode", f"expected 'merge' or 'replace', got {mode!a}")
    library.check()
    return [_row(pattern) for pattern in library.patterns.values()]


def load(connection: sqlite3.Connection, path: str) -> PatternLibrary:
    """
    Loads all patterns.

    :raises CorruptDataError: when the file is not a database, or has no table of patterns as in section 2.1.
    """
    library = PatternLibrary()
    with sqlite_file.naming_damage(path):
        if not sqlite_file.columns(connection, "patterns"):
            raise CorruptDataError(path, "it has no table patterns")
        _refuse_other_layout(connection, path, FIELDS)
        for row in _rows(connection):
            try:
                pattern = Pattern.from_dict({**row, "context": _parsed(row, "context"), "tags": _parsed(row, "tags")})
            except ValidationError as error:
                raise CorruptDataError(path, error.inside(f"pattern {row['id']!a}: ")) from error
            library.contribute(pattern.agent_id, pattern)
    return library


def _rows(connection: sqlite3.Connection) -> sqlite3.Cursor:
    select = f"SELECT {', '.join(f'{name} AS {name}' for name in FIELDS)} FROM patterns"
    try:
        return connection.execute(f"{select} ORDER BY rowid")
    except sqlite3.OperationalError:
        # A table that was created WITHOUT ROWID does not keep the order of insertion.
        return connection.execute(select)


def _refuse_other_layout(connection: sqlite3.Connection, path: str, wanted: Iterable[str]) -> None:
    found = sqlite_file.columns(connection, "patterns")
    missing = [name for name in wanted if name not in found]
    if found and missing:
        raise CorruptDataError(path, f"its table patterns has no column {', '.join(missing)}")


def _row(pattern: Pattern) -> list:
    values: dict[str, Any] = dict(vars(pattern))
    for name in ("context", "tags"):
        if values[name] is not None:
            values[name] = exact_json.to_text(f"pattern {pattern.id!a}: {name}", values[name])
    for name, value in values.items():
        if isinstance(value, str):
            checks.encodable(f"pattern {pattern.id!a}: {name}", value)
    return [values[name] for name in FIELDS]


def _parsed(row: sqlite3.Row, name: str) -> Any:
    """Reads context or tags, which are JSON in a text column."""
    try:
        return None if row[name] is None else exact_json.parse(checks.text(name, row[name]))
    except json.JSONDecodeError as error:
        raise ValidationError(name, f"it is not JSON: {error}") from None


def _write_usage(connection: sqlite3.Connection, usage: tuple) -> bool:
    """Writes one use; False if the database does not contain the pattern (yet)."""
    if not connection.execute("SELECT 1 FROM patterns WHERE id = ?", usage[:1]).fetchone():
        return False
    sql = "INSERT INTO pattern_usage (pattern_id, agent_id, success, used_at) VALUES (?, ?, ?, datetime(?))"
    connection.execute(sql, usage)
    return True
