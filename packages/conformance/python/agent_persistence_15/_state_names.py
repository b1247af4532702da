"""
File names for user ids. A name cannot point outside the directory. Two ids have different names even on a file system
that ignores case.
"""

from __future__ import annotations

import hashlib
import re
from urllib.parse import unquote_to_bytes

#: Longest name without its extension; many file systems allow at most 255 bytes.
_LONGEST = 200
#: Prefix of the name of an id that is too long. An encoded id never has it: there, two digits follow every %.
HASHED = "%~"
_SAFE = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789_-.@+=,~ ")
_DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)")


def encode(user_id: str) -> str:
    """
    Returns the name of a user's file, without its extension.

    >>> encode("alice"), encode("Alice"), encode("../x"), encode("nul")
    ('alice', '%41lice', '%2e.%2fx', '%6eul')
    """
    characters = [chr(byte) if byte in _SAFE else f"%{byte:02x}" for byte in user_id.encode("utf-8")]
    if user_id[0] in ". " or _DEVICES.match(user_id):
        characters[0] = f"%{ord(user_id[0]):02x}"
    if user_id[-1] in ". ":
        characters[-1] = f"%{ord(user_id[-1]):02x}"
    name = "".join(characters)
    return name if len(name) <= _LONGEST else HASHED + hashlib.sha256(user_id.encode("utf-8")).hexdigest()


def decode(name: str) -> str | None:
    """Returns the user id of a name made by ``encode``; None for a hashed name and for any other name."""
    try:
        user_id = unquote_to_bytes(name).decode("utf-8")
    except UnicodeError:
        return None
    return user_id if user_id != "" and encode(user_id) == name else None
