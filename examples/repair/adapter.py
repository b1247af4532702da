"""Adapter of metrics.py for the conformance suite: it translates, and adds nothing that the collector lacks."""

import json
import os
import sys

from metrics import MetricsCollector

INTRODUCTION = {
    "protocol": 1,
    "spec_version": "16.0.0",
    "implementation": {"name": "metrics.py", "version": "0.1.0", "language": "Python"},
    "capabilities": ["metrics", "working_directory"],
    "choices": {},
}
kept = {}


def call(op, args, handle=None, keep=None, **_):
    args = {key: float(value["$number"]) if isinstance(value, dict) and "$number" in value else value for key, value in args.items()}
    if op == "MetricsCollector":
        kept[keep] = MetricsCollector(**args)
        return None
    return getattr(kept[handle], op)(**args)


def answer(request):
    if request["type"] == "hello":
        return {"type": "ok", **INTRODUCTION}
    if request["type"] == "call":
        try:
            return {"type": "ok", "value": call(**request)}
        except Exception as error:
            kind = "rejected" if isinstance(error, (TypeError, ValueError)) else "other"
            return {"type": "error", "kind": kind, "native": type(error).__name__, "message": str(error)}
    for collector in kept.values():
        collector.close()
    kept.clear()
    if request["type"] == "begin":
        os.chdir(request["directory"])
    return {"type": "ok"}


for line in sys.stdin.buffer:
    request = json.loads(line)
    print(json.dumps({"seq": request["seq"], **answer(request)}), flush=True)
    if request["type"] == "bye":
        break
