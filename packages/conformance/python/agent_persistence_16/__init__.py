"""The 16+ persistence layer."""

from agent_persistence_shared import configuration
from agent_persistence_shared.errors import (
    CorruptDataError,
    PersistenceError,
    UnsupportedFormatError,
    ValidationError,
)

from .metrics_collector import MetricsCollector
from .pattern_library import Pattern, PatternLibrary
from .pattern_persistence import PatternPersistence

VERSION = "16.0.0"

__all__ = [
    "CorruptDataError",
    "MetricsCollector",
    "Pattern",
    "PatternLibrary",
    "PatternPersistence",
    "PersistenceError",
    "UnsupportedFormatError",
    "ValidationError",
    "open_persistence",
]


def open_persistence(config: dict) -> configuration.Persistence:
    """Opens persistence from a configuration object (section 4.5); see ``configuration.open_persistence``."""
    return configuration.open_persistence(config, MetricsCollector)
