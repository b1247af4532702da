"""The facade of the pre-16 line (section 9)."""

from __future__ import annotations

from agent_persistence_shared import configuration
from agent_persistence_shared.errors import (
    CorruptDataError,
    PersistenceError,
    UnsupportedFormatError,
    ValidationError,
)
from agent_persistence_shared.pattern import Pattern
from agent_persistence_shared.pattern_library import PatternLibrary
from agent_persistence_shared.pattern_persistence import PatternPersistence

from ._metrics import MetricsCollector
from ._state_memory import StateMemory
from ._states import StateManager

__all__ = [
    "CorruptDataError",
    "MetricsCollector",
    "Pattern",
    "PatternLibrary",
    "PatternPersistence",
    "PersistenceError",
    "StateManager",
    "UnsupportedFormatError",
    "ValidationError",
    "open_persistence",
]


def open_persistence(config: dict) -> configuration.Persistence:
    """Opens persistence from a configuration object (section 4.5); see ``configuration.open_persistence``."""
    return configuration.open_persistence(config, MetricsCollector, StateManager, StateMemory)
