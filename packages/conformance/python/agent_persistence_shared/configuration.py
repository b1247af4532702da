"""Opening of all parts that a configuration object (section 4.5) describes."""

from __future__ import annotations

import errno
import os
from contextlib import closing
from typing import Any, Callable

from . import checks, library_sqlite, sqlite_file
from .errors import ValidationError
from .interaction_log import InteractionLog
from .pattern_library import PatternLibrary
from .pattern_persistence import PatternPersistence


class PatternFile:
    """The pattern database of a configuration."""

    def __init__(self, db_path: str) -> None:
        self._db_path = db_path

    def save(self, library: PatternLibrary) -> None:
        """Calls ``PatternPersistence.save_to_sqlite`` with the mode ``merge``."""
        PatternPersistence.save_to_sqlite(library, self._db_path)

    def load(self) -> PatternLibrary:
        """Calls ``PatternPersistence.load_from_sqlite``."""
        return PatternPersistence.load_from_sqlite(self._db_path)

    def close(self) -> None:
        """Does nothing: no file stays open between two calls."""


class PatternMemory:
    """The interface of ``PatternFile``, on a database in memory."""

    def __init__(self) -> None:
        self._connection = sqlite_file.in_memory()

    def save(self, library: PatternLibrary) -> None:
        rows = library_sqlite.savable_rows(library, "merge")
        library_sqlite.save(self._connection, ":memory:", library, rows, "merge")

    def load(self) -> PatternLibrary:
        """:raises FileNotFoundError: when nothing has been saved yet."""
        if not sqlite_file.columns(self._connection, "patterns"):
            raise FileNotFoundError(errno.ENOENT, "nothing has been saved yet", ":memory:")
        return library_sqlite.load(self._connection, ":memory:")

    def close(self) -> None:
        self._connection.close()


class Persistence:
    """``patterns``, ``metrics`` and, in the pre-16 line, ``states`` of one configuration."""

    def __init__(self, patterns: PatternFile | PatternMemory, metrics: InteractionLog, states: Any) -> None:
        self.patterns = patterns
        self.metrics = metrics
        self.states = states

    def __enter__(self) -> Persistence:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Releases the files."""
        with closing(self.patterns), closing(self.metrics):
            pass


def open_persistence(
    config: dict,
    collector: Callable[[str], InteractionLog],
    states_in: Callable[[str], Any] | None = None,
    states_in_memory: Callable[[], Any] | None = None,
) -> Persistence:
    """
    Opens ``patterns.db`` and ``metrics.db`` (and ``state/`` in the pre-16 line) under ``persistence_path``.

    :param config: ``user_id``, ``persistence_enabled`` (default true; false keeps everything in memory),
        ``persistence_path`` (default ``.``) and, in the pre-16 line, ``target_level``. Other keys are ignored.
    :raises ValidationError: when a field has the wrong type or does not exist in this line; nothing is opened.
    """
    given = {key: value for key, value in checks.mapping("config", config).items() if value is not None}
    if "user_id" in given:
        checks.identifier("user_id", given["user_id"])
    if "target_level" in given:
        if states_in is None:
            raise ValidationError("target_level", "not supported: 16.0.0 removed it together with collaboration state")
        checks.level("target_level", given["target_level"])
    folder = checks.path("persistence_path", given.get("persistence_path", "."))
    if not checks.boolean("persistence_enabled", given.get("persistence_enabled", True)):
        return Persistence(PatternMemory(), collector(":memory:"), states_in_memory and states_in_memory())
    os.makedirs(folder, exist_ok=True)
    patterns = PatternFile(os.path.join(folder, "patterns.db"))
    states = states_in and states_in(os.path.join(folder, "state"))
    return Persistence(patterns, collector(os.path.join(folder, "metrics.db")), states)
