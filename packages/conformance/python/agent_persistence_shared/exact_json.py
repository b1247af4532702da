"""JSON with exact numbers: a number that a float cannot hold becomes a Decimal, and all its digits are written."""

from __future__ import annotations

import json
import math
from decimal import Decimal, InvalidOperation
from typing import Any

from .errors import ValidationError

# Python refuses to convert longer texts to int (sys.get_int_max_str_digits); Decimal accepts them.
_LONGEST_INT = 4000

# json.dumps would make an encoder for each value.
_encoded = json.JSONEncoder(allow_nan=False).encode


def number(text: str) -> int | float | Decimal:
    """
    Returns the value of a JSON number.

    >>> number("0.1"), number("12345678901234567890"), number("1e400")
    (0.1, 12345678901234567890, Decimal('1E+400'))
    """
    # An int has no -0; a float keeps the sign.
    if text.lstrip("+-").isdigit() and len(text) <= _LONGEST_INT and text != "-0":
        return int(text)
    try:
        exact = Decimal(text)
    except InvalidOperation:
        raise ValidationError("number", f"the exponent of {text[:40]} is too large") from None
    nearest = float(exact)
    return nearest if math.isfinite(nearest) and Decimal(repr(nearest)) == exact else exact


def parse(data: bytes | str) -> Any:
    """
    Reads JSON text; a byte order mark is skipped.

    :raises json.JSONDecodeError: for text that is not JSON, such as NaN or bytes that are not UTF-8, and for text that
        is nested more deeply than Python's recursion limit: it was not read to its end, so it may not be valid JSON.
    :raises ValidationError: for a number that Python cannot hold.
    """
    if isinstance(data, bytes):
        try:
            data = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            before = data[: error.start].decode("utf-8")
            raise json.JSONDecodeError("Not UTF-8", before, len(before)) from None

    def refuse(constant: str) -> None:
        raise json.JSONDecodeError(f"{constant} is not JSON", data, data.find(constant))

    try:
        return json.loads(data, parse_float=number, parse_int=number, parse_constant=refuse)
    except RecursionError:
        raise json.JSONDecodeError("Nested too deeply", data, 0) from None


def to_text(where: str, value: Any, indented: bool = False) -> str:
    """
    Returns JSON text in ASCII: any encoding can store it, and escapes keep lone surrogates.

    :param where: the name of the value in an error message.
    :raises ValidationError: for NaN, infinity, a key that is not text, or a type that JSON does not have.
    """
    parts: list[str] = []
    try:
        _append(parts, value, "\n" if indented else "")
    except RecursionError:
        raise ValidationError(where, "it is nested too deeply") from None
    except (TypeError, ValueError) as error:
        raise ValidationError(where, f"it cannot be written as JSON: {error}") from None
    return "".join(parts)


def _append(parts: list[str], value: Any, newline: str) -> None:
    deeper = newline and newline + "  "
    if isinstance(value, dict):
        separator = "{"
        for key, member in value.items():
            if not isinstance(key, str):
                raise TypeError(f"the key {key!r} is not text")
            parts.append(f"{separator}{deeper}{_encoded(key)}: ")
            _append(parts, member, deeper)
            separator = "," if newline else ", "
        parts.append(newline + "}" if value else "{}")
    elif isinstance(value, (list, tuple)):
        separator = "["
        for item in value:
            parts.append(separator + deeper)
            _append(parts, item, deeper)
            separator = "," if newline else ", "
        parts.append(newline + "]" if value else "[]")
    elif isinstance(value, Decimal) and value.is_finite():
        parts.append(str(value))
    else:
        parts.append(_encoded(value))
