"""JSON that changes no number: what a float cannot hold is a Decimal, and is written back digit for digit."""

from __future__ import annotations

import json
import math
from decimal import Decimal, InvalidOperation
from typing import Any

from .errors import ValidationError

# Python refuses to convert longer texts to int (sys.get_int_max_str_digits), Decimal takes them.
_LONGEST_INT = 4000


def number(text: str) -> int | float | Decimal:
    """
    The value of a JSON number.

    >>> number("0.1"), number("12345678901234567890"), number("1e400")
    (0.1, 12345678901234567890, Decimal('1E+400'))
    """
    # There is no int -0; the float keeps the sign.
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

    :raises json.JSONDecodeError: for text that is not JSON: NaN, and bytes that are not UTF-8, are none either. Text
        that is nested more deeply than Python can follow ends here, too: nobody knows whether its end is well-formed.
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
    JSON text in ASCII, so that it can be stored anywhere and keeps lone surrogates.

    :param where: what to name when the value has no JSON form.
    :raises ValidationError: for NaN, infinity, a key that is no text, or another type.
    """
    parts: list[str] = []
    try:
        _append(parts, value, "\n" if indented else "")
    except RecursionError:
        raise ValidationError(where, "it is nested too deeply") from None
    except (TypeError, ValueError) as error:
        raise ValidationError(where, f"it has no JSON form: {error}") from None
    return "".join(parts)


def _append(parts: list[str], value: Any, newline: str) -> None:
    deeper = newline and newline + "  "
    if isinstance(value, dict):
        separator = "{"
        for key, member in value.items():
            if not isinstance(key, str):
                raise TypeError(f"the key {key!r} is no text")
            parts.append(f"{separator}{deeper}{json.dumps(key)}: ")
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
        parts.append(json.dumps(value, allow_nan=False))
