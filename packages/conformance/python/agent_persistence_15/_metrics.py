"""Recording and aggregating metrics (section 4.3)."""

from __future__ import annotations

from agent_persistence_shared import checks
from agent_persistence_shared.interaction_log import InteractionLog


class MetricsCollector(InteractionLog):
    """A metrics database with the column ``empathy_level``."""

    LEVEL_COLUMN = "empathy_level"

    def record_metric(
        self, user_id: str, empathy_level: int, success: bool, response_time_ms: float, metadata: dict | None = None
    ) -> None:
        """
        Records one interaction with the current time.

        :param empathy_level: the level used, 1 to 5.
        :param metadata: a dictionary of JSON values; stored in the table ``interaction_metadata``.
        :raises ValidationError: when an argument is out of range; nothing is written.
        """
        level = checks.level("empathy_level", empathy_level)
        self._record(user_id, level, success, response_time_ms, metadata)
