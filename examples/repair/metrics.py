"""A metrics collector of the 16+ line in one class."""

import json
import sqlite3

TABLES = """
CREATE TABLE IF NOT EXISTS interactions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id TEXT NOT NULL,
    level INTEGER NOT NULL,
    success BOOLEAN NOT NULL,
    response_time_ms REAL,
    timestamp TIMESTAMP
);
CREATE TABLE IF NOT EXISTS interaction_metadata (
    interaction_id INTEGER PRIMARY KEY REFERENCES interactions (id),
    metadata TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_interactions_user ON interactions (user_id);
CREATE INDEX IF NOT EXISTS idx_interactions_timestamp ON interactions (timestamp);
"""
RECORD = "INSERT INTO interactions (user_id, level, success, response_time_ms) VALUES (?, ?, ?, ?)"
DESCRIBE = "INSERT INTO interaction_metadata (interaction_id, metadata) VALUES (?, ?)"


class MetricsCollector:
    """Records the operations of agents in a database, and counts them."""

    def __init__(self, db_path="./metrics.db"):
        self._database = sqlite3.connect(db_path)
        self._database.executescript(TABLES)

    def record_metric(self, user_id, success, response_time_ms, metadata=None):
        """Records an operation at the user's current level, or at level 1."""
        level = self.get_user_stats(user_id).get("current_level", 1)
        row = self._database.execute(RECORD, (user_id, level, success, response_time_ms)).lastrowid
        if metadata is not None:
            self._database.execute(DESCRIBE, (row, json.dumps(metadata)))

    def record_interaction(self, user_id, level, success, response_time_ms):
        """Records an operation at a level from 1 to 5."""
        self._database.execute(RECORD, (user_id, level, success, response_time_ms))

    def get_user_stats(self, user_id):
        """Returns the statistics of section 2.6."""
        rows = self._database.execute(
            "SELECT level, success, response_time_ms, timestamp FROM interactions WHERE user_id = ? ORDER BY id",
            (user_id,),
        ).fetchall()
        stats = {
            "total_operations": len(rows),
            "success_rate": sum(row[1] for row in rows) / len(rows) if rows else 0.0,
            "avg_response_time_ms": sum(row[2] or 0 for row in rows) / len(rows) if rows else 0.0,
            **{f"level_{level}_count": sum(row[0] == level for row in rows) for level in range(1, 6)},
            "first_use": min((row[3] for row in rows if row[3]), default=None),
            "last_use": max((row[3] for row in rows if row[3]), default=None),
        }
        return {**stats, "current_level": rows[-1][0]} if rows else stats

    def get_global_stats(self):
        """Returns the statistics of section 2.7."""
        users, operations, successes = self._database.execute(
            "SELECT count(DISTINCT user_id), count(*), total(success) FROM interactions"
        ).fetchone()
        rate = 100 * successes / operations if operations else 0.0
        return {"total_users": users, "total_interactions": operations, "success_rate": rate}

    def get_all_users(self):
        """Returns the ids of all users."""
        rows = self._database.execute("SELECT DISTINCT user_id FROM interactions LIMIT 100")
        return [user_id for (user_id,) in rows]

    def close(self):
        """Closes the database."""
        self._database.commit()
        self._database.close()
