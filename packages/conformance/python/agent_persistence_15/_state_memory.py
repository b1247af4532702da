"""Collaboration state in memory, for ``persistence_enabled`` false."""

from __future__ import annotations

from agent_persistence_shared import checks, exact_json

from . import _state_document


class StateMemory:
    """The interface of ``StateManager``, in memory."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def save_state(self, user_id: str, state: dict) -> None:
        self._texts[user_id] = _state_document.savable(user_id, state)

    def load_state(self, user_id: str) -> dict | None:
        text = self._texts.get(checks.identifier("user_id", user_id))
        return None if text is None else exact_json.parse(text)

    def list_users(self) -> list[str]:
        return sorted(self._texts)

    def delete_state(self, user_id: str) -> bool:
        return self._texts.pop(checks.identifier("user_id", user_id), None) is not None
