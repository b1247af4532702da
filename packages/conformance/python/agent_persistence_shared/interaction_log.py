"""The table ``interactions`` (section 2.5) and its statistics, which the metrics collectors of both lines share."""

from __future__ import annotations

import sqlite3
from typing import Any, Iterator

from . import checks, exact_json, metrics_export, sqlite_file, trends
from .errors import UnsupportedFormatError


class InteractionLog:
    """A metrics database. The lines differ in the name of one column and in ``record_metric``."""

    LEVEL_COLUMN = ""

    def __init__(self, db_path: str = "./metrics.db") -> None:
        """
        Opens the database and creates it if it does not exist.

        :param db_path: an SQLite file, or ``:memory:``.
        :raises CorruptDataError: when the file is not a database.
        :raises UnsupportedFormatError: when it was written by another line.
        """
        path = checks.path("db_path", db_path)
        with sqlite_file.naming_damage(path):
            self._connection = sqlite_file.in_memory() if path == ":memory:" else sqlite_file.connect(path, create=True)
            try:
                self._prepare(path)
            except BaseException:
                self._connection.close()
                raise

    def __enter__(self) -> InteractionLog:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Releases the file."""
        self._connection.close()

    def record_interaction(self, user_id: str, level: int, success: bool, response_time_ms: float) -> int:
        """
        Records one interaction at a level from 1 to 5, with the current time.

        :returns: the id of the new row.
        :raises ValidationError: when an argument is out of range; nothing is written.
        """
        return self._record(user_id, checks.level("level", level), success, response_time_ms, None)

    def get_user_stats(self, user_id: str) -> dict[str, Any]:
        """Returns the dictionary of section 2.6, with ``first_use`` and ``last_use``."""
        level = self.LEVEL_COLUMN
        counts = "".join(f", COUNT(CASE {level} WHEN {n} THEN 1 END) AS level_{n}_count" for n in range(1, 6))
        sql = f"""SELECT COUNT(*) AS total_operations, COALESCE(AVG(success <> 0), 0) AS success_rate,
                COALESCE(AVG({_FINITE_TIME} / {_SCALE}) * {_SCALE}, 0) AS avg_response_time_ms{counts},
                MIN(timestamp) AS first_use, MAX(timestamp) AS last_use
            FROM interactions WHERE user_id = ?"""
        # Any text: other programs may have stored ids that no call records (ruling U-reading).
        stats = dict(self._connection.execute(sql, [checks.encodable("user_id", user_id)]).fetchone())
        current = self._current_level(user_id)
        return stats if current is None else {**stats, "current_level": current}

    def get_global_stats(self) -> dict[str, Any]:
        """Returns the dictionary of section 2.7."""
        sql = """SELECT COUNT(DISTINCT user_id) AS total_users, COUNT(*) AS total_interactions,
                COALESCE(AVG(success <> 0), 0) AS success_rate FROM interactions"""
        return dict(self._connection.execute(sql).fetchone())

    def get_all_users(self) -> list[str]:
        """Returns the ids of all users with an interaction, each once, sorted by code point."""
        return sorted(row["user_id"] for row in self._connection.execute("SELECT DISTINCT user_id FROM interactions"))

    def get_user_trend(
        self,
        user_id: str,
        bucket: str = "day",
        since: str | None = None,
        until: str | None = None,
        trust: dict | None = None,
    ) -> list[dict[str, Any]]:
        """
        Returns one dictionary for each period in which the user has interactions, in order of time (ruling U-trends).

        :param bucket: ``hour``, ``day``, ``week`` (from Monday) or ``month``, in UTC.
        :param since: leaves out interactions before this time; they still count for ``trust``.
        :param until: leaves out interactions at this time and later.
        :param trust: other figures for trust: ``initial`` (0.5), ``gain`` (0.05), ``loss`` (0.1).
        :raises ValidationError: when an argument is out of range.
        """
        options = trends.Options(bucket, since, until, trust)
        interactions = self._trend_rows("WHERE user_id = ?", [checks.encodable("user_id", user_id)])
        return trends.rows(interactions, options, with_trust=True)

    def get_global_trend(
        self, bucket: str = "day", since: str | None = None, until: str | None = None
    ) -> list[dict[str, Any]]:
        """Returns the same as ``get_user_trend`` for the interactions of all users, without ``trust``."""
        return trends.rows(self._trend_rows("", []), trends.Options(bucket, since, until, None), with_trust=False)

    def export_metrics(self, filepath: str) -> int:
        """
        Writes all interactions to a ``.json``, ``.jsonl`` or ``.csv`` file.

        :returns: the number of interactions written.
        :raises ValidationError: for another extension.
        """
        with sqlite_file.transaction(self._connection, "DEFERRED"):
            return metrics_export.export(self, checks.path("filepath", filepath), self._interactions())

    def _record(self, user_id: Any, level: int | None, success: Any, response_time_ms: Any, metadata: Any) -> int:
        """
        Writes one row and its metadata in one transaction. Without a ``level``, the user's current level is used, or
        level 1 for a new user.
        """
        checks.identifier("user_id", user_id)
        values = checks.boolean("success", success), checks.response_time(response_time_ms)
        text = None if metadata is None else exact_json.to_text("metadata", checks.mapping("metadata", metadata))
        with sqlite_file.transaction(self._connection):
            if level is None:
                level = self._current_level(user_id) or 1
            columns = f"user_id, {self.LEVEL_COLUMN}, success, response_time_ms"
            insert = f"INSERT INTO interactions ({columns}) VALUES (?, ?, ?, ?)"
            row_id = self._connection.execute(insert, [user_id, level, *values]).lastrowid
            if row_id > _LAST_ID:
                raise UnsupportedFormatError(f"the next id, {row_id}, would not be exact in every language; nothing was recorded")
            if text is not None:
                self._connection.execute("INSERT INTO interaction_metadata VALUES (?, ?)", [row_id, text])
        return row_id

    def _current_level(self, user_id: str) -> int | None:
        """Returns the level of the user's newest interaction. Rows that have no valid level are skipped."""
        sql = f"""SELECT {self.LEVEL_COLUMN} FROM interactions
            WHERE user_id = ? AND {self.LEVEL_COLUMN} IN (1, 2, 3, 4, 5) ORDER BY id DESC LIMIT 1"""
        row = self._connection.execute(sql, [user_id]).fetchone()
        return None if row is None else int(row[0])

    def _trend_rows(self, where: str, values: list) -> Iterator[trends.Interaction]:
        columns = f"id, {self.LEVEL_COLUMN}, success <> 0, {_FINITE_TIME}, timestamp"
        sql = f"SELECT {columns} FROM interactions {where} ORDER BY id"
        return (trends.Interaction(*row) for row in self._connection.execute(sql, values))

    def _interactions(self) -> sqlite3.Cursor:
        return self._connection.execute(
            f"""SELECT i.id, user_id, {self.LEVEL_COLUMN}, success, response_time_ms, timestamp, m.metadata
            FROM interactions i LEFT JOIN interaction_metadata m ON m.interaction_id = i.id ORDER BY i.id"""
        )

    def _prepare(self, path: str) -> None:
        with sqlite_file.transaction(self._connection):
            found = sqlite_file.columns(self._connection, "interactions")
            wanted = ["id", "user_id", self.LEVEL_COLUMN, "success", "response_time_ms", "timestamp"]
            missing = [name for name in wanted if name not in found]
            if found and missing:
                reason = f"its table interactions has no column {', '.join(missing)}"
                raise UnsupportedFormatError(f"{path}: {reason}; another line or program wrote it")
            declared = sqlite_file.column_type(self._connection, "interactions", self.LEVEL_COLUMN)
            if found and "INT" not in declared.upper():
                reason = f"its column {self.LEVEL_COLUMN} is declared as {declared or 'no type'} and would not store integers"
                raise UnsupportedFormatError(f"{path}: {reason}; nothing was changed")
            for statement in _SCHEMA:
                self._connection.execute(statement.format(level=self.LEVEL_COLUMN))


# The last integer that a double holds exactly (ruling U-exact-ids).
_LAST_ID = 2**53 - 1

# Other programs may have written text or infinity as a response time. Averages leave such values out.
_FINITE_TIME = """CASE WHEN typeof(response_time_ms) IN ('integer', 'real') AND abs(response_time_ms) < 9e999
    THEN response_time_ms END"""
# Times are divided by this before they are summed: otherwise the sum of very large times could overflow. The division
# changes no digit, because it is a power of two.
_SCALE = float(2**20)

_SCHEMA = (
    """CREATE TABLE IF NOT EXISTS interactions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        user_id TEXT NOT NULL,
        {level} INTEGER NOT NULL,
        success BOOLEAN NOT NULL,
        response_time_ms REAL,
        timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP
    )""",
    "CREATE INDEX IF NOT EXISTS idx_interactions_user ON interactions(user_id)",
    "CREATE INDEX IF NOT EXISTS idx_interactions_timestamp ON interactions(timestamp)",
    """CREATE TABLE IF NOT EXISTS interaction_metadata (
        interaction_id INTEGER PRIMARY KEY REFERENCES interactions(id) ON DELETE CASCADE,
        metadata TEXT NOT NULL
    )""",
)
