"""Pattern libraries in JSON files: a small implementation that can already be judged."""

import json
import math
import os
import re
import tempfile
from datetime import datetime, timezone

REQUIRED = ("id", "agent_id", "pattern_type", "name")
DEFAULTS = {"description": None, "context": None, "code": None, "confidence": 0.5, "usage_count": 0, "success_count": 0,
            "failure_count": 0, "tags": None, "discovered_at": None, "last_used": None}
TYPES = {"context": dict, "tags": list, "confidence": (int, float), "usage_count": int, "success_count": int, "failure_count": int}
TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d{1,6})?")


def pattern_from(given):
    """Returns a pattern with all fields; null means absence. Raises ValueError for a missing field or a wrong type."""
    if not isinstance(given, dict):
        raise ValueError(f"expected an object as a pattern, got {given!r}")
    pattern = {**dict.fromkeys(REQUIRED), **DEFAULTS}
    pattern.update({name: given[name] for name in pattern if given.get(name) is not None})
    for name in ("usage_count", "success_count", "failure_count"):
        if isinstance(pattern[name], float) and pattern[name].is_integer():
            pattern[name] = int(pattern[name])  # 3.0 is the integer 3 in JSON
    for name, value in pattern.items():
        if value is None and name in REQUIRED:
            raise ValueError(f"{name} is required and missing")
        if value is not None and (not isinstance(value, TYPES.get(name, str)) or isinstance(value, bool)):
            raise ValueError(f"{name}: {value!r} has the wrong type")
    for name in ("discovered_at", "last_used"):
        if pattern[name] is not None and not TIMESTAMP.fullmatch(pattern[name]):
            raise ValueError(f"{name}: expected a timestamp YYYY-MM-DDTHH:MM:SS, got {pattern[name]!r}")
        pattern[name] = pattern[name] and pattern[name].replace(" ", "T")  # other programs write a space
    return pattern


class PatternLibrary:
    def __init__(self, patterns=(), agent_contributions=None):
        self.patterns = {}
        self.agent_contributions = {}
        for given in patterns:
            pattern = pattern_from(given)
            if pattern["id"] in self.patterns:
                raise ValueError(f"two patterns have the same id {pattern['id']!r}")
            self.patterns[pattern["id"]] = pattern
            self.agent_contributions.setdefault(pattern["agent_id"], []).append(pattern["id"])
        if agent_contributions is not None:
            self.agent_contributions = agent_contributions


def save_to_json(library, filepath):
    """Writes the library to a temporary file first; when it is complete, it replaces the target file."""
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    document = {
        "patterns": list(library.patterns.values()),
        "agent_contributions": library.agent_contributions,
        "metadata": {"saved_at": now, "pattern_count": len(library.patterns), "version": "1.0"},
    }
    text = json.dumps(document, indent=2, allow_nan=False)
    with tempfile.NamedTemporaryFile("w", dir=os.path.dirname(filepath) or ".", delete=False) as file:
        print(text, end="", file=file, flush=True)
        os.fsync(file.fileno())
    try:
        os.replace(file.name, filepath)
    except OSError:
        os.remove(file.name)
        raise


def finite(text):
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {text} is too large")
    return number


def no_number(word):
    raise json.JSONDecodeError(f"{word} is not JSON", word, 0)


def load_from_json(filepath):
    """Reads a library. Raises FileNotFoundError, json.JSONDecodeError, or ValueError for JSON of another kind."""
    with open(filepath, encoding="utf-8-sig") as file:
        document = json.load(file, parse_float=finite, parse_constant=no_number)
    if not isinstance(document, dict) or not isinstance(document.get("patterns"), list):
        raise ValueError(f"{filepath}: expected an object with an array of patterns")
    version = (document.get("metadata") or {}).get("version", "1.0")
    if not re.fullmatch(r"1\.\d+", version):
        raise ValueError(f"{filepath}: the format version is {version!r}; this program reads 1.x")
    return PatternLibrary(document["patterns"], document.get("agent_contributions"))
