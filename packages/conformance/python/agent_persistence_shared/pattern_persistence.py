"""The operations of section 4.1."""

from __future__ import annotations

from contextlib import closing

from . import checks, library_json, library_sqlite, sqlite_file
from .pattern_library import PatternLibrary


class PatternPersistence:
    """Saves and loads pattern libraries."""

    @staticmethod
    def save_to_json(library: PatternLibrary, filepath: str) -> None:
        """
        Writes a library to a JSON file. An older file is replaced atomically.

        :raises ValidationError: when the library is invalid; the file is not changed.
        """
        library_json.save(library, checks.path("filepath", filepath))

    @staticmethod
    def load_from_json(filepath: str) -> PatternLibrary:
        """
        Reads a library from a JSON file.

        :raises FileNotFoundError: when the file does not exist.
        :raises json.JSONDecodeError: when it is not JSON.
        :raises ValidationError: when it is JSON, but not a pattern library.
        :raises UnsupportedFormatError: when its format is not 1.x.
        """
        return library_json.load(checks.path("filepath", filepath))

    @staticmethod
    def save_to_sqlite(library: PatternLibrary, db_path: str, mode: str = "merge") -> "int | None":
        """
        Writes a library and its queued uses to an SQLite database, in one transaction.

        :param mode: ``merge`` updates by id and keeps patterns that only the database has, because several agents
            may share one database; ``replace`` makes the database equal to the library.
        :returns: nothing; with the mode ``replace`` the number of usage rows that it removed with their patterns.
        :raises ValidationError: when the library is invalid; the database is not changed.
        :raises CorruptDataError: when the file is not a database of patterns.
        """
        path = checks.path("db_path", db_path)
        rows = library_sqlite.savable_rows(library, mode)
        with sqlite_file.naming_damage(path), closing(sqlite_file.connect(path, create=True)) as connection:
            removed = library_sqlite.save(connection, path, library, rows, mode)
        return removed if mode == "replace" else None

    @staticmethod
    def load_from_sqlite(db_path: str) -> PatternLibrary:
        """
        Reads a library from an SQLite database.

        :raises FileNotFoundError: when the database does not exist; it is not created.
        :raises CorruptDataError: when the file is not a database of patterns.
        """
        path = checks.path("db_path", db_path)
        with sqlite_file.naming_damage(path), closing(sqlite_file.connect(path, create=False)) as connection:
            return library_sqlite.load(connection, path)
