"""SQLite files and transactions."""

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
    Opens a database. Outside a ``transaction`` block, every statement is a transaction of its own.

    :raises FileNotFoundError: when the database does not exist and ``create`` is false; no file is created.
    """
    if not create and not os.path.exists(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    # Readers need write access, too: the WAL of a database may have to be recovered before its rows can be read.
    uri = f"{Path(path).absolute().as_uri()}?mode={'rwc' if create else 'rw'}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def in_memory() -> sqlite3.Connection:
    """Opens a database in memory."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection, kind: str = "IMMEDIATE") -> Iterator[None]:
    """
    Runs the block in a transaction. IMMEDIATE locks out other writers from the start, so that data read in the block is
    still valid at the commit.
    """
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
    """Converts SQLite's errors about a file that is damaged or not a database to CorruptDataError."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        # Errors such as locks and full disks have classes of their own; damage is reported with the base class only.
        if type(error) is sqlite3.DatabaseError or "Could not decode" in str(error):
            raise CorruptDataError(path, error) from error
        raise


def columns(connection: sqlite3.Connection, table: str) -> list[str]:
    """Returns the names of a table's columns in lower case; an empty list if the table does not exist."""
    return [row["name"].lower() for row in connection.execute("SELECT name FROM pragma_table_info(?)", [table])]


def column_type(connection: sqlite3.Connection, table: str, column: str) -> str:
    """Returns the declared type of a column; empty if it has none, or if there is no such column."""
    sql = "SELECT type FROM pragma_table_info(?) WHERE lower(name) = lower(?)"
    row = connection.execute(sql, [table, column]).fetchone()
    return "" if row is None else row["type"]
