"""
Export of metrics as JSON, JSON Lines or CSV, depending on the extension of the file. Rows are written one by one, and
the complete file replaces an older one atomically.
"""

from __future__ import annotations

import csv
import os
from typing import TYPE_CHECKING, Any, Iterable, Iterator, TextIO

from . import atomic_file, checks, exact_json
from .errors import ValidationError

if TYPE_CHECKING:
    import sqlite3

    from .interaction_log import InteractionLog


def export(log: InteractionLog, filepath: str, interactions: sqlite3.Cursor) -> int:
    """
    Writes the file.

    :returns: the number of interactions written.
    """
    extension = os.path.splitext(filepath)[1].lower()
    if extension not in _WRITERS:
        raise ValidationError("filepath", f"expected one of the extensions {', '.join(_WRITERS)}, got {extension!a}")
    columns = [column[0] for column in interactions.description]
    with atomic_file.replacing(filepath) as file:
        return _WRITERS[extension](file, log, columns, (_record(row) for row in interactions))


def _record(row: sqlite3.Row) -> dict[str, Any]:
    """Converts a row to the types of section 2.5."""
    metadata = None if row["metadata"] is None else exact_json.parse(row["metadata"])
    return {**row, "success": bool(row["success"]), "metadata": metadata}


def _write_json(file: TextIO, log: InteractionLog, _: list[str], records: Iterator[dict]) -> int:
    stats = log.get_global_stats()
    head = {"exported_at": checks.now(), "interaction_count": stats["total_interactions"]}
    users = {user_id: log.get_user_stats(user_id) for user_id in log.get_all_users()}
    file.write(f'{{"metadata": {_text(head)},\n"users": {_text(users)},\n"global": {_text(stats)},\n"interactions": [')
    count = 0
    for count, record in enumerate(records, start=1):
        file.write(("\n" if count == 1 else ",\n") + _text(record))
    file.write("]}\n")
    return count


def _write_lines(file: TextIO, _log: InteractionLog, _: list[str], records: Iterable[dict]) -> int:
    count = 0
    for count, record in enumerate(records, start=1):
        file.write(_text(record) + "\n")
    return count


def _write_csv(file: TextIO, _: InteractionLog, columns: list[str], records: Iterable[dict]) -> int:
    writer = csv.writer(file)
    writer.writerow(columns)
    count = 0
    for count, record in enumerate(records, start=1):
        record["success"] = "true" if record["success"] else "false"
        if record["metadata"] is not None:
            record["metadata"] = _text(record["metadata"])
        writer.writerow(record.values())
    return count


def _text(value: Any) -> str:
    return exact_json.to_text("metrics", value)


_WRITERS = {".json": _write_json, ".jsonl": _write_lines, ".csv": _write_csv}
