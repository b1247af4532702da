"""Recording and aggregating metrics (section 4.2)."""

from __future__ import annotations

from agent_persistence_shared.interaction_log import InteractionLog

__all__ = ["MetricsCollector"]


class MetricsCollector(InteractionLog):
    """
    A metrics database with the column ``level``.

    >>> with MetricsCollector(":memory:") as metrics:
    ...     metrics.record_metric("alice", True, 120.5, {"tool": "search"})
    ...     metrics.get_user_stats("alice")["avg_response_time_ms"]
    120.5
    """

    LEVEL_COLUMN = "level"

    def record_metric(
        self, user_id: str, success: bool, response_time_ms: float, metadata: dict | None = None
    ) -> None:
        """
        Records one interaction with the current time and the user's current level, or level 1 for a new user.

        :param metadata: a dictionary of JSON values; stored in the table ``interaction_metadata``.
        :raises ValidationError: when an argument is out of range; nothing is written.
        """
        self._record(user_id, None, success, response_time_ms, metadata)
