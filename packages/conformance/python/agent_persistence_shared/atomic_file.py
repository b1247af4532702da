"""Writing a file so that everybody sees the old one or the new one, whole, also after a loss of power."""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import contextmanager
from typing import Iterator, TextIO

from .errors import ValidationError


@contextmanager
def replacing(path: str) -> Iterator[TextIO]:
    """
    Opens a new text file that takes the place of ``path`` when the block ends well, and vanishes when it does not.

    :raises ValidationError: when ``path`` is an SQLite database: a document must not replace one.
    """
    target = os.path.realpath(path)
    _refuse_database(target)
    temporary = os.path.join(os.path.dirname(target), f".{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "x", encoding="utf-8", newline="") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(target):
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except BaseException:
        if os.path.exists(temporary):
            os.remove(temporary)
        raise


def write(path: str, text: str) -> None:
    """Replaces or creates a file."""
    with replacing(path) as file:
        file.write(text)


def _refuse_database(path: str) -> None:
    if os.path.isfile(path):
        with open(path, "rb") as file:
            if file.read(16) == b"SQLite format 3\0":
                raise ValidationError("filepath", f"{path} is an SQLite database; it was left as it is")
