"""Checks of arguments and fields. Each returns the value in its stored form or raises ValidationError."""

from __future__ import annotations

import math
import os
import re
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

from .errors import ValidationError

_TIMESTAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?")


def _refuse(where: str, wanted: str, value: object) -> ValidationError:
    shown = ascii(value)
    return ValidationError(where, f"expected {wanted}, got {shown if len(shown) <= 80 else shown[:77] + '...'}")


def text(where: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _refuse(where, "text", value)
    return value


def encodable(where: str, value: Any) -> str:
    """Text that can be written as UTF-8. A lone surrogate cannot be written, and must not be replaced silently."""
    try:
        text(where, value).encode("utf-8")
    except UnicodeEncodeError:
        raise _refuse(where, "text without lone surrogates", value) from None
    return value


def identifier(where: str, value: Any) -> str:
    """The id of a user, an agent or a pattern."""
    if encodable(where, value) == "" or "\0" in value:
        raise _refuse(where, "an id that is not empty and contains no NUL character", value)
    return value


def boolean(where: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _refuse(where, "true or false", value)
    return value


def real(where: str, value: Any) -> float:
    """A finite number, as a float."""
    if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
    raise _refuse(where, "a finite number", value)


def integer(where: str, value: Any, low: int = -(2**63), high: int = 2**63 - 1) -> int:
    """An integer within limits (by default those of SQLite). 3.0 is accepted as an integer, as in JSON; True is not."""
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if not whole or isinstance(value, bool) or not low <= value <= high:
        raise _refuse(where, f"an integer from {low} to {high}", value)
    return int(value)


def level(where: str, value: Any) -> int:
    return integer(where, value, 1, 5)


def response_time(value: Any) -> float:
    if real("response_time_ms", value) < 0:
        raise _refuse("response_time_ms", "a number of milliseconds, 0 or more", value)
    return float(value)


def timestamp(where: str, value: Any) -> str:
    """An ISO 8601 timestamp without a zone. The text is kept unchanged, with its fraction and its separator."""
    try:
        if not _TIMESTAMP.fullmatch(text(where, value)):
            raise ValueError
        datetime.fromisoformat(value[:19])
    except ValueError:
        raise _refuse(where, "a timestamp YYYY-MM-DDTHH:MM:SS", value) from None
    return value


def mapping(where: str, value: Any) -> dict:
    if not isinstance(value, dict):
        raise _refuse(where, "an object", value)
    return value


def texts(where: str, value: Any) -> list:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _refuse(where, "an array of strings", value)
    return value


def path(where: str, value: Any) -> str:
    """A path as text. Numbers are refused: open() would use a number as a file descriptor."""
    if isinstance(value, (str, os.PathLike)):
        try:
            name = os.fsencode(value)
        except UnicodeEncodeError:
            name = b""
        if name != b"" and b"\0" not in name:
            return os.fsdecode(name)
    raise _refuse(where, "a path", value)


def now() -> str:
    """The current time (UTC) in the form of section 2.1."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
