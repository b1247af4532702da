"""Atomic writing of files: a reader sees the complete old file or the complete new one, even after a power cut."""

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
    Opens a temporary text file. It replaces ``path`` when the block succeeds and is removed when the block fails.

    :raises ValidationError: when ``path`` is an SQLite database, which a document must not replace.
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
                raise ValidationError("filepath", f"{path} is an SQLite database; it was not changed")
