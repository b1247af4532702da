"""Opening SQLite files, and transactions."""

from __future__ import annotations

import errno
import os
import sqlite3
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

from .errors import CorruptDataError


def connect(path: str, create: bool) -> sqlite3.Connection:
    """
    Opens a database; every statement is its own transaction unless ``transaction`` says otherwise.

    :raises FileNotFoundError: when it does not exist and is not to be created. Nothing is left behind then.
    """
    if not create and not os.path.exists(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    # Even a reader opens for writing: the rows of a database in WAL mode can lie in a log that has to be recovered.
    uri = f"{Path(path).absolute().as_uri()}?mode={'rwc' if create else 'rw'}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def in_memory() -> sqlite3.Connection:
    """A database that touches no file."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection, kind: str = "IMMEDIATE") -> Iterator[None]:
    """All or nothing. IMMEDIATE locks out other writers at once, so that what is read here still holds at the end."""
    connection.execute(f"BEGIN {kind}")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def naming_damage(path: str) -> Iterator[None]:
    """Turns what SQLite says about a file that is damaged, or no database, into CorruptDataError."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        # Locks, full disks and the like have classes of their own; damage has only the base class.
        if type(error) is sqlite3.DatabaseError or "Could not decode" in str(error):
            raise CorruptDataError(path, error) from error
        raise


def columns(connection: sqlite3.Connection, table: str) -> list[str]:
    """The names of a table's columns, in small letters; an empty list when there is no such table."""
    return [row["name"].lower() for row in connection.execute("SELECT name FROM pragma_table_info(?)", [table])]
