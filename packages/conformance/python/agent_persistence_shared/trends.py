"""
Trends (ruling U-trends): the statistics of hours, days, weeks or months, and the trust of a user at the end of each.
Periods are UTC. Interactions whose timestamp cannot be read belong to no period and are left out.
"""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from typing import Any, Callable, Iterable, NamedTuple

from . import checks
from .errors import ValidationError


class Interaction(NamedTuple):
    """One row of ``interactions``. ``response_time_ms`` has no value if it is missing or not a finite number."""

    id: int
    level: Any
    success: bool
    response_time_ms: float | None
    timestamp: Any


class Options:
    """The checked options of a trend."""

    def __init__(self, bucket: Any, since: Any, until: Any, trust: Any) -> None:
        if checks.text("bucket", bucket) not in _PERIODS:
            raise ValidationError("bucket", f"expected one of {', '.join(_PERIODS)}, got {bucket!a}")
        self.bucket: str = bucket
        self.since = -math.inf if since is None else _limit("since", since)
        self.until = math.inf if until is None else _limit("until", until)
        figures = {} if trust is None else checks.mapping("trust", trust)
        for name in figures:
            if name not in _TRUST:
                raise ValidationError("trust", f"expected the keys {', '.join(_TRUST)}, got {name!a}")
        self.initial, self.gain, self.loss = (
            _figure(f"trust.{name}", figures.get(name, default)) for name, default in _TRUST.items()
        )


def rows(interactions: Iterable[Interaction], options: Options, with_trust: bool) -> list[dict[str, Any]]:
    """
    Returns one dictionary for each period that has an interaction from ``since`` until before ``until``.

    :param interactions: in the order of their ids; for trust, those of one user.

    >>> saturday = Interaction(1, 3, True, 10.0, "2025-03-01 09:00:00")
    >>> week = rows([saturday], Options("week", None, None, None), with_trust=True)[0]
    >>> week["period"], week["total_operations"], week["trust"]
    ('2025-02-24', 1, 0.55)
    """
    periods: dict[datetime, list[tuple[Fraction, Interaction]]] = {}
    for interaction in interactions:
        moment = _moment(interaction.timestamp)
        if moment is not None and moment < options.until:
            start = _PERIODS[options.bucket](_EPOCH + timedelta(seconds=math.floor(moment)))
            periods.setdefault(start, []).append((moment, interaction))
    given = []
    trust = _Trust(options)
    for start in sorted(periods):
        if with_trust:
            trust.add([interaction for _, interaction in periods[start]])
        selected = [interaction for moment, interaction in periods[start] if moment >= options.since]
        if selected:
            row = {"period": _name(start, options.bucket), **_statistics(selected)}
            given.append({**row, "trust": float(trust.value)} if with_trust else row)
    return given


class _Trust:
    """The trust of a user. Periods arrive in order of time, but interactions count in the order of their ids."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._counted: list[Interaction] = []
        self.value = options.initial

    def add(self, interactions: list[Interaction]) -> None:
        in_order = not self._counted or self._counted[-1].id < interactions[0].id
        self._counted += interactions
        if not in_order:
            self._counted.sort(key=lambda interaction: interaction.id)
            self.value = self._options.initial
            interactions = self._counted
        for interaction in interactions:
            step = self._options.gain if interaction.success else -self._options.loss
            self.value = min(Decimal(1), max(Decimal(0), self.value + step))


def _name(start: datetime, bucket: str) -> str:
    text = start.isoformat()
    return f"{text[:13]}:00:00" if bucket == "hour" else text[:10]


def _statistics(interactions: list[Interaction]) -> dict[str, Any]:
    times = [row.response_time_ms for row in interactions if row.response_time_ms is not None]
    levels = [row.level for row in interactions]
    return {
        "total_operations": len(interactions),
        "success_rate": sum(row.success for row in interactions) / len(interactions),
        # Very large times are divided before they are summed: their sum could overflow.
        "avg_response_time_ms": math.fsum(time / len(times) for time in times),
        **{f"level_{level}_count": levels.count(level) for level in range(1, 6)},
    }


def _moment(timestamp: Any) -> Fraction | None:
    """Seconds since 1970 of a stored timestamp, None if it is not one."""
    found = _STORED.fullmatch(timestamp) if isinstance(timestamp, str) else None
    if found is None:
        return None
    date, time, fraction, zone = found.groups()
    try:
        seconds = _seconds(f"{date}T{time or '00:00:00'}") - _offset(zone)
        _EPOCH + timedelta(seconds=int(seconds))
    except (ValueError, OverflowError):
        return None
    return seconds + Fraction(f"0{fraction or ''}")


def _offset(zone: str | None) -> int:
    """Seconds by which a zone is ahead of UTC."""
    if zone is None or zone == "Z":
        return 0
    return (int(zone[1:3]) * 60 + int(zone[-2:])) * (-60 if zone[0] == "-" else 60)


def _limit(where: str, value: Any) -> Fraction:
    """Seconds since 1970 of ``since`` or ``until``."""
    found = _GIVEN.fullmatch(checks.text(where, value))
    try:
        if found is None:
            raise ValueError
        return _seconds(f"{found[1]}T{found[2] or '00:00:00'}") + Fraction(f"0{found[3] or ''}")
    except ValueError:
        wanted = "YYYY-MM-DD or YYYY-MM-DDTHH:MM:SS, in UTC"
        raise ValidationError(where, f"expected {wanted}, got {ascii(value)[:80]}") from None


def _seconds(text: str) -> Fraction:
    return Fraction((datetime.fromisoformat(text).replace(tzinfo=timezone.utc) - _EPOCH) // timedelta(seconds=1))


def _figure(where: str, value: Any) -> Decimal:
    """A figure of trust, as the decimal number that was written."""
    number = checks.real(where, value)
    if not 0 <= number <= 1:
        raise ValidationError(where, f"expected a number from 0 to 1, got {ascii(value)[:80]}")
    return Decimal(repr(number))


_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_TRUST = {"initial": 0.5, "gain": 0.05, "loss": 0.1}
_STORED = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[ T]([0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]+)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)
_GIVEN = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[ T]([0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]+)?Z?)?")


def _day(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0)


# The start of the period that contains a time.
_PERIODS: dict[str, Callable[[datetime], datetime]] = {
    "hour": lambda moment: moment.replace(minute=0, second=0),
    "day": _day,
    "week": lambda moment: _day(moment) - timedelta(days=moment.weekday()),
    "month": lambda moment: _day(moment).replace(day=1),
}
