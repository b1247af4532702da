"""The library of patterns and their uses."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import checks
from .errors import ValidationError
from .pattern import Pattern


class Usage(NamedTuple):
    """One use of a pattern that waits to be written to ``pattern_usage``."""

    pattern_id: str
    agent_id: str
    success: bool
    used_at: str


class PatternLibrary:
    """
    The patterns of several agents.

    >>> library = PatternLibrary()
    >>> library.contribute("agent-1", {"id": "p1", "pattern_type": "retry", "name": "Retry once"}).confidence
    0.5
    >>> library.record_usage("p1", "agent-2", success=True)
    >>> len(library.patterns), library.patterns["p1"].usage_count
    (1, 1)
    """

    def __init__(self) -> None:
        #: Patterns by their id, in the order in which they were added.
        self.patterns: dict[str, Pattern] = {}
        #: Ids of the patterns that each agent contributed.
        self.agent_contributions: dict[str, list[str]] = {}
        #: Uses that are not in a database yet; ``save_to_sqlite`` writes each of them once.
        self.queued_usage: list[Usage] = []
        # The list of each agent as it was last seen, and its ids as a set: a search in the list itself would take seconds
        # for tens of thousands of patterns.
        self._listed: dict[str, tuple[list[str], set[str]]] = {}

    def contribute(self, agent_id: str, pattern: Pattern | dict) -> Pattern:
        """
        Adds a pattern, or replaces the one with the same id.

        The agent's contributions list the id once, also if they were replaced or changed before:

        >>> library, pattern = PatternLibrary(), {"id": "p1", "pattern_type": "retry", "name": "Retry once"}
        >>> for listed in ([], ["p2", "p4"]):
        ...     library.agent_contributions = {"agent-1": listed}
        ...     added = [library.contribute("agent-1", pattern) for _ in range(2)]
        ...     listed.append("p3")
        ...     added = library.contribute("agent-1", {**pattern, "id": "p3"})
        ...     print(listed)
        ['p1', 'p3']
        ['p2', 'p4', 'p1', 'p3']

        :param pattern: a pattern, or a dictionary of its fields; ``agent_id`` is the contributor if it is not given.
        :raises ValidationError: when the pattern is invalid.
        """
        checks.identifier("agent_id", agent_id)
        if not isinstance(pattern, Pattern):
            fields_given = checks.mapping("pattern", pattern)
            owner = agent_id if fields_given.get("agent_id") is None else fields_given["agent_id"]
            pattern = Pattern.from_dict({**fields_given, "agent_id": owner})
        self.patterns[pattern.id] = pattern
        contributed = self.agent_contributions.setdefault(agent_id, [])
        seen, ids = self._listed.get(agent_id, (None, set()))
        if seen is not contributed or len(ids) != len(contributed):
            ids = set(contributed)
            self._listed[agent_id] = (contributed, ids)
        if pattern.id not in ids:
            contributed.append(pattern.id)
            ids.add(pattern.id)
        return pattern

    def record_usage(self, pattern_id: str, agent_id: str, success: bool) -> None:
        """
        Counts one use. The confidence is not changed; only the caller sets it.

        :raises ValidationError: when the library has no such pattern, or an argument has the wrong type.
        """
        checks.identifier("pattern_id", pattern_id)
        checks.identifier("agent_id", agent_id)
        checks.boolean("success", success)
        if pattern_id not in self.patterns:
            raise ValidationError("pattern_id", f"the library has no pattern {pattern_id!a}")
        pattern = self.patterns[pattern_id]
        pattern.usage_count += 1
        if success:
            pattern.success_count += 1
        else:
            pattern.failure_count += 1
        pattern.last_used = checks.now()
        self.queued_usage.append(Usage(pattern_id, agent_id, success, pattern.last_used))

    def check(self) -> None:
        """
        Checks the whole library before it is saved.

        :raises ValidationError: when a pattern or a contribution is invalid; the message names it.
        """
        for key, pattern in self.patterns.items():
            try:
                pattern.check()
            except ValidationError as error:
                raise error.inside(f"pattern {key!a}: ") from None
            if key != pattern.id:
                raise ValidationError("patterns", f"the pattern {pattern.id!a} has the key {key!a}")
        check_contributions(self.agent_contributions)


def check_contributions(contributions: Any) -> dict[str, list[str]]:
    """
    Checks contributions and returns them.

    :raises ValidationError: when they do not map agents to arrays of pattern ids.
    """
    for agent_id, pattern_ids in checks.mapping("agent_contributions", contributions).items():
        checks.identifier("agent_contributions", agent_id)
        for pattern_id in checks.texts(f"agent_contributions/{agent_id}", pattern_ids):
            checks.identifier(f"agent_contributions/{agent_id}", pattern_id)
    return contributions
