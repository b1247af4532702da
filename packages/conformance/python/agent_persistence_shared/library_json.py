"""The pattern library file (section 2.4)."""

from __future__ import annotations

import re
from typing import Any

from . import atomic_file, checks, exact_json
from .errors import UnsupportedFormatError, ValidationError
from .pattern import Pattern
from .pattern_library import PatternLibrary, check_contributions

FORMAT_VERSION = "1.0"


def save(library: PatternLibrary, filepath: str) -> None:
    """Writes the file atomically and replaces an older one."""
    library.check()
    document = {
        "patterns": [_as_documented(pattern.to_dict()) for pattern in library.patterns.values()],
        "agent_contributions": library.agent_contributions,
        "metadata": {
            "saved_at": checks.now(),
            "pattern_count": len(library.patterns),
            "version": FORMAT_VERSION,
        },
    }
    atomic_file.write(filepath, exact_json.to_text("library", document, indented=True) + "\n")


def _as_documented(pattern: dict[str, Any]) -> dict[str, Any]:
    """Writes T between date and time, as section 2.1 states; a database may contain a space there."""
    for field in ("discovered_at", "last_used"):
        if pattern[field] is not None:
            pattern[field] = pattern[field].replace(" ", "T")
    return pattern


def load(filepath: str) -> PatternLibrary:
    """
    Reads a file that this program or another one wrote.

    :raises FileNotFoundError: when the file does not exist.
    :raises json.JSONDecodeError: when it is not JSON.
    :raises ValidationError: when it is JSON, but not a pattern library.
    :raises UnsupportedFormatError: when its format is not 1.x.
    """
    with open(filepath, "rb") as file:
        data = file.read()
    try:
        return _library(exact_json.parse(data), filepath)
    except ValidationError as error:
        raise error.inside(f"{filepath}: ") from None


def _library(document: Any, filepath: str) -> PatternLibrary:
    _check_metadata(checks.mapping("document", document).get("metadata"), filepath)
    patterns = document.get("patterns")
    if not isinstance(patterns, list):
        raise ValidationError("/patterns", "expected an array of patterns")
    library = PatternLibrary()
    for index, item in enumerate(patterns):
        place = f"/patterns/{index}"
        try:
            pattern = Pattern.from_dict(checks.mapping("", item))
        except ValidationError as error:
            raise error.inside(f"{place}/") from None
        if pattern.id in library.patterns:
            raise ValidationError(f"{place}/id", f"an earlier pattern has the same id {pattern.id!a}")
        library.contribute(pattern.agent_id, pattern)
    contributions = document.get("agent_contributions")
    if contributions is not None:
        library.agent_contributions = check_contributions(contributions)
    return library


def _check_metadata(metadata: Any, filepath: str) -> None:
    """Checks the format version. A file without metadata counts as version 1.0."""
    if metadata is None:
        return
    version = checks.text("/metadata/version", checks.mapping("/metadata", metadata).get("version", FORMAT_VERSION))
    if not re.fullmatch(r"1\.[0-9]+", version):
        raise UnsupportedFormatError(f"{filepath}: the format version is {version!a}; this program reads 1.x")
    # saved_at and pattern_count are information for people. No code depends on them, so they are not checked.
