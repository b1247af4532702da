"""The adapter of the Python implementation: protocol 1 of docs/adapter.md; ``python3 adapter.py 15`` or ``16``."""

import functools
import importlib.util
import inspect
import json
import math
import os
import sys
from decimal import Decimal

from agent_persistence_shared import exact_json
from agent_persistence_shared.errors import PersistenceError, ValidationError

if sys.argv[1:] not in (["15"], ["16"]):
    sys.exit("usage: adapter.py 15|16")
PACKAGE = f"agent_persistence_{sys.argv[1]}"
LINE = importlib.import_module(f"{PACKAGE}.persistence" if sys.argv[1] == "15" else PACKAGE)

# The open questions that this implementation answers as the rulings do; the README lists the others.
RULED = """
    save-existing sqlite-missing sqlite-not-a-library json-shape format-version json-lines optional contributions usage-table
    timestamps timestamps-sqlite text usage-confidence order numbers pattern-type library-attributes missing-directory
    metadata-storage record-metric-level record-metric-table current-level level-counts stats-extra unknown-user
    global-empty null-response-time range users-order export timestamp-zone saved-at-zone db-path-default not-a-database
    other-line-metrics state-file state-dir state-corrupt state-user-mismatch state-extra state-field-keys config
    lifecycle trends authentication events limits split-modules empathy-level-argument nonfinite durability read-what-can-be-read
    reading exact-ids acknowledged column-types
"""
INTRODUCTION = {
    "protocol": 1,
    "spec_version": importlib.import_module(PACKAGE).VERSION,
    "implementation": {"name": "agent-persistence-python", "version": "0.1.0", "language": "Python"},
    "capabilities": "patterns_json patterns_sqlite usage metrics trends export configuration persistence modules working_directory".split()
    + ["state"] * hasattr(LINE, "StateManager"),
    "choices": {f"U-{question}": "ruled" for question in RULED.split()},
}
WITHOUT_VALUE = ("PatternLibrary", "MetricsCollector", "StateManager", "open_persistence")


def from_wire(value):
    """Converts a value of the protocol to Python. Numbers that a double would change are sent as text."""
    if isinstance(value, list):
        return [from_wire(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and isinstance(value.get("$int", value.get("$number")), str):
        text = next(iter(value.values()))
        return float(text) if text in ("NaN", "Infinity", "-Infinity") else exact_json.number(text)
    return {key: from_wire(member) for key, member in value.items()}


def to_wire(value):
    if isinstance(value, LINE.PatternLibrary):
        patterns = [pattern.to_dict() for pattern in value.patterns.values()]
        return to_wire({"patterns": patterns, "agent_contributions": value.agent_contributions})
    if isinstance(value, dict):
        return {key: to_wire(member) for key, member in value.items()}
    if isinstance(value, list):
        return [to_wire(item) for item in value]
    if isinstance(value, Decimal):
        return {"$number": str(value)}
    if isinstance(value, float) and not math.isfinite(value):
        return {"$number": {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]}
    if isinstance(value, int) and abs(value) >= 2**53:
        return {"$int": str(value)}
    return value


def make_library(patterns=(), agent_contributions=None):
    """Makes a library from data. Without ``agent_contributions``, each pattern counts as contributed by its owner."""
    library = LINE.PatternLibrary()
    for pattern in patterns:
        library.contribute(pattern.get("agent_id"), pattern)
    if agent_contributions is not None:
        library.agent_contributions = agent_contributions
    return library


def imported(name):
    """Imports a module of the line; None if no such module exists."""
    full_name = f"{PACKAGE}.{name}" if name else PACKAGE
    return importlib.import_module(full_name) if importlib.util.find_spec(full_name) else None


def function_for(op, subject):
    """Finds the function that an operation calls; None if the line does not have the operation."""
    if op == "PatternLibrary":
        return make_library
    if op in ("MetricsCollector", "StateManager", "open_persistence"):
        return getattr(LINE, op, None)
    if op in ("save_to_json", "save_to_sqlite"):
        return functools.partial(getattr(LINE.PatternPersistence, op), subject)
    if op == "save_patterns":
        return lambda library: subject.patterns.save(kept[library])
    if op == "load_patterns":
        return subject.patterns.load
    if op == "has_module":
        return lambda name: imported(name) is not None
    if op == "has_member":
        return lambda name, module="": hasattr(imported(module), name)
    # The collector or state manager may belong to an opened persistence. Functions that load are static.
    owners = (subject, getattr(subject, "metrics", None), getattr(subject, "states", None), LINE.PatternPersistence)
    return next((getattr(owner, op) for owner in owners if hasattr(owner, op)), None)


def call(op, args, subject, keep):
    function = function_for(op, subject)
    if function is None:
        return {"type": "unsupported", "reason": f"this line has no {op}"}
    try:
        args = from_wire(args)
        try:
            inspect.signature(function).bind(**args)
        except TypeError as error:
            raise ValidationError(op, str(error)) from None
        result = function(**args)
    except Exception as error:
        kinds = {FileNotFoundError: "not_found", json.JSONDecodeError: "invalid_json", PersistenceError: "rejected"}
        kind = next((kinds[known] for known in kinds if isinstance(error, known)), "other")
        return {"type": "error", "kind": kind, "native": type(error).__name__, "message": str(error)}
    if keep is not None:
        kept[keep] = result
    return {"type": "ok", "value": None if op in WITHOUT_VALUE else to_wire(result)}


def answer(request):
    if request["type"] == "hello":
        return {"type": "ok", **INTRODUCTION}
    if request["type"] == "call":
        subject = kept[request["handle"]] if "handle" in request else None
        return call(request["op"], request["args"], subject, request.get("keep"))
    for thing in kept.values():
        getattr(thing, "close", lambda: None)()
    kept.clear()
    if request["type"] == "begin":
        os.chdir(request["directory"])
    return {"type": "ok"}


kept = {}
sys.setrecursionlimit(10_000)  # the suite sends values that are nested more deeply than Python's default limit
for line in sys.stdin.buffer:
    request = json.loads(line)
    print(json.dumps({"seq": request["seq"], **answer(request)}), flush=True)  # ASCII; other characters are escaped
    if request["type"] == "bye":
        break
