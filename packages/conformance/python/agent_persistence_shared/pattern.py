"""The pattern record (section 2.1)."""

from __future__ import annotations

from dataclasses import dataclass, fields

from . import checks
from .errors import ValidationError


@dataclass
class Pattern:
    """
    One pattern record. Timestamps are text, because a datetime would not keep the digits of their fraction.

    :raises ValidationError: when a field has the wrong type.
    """

    id: str
    agent_id: str
    pattern_type: str
    name: str
    description: str | None = None
    context: dict | None = None
    code: str | None = None
    confidence: float = 0.5
    usage_count: int = 0
    success_count: int = 0
    failure_count: int = 0
    tags: list | None = None
    discovered_at: str | None = None
    last_used: str | None = None

    def __post_init__(self) -> None:
        self.check()

    def check(self) -> None:
        """Checks every field, because fields can be changed after the pattern was created."""
        for name, rule in _RULES.items():
            value = getattr(self, name)
            if value is not None or name not in _NULLABLE:
                setattr(self, name, rule(name, value))

    @classmethod
    def from_dict(cls, data: dict) -> Pattern:
        """
        Creates a pattern from the fields of section 2.1. Null means the same as absence; other keys are ignored.

        :raises ValidationError: when a required field is missing or a field has the wrong type.
        """
        given = {name: data[name] for name in FIELDS if data.get(name) is not None}
        for name in ("id", "agent_id", "pattern_type", "name"):
            if name not in given:
                raise ValidationError(name, "it is required and missing")
        return cls(**given)

    def to_dict(self) -> dict:
        """Returns all fourteen fields, in the order of section 2.1."""
        return {name: getattr(self, name) for name in FIELDS}


FIELDS = tuple(field.name for field in fields(Pattern))
_NULLABLE = {"description", "context", "code", "tags", "discovered_at", "last_used"}
_RULES = {
    "id": checks.identifier,
    "agent_id": checks.identifier,
    "pattern_type": checks.text,
    "name": checks.text,
    "description": checks.text,
    "context": checks.mapping,
    "code": checks.text,
    "confidence": checks.real,
    "usage_count": checks.integer,
    "success_count": checks.integer,
    "failure_count": checks.integer,
    "tags": checks.texts,
    "discovered_at": checks.timestamp,
    "last_used": checks.timestamp,
}
