"""Patterns and the library that holds them."""

from agent_persistence_shared.pattern import Pattern
from agent_persistence_shared.pattern_library import PatternLibrary

__all__ = ["Pattern", "PatternLibrary"]
