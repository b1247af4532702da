"""Loads or saves a pattern library once as the original product does, and tells the time and the memory."""
import json
import resource
import sys
import time
from dataclasses import dataclass, field
from typing import Any, Optional


@dataclass
class Pattern:
    id: str
    agent_id: str
    pattern_type: str
    name: str
    description: Optional[str] = None
    context: Optional[dict[str, Any]] = None
    code: Optional[str] = None
    confidence: float = 0.5
    usage_count: int = 0
    success_count: int = 0
    failure_count: int = 0
    tags: list[str] = field(default_factory=list)
    discovered_at: Optional[str] = None
    last_used: Optional[str] = None


task, source, *target = sys.argv[1:]
start = time.perf_counter()
with open(source, encoding="utf-8") as file:
    patterns = [Pattern(**fields) for fields in json.load(file)["patterns"]]
if task == "save":
    start = time.perf_counter()
    document = {"patterns": [vars(pattern) for pattern in patterns], "metadata": {"version": "1.0"}}
    with open(target[0], "w", encoding="utf-8") as file:
        json.dump(document, file, indent=2)
print((time.perf_counter() - start) * 1000, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
