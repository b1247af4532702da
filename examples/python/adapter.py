"""The adapter: `python3 adapter.py`. It began as a copy of the skeleton on the suite's page about adapters."""

import json
import sys

import pattern_files

INTRODUCTION = {
    "type": "ok",
    "protocol": 1,
    "spec_version": "16.0.0",
    "implementation": {"name": "pattern-files", "version": "0.1.0", "language": "Python"},
    "capabilities": ["patterns_json"],
    # Open questions that are answered as the rulings do. Answers to the other questions are only observed.
    "choices": {f"U-{question}": "ruled" for question in ("json-shape", "format-version", "optional", "contributions", "order", "saved-at-zone")},
}
kept = {}


def call(op, args, subject, keep):
    if op == "PatternLibrary":
        kept[keep] = pattern_files.PatternLibrary(**args)
    elif op == "save_to_json":
        pattern_files.save_to_json(subject, **args)
    elif op == "load_from_json":
        kept[keep] = library = pattern_files.load_from_json(**args)
        return {"patterns": list(library.patterns.values()), "agent_contributions": library.agent_contributions}
    else:
        raise NotImplementedError(op)


def kind_of(error):
    if isinstance(error, FileNotFoundError):
        return "not_found"
    if isinstance(error, json.JSONDecodeError):  # also a ValueError, so this check comes first
        return "invalid_json"
    return "rejected" if isinstance(error, (ValueError, TypeError)) else "other"


def answer(request):
    if request["type"] == "hello":
        return INTRODUCTION
    if request["type"] != "call":
        kept.clear()
        return {"type": "ok"}
    try:
        value = call(request["op"], request["args"], kept.get(request.get("handle")), request.get("keep"))
        return {"type": "ok", "value": value}
    except NotImplementedError as error:
        return {"type": "unsupported", "reason": str(error)}
    except Exception as error:
        return {"type": "error", "kind": kind_of(error), "native": type(error).__name__, "message": str(error)}


for line in sys.stdin.buffer:
    request = json.loads(line)
    print(json.dumps({"seq": request["seq"], **answer(request)}), flush=True)
    if request["type"] == "bye":
        break
