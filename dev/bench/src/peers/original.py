"""Works as the original product does: each call opens the file, does one thing with the settings that SQLite has by
default, and closes it. One line of JSON comes in for each round; one goes out, with the milliseconds of a call."""

import json
import sqlite3
import sys
import time

SCHEMA = """
CREATE TABLE IF NOT EXISTS metrics (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL,
  empathy_level INTEGER NOT NULL, success BOOLEAN NOT NULL, response_time_ms REAL,
  timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, metadata TEXT);
CREATE INDEX IF NOT EXISTS idx_user_level ON metrics(user_id, empathy_level);
CREATE INDEX IF NOT EXISTS idx_timestamp ON metrics(timestamp);
"""

path = sys.argv[1]


def with_connection(use):
    connection = sqlite3.connect(path)
    try:
        result = use(connection)
        connection.commit()
        return result
    finally:
        connection.close()


def record(user_id, level, success, response_time_ms):
    with_connection(
        lambda connection: connection.execute(
            "INSERT INTO metrics (user_id, empathy_level, success, response_time_ms, metadata) VALUES (?, ?, ?, ?, ?)",
            (user_id, level, success, response_time_ms, None),
        )
    )


def user_stats(user_id):
    return with_connection(
        lambda connection: (
            connection.execute(
                "SELECT COUNT(*), SUM(success), AVG(response_time_ms), MIN(timestamp), MAX(timestamp)"
                " FROM metrics WHERE user_id = ?",
                (user_id,),
            ).fetchone(),
            connection.execute(
                "SELECT empathy_level, COUNT(*) FROM metrics WHERE user_id = ? GROUP BY empathy_level", (user_id,)
            ).fetchall(),
        )
    )


def global_stats():
    return with_connection(
        lambda connection: connection.execute(
            "SELECT COUNT(DISTINCT user_id), COUNT(*), AVG(CASE WHEN success THEN 1.0 ELSE 0.0 END) FROM metrics"
        ).fetchone()
    )


def all_users():
    return with_connection(
        lambda connection: connection.execute("SELECT DISTINCT user_id FROM metrics ORDER BY user_id").fetchall()
    )


def record_rows(rows):
    for row in range(rows):
        record(f"user-{row % 50}", 1 + row % 5, row % 3 != 0, row)
    return rows


def repeat(call, milliseconds):
    """Calls until so much time is over; at least once."""
    end = time.perf_counter() + milliseconds / 1000
    calls = 0
    while calls == 0 or time.perf_counter() < end:
        call()
        calls += 1
    return calls


ROUNDS = {
    "record": lambda question: record_rows(question["rows"]),
    "user": lambda question: repeat(lambda: user_stats(question["user"]), question["milliseconds"]),
    "global": lambda question: repeat(global_stats, question["milliseconds"]),
    "users": lambda question: repeat(all_users, question["milliseconds"]),
}

with_connection(lambda connection: connection.executescript(SCHEMA))
for line in sys.stdin:
    question = json.loads(line)
    start = time.perf_counter()
    calls = ROUNDS[question["do"]](question)
    print(json.dumps({"milliseconds": (time.perf_counter() - start) * 1000 / calls}), flush=True)
