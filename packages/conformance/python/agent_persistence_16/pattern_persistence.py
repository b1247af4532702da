"""Saving and loading pattern libraries."""

from agent_persistence_shared.pattern_persistence import PatternPersistence

__all__ = ["PatternPersistence"]
