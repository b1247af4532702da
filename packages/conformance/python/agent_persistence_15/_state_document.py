"""Collaboration state as a JSON object (section 2.8)."""

from __future__ import annotations

from typing import Any

from agent_persistence_shared import checks, exact_json
from agent_persistence_shared.errors import ValidationError

_COUNTS = ("current_level", "target_level", "interaction_count", "success_count", "failure_count")
_TIMES = ("last_interaction", "created_at")

# Keys of older programs for the fields of section 2.8.
_OLDER_KEYS = {
    "interaction_count": "total_interactions",
    "success_count": "successful_interventions",
    "failure_count": "failed_interventions",
    "last_interaction": "saved_at",
    "created_at": "session_start",
}


def savable(user_id: str, state: dict) -> str:
    """Checks a user's state and returns it as JSON text."""
    checks.identifier("user_id", user_id)
    check(state)
    if state["user_id"] != user_id:
        raise ValidationError("state/user_id", f"expected {user_id!a}, as in the argument, got {state['user_id']!a}")
    return exact_json.to_text("state", state, indented=True) + "\n"


def with_described_keys(state: Any) -> Any:
    """Fills absent fields of a state from valid values under the keys of older programs. Those keys are kept."""
    if not isinstance(state, dict):
        return state
    found = {field: state[key] for field, key in _OLDER_KEYS.items() if field not in state and key in state}
    return {**state, **{field: value for field, value in found.items() if _is_valid(field, value)}}


def _is_valid(field: str, value: Any) -> bool:
    try:
        check({"user_id": "any", "trust_level": 0, field: value})
    except ValidationError:
        return False
    return True


def check(state: Any) -> None:
    """Checks a state. A user and a trust level are required. Other fields may be absent, but not of another type."""
    checks.mapping("state", state)
    checks.identifier("state/user_id", state.get("user_id"))
    trust = checks.real("state/trust_level", state.get("trust_level"))
    if not 0 <= trust <= 1:
        raise ValidationError("state/trust_level", f"expected a number from 0 to 1, got {trust}")
    for name in _COUNTS:
        if name in state:
            checks.integer(f"state/{name}", state[name])
    for name in _TIMES:
        if state.get(name) is not None:
            checks.text(f"state/{name}", state[name])
