"""Collaboration state in files, one for each user (section 4.4)."""

from __future__ import annotations

import json
import os
from typing import Any

from agent_persistence_shared import atomic_file, checks, exact_json
from agent_persistence_shared.errors import CorruptDataError, ValidationError

from . import _state_document, _state_names


class StateManager:
    """
    Keeps one JSON file for each user. Files that older programs named by the raw id are found, too.

    :param state_dir: made at the first save.
    """

    def __init__(self, state_dir: str = "./state") -> None:
        self._folder = checks.path("state_dir", state_dir)

    def save_state(self, user_id: str, state: dict) -> None:
        """
        Saves a state in the place of the user's earlier one. Keys beyond section 2.8 are kept.

        :raises ValidationError: when it is no state, or the state of another user; nothing is written.
        """
        text = _state_document.savable(user_id, state)
        os.makedirs(self._folder, exist_ok=True)
        stems = self._stems_of(user_id)
        atomic_file.write(self._path(stems[0] if stems else self._new_stem(user_id)), text)

    def load_state(self, user_id: str) -> dict | None:
        """
        The state of a user, or None for an unknown one. Counts and times that are there under the keys of older
        programs only come under those of section 2.8, too.

        :raises CorruptDataError: when the file is no state; it is left as it is.
        """
        stems = self._stems_of(checks.identifier("user_id", user_id))
        if not stems:
            return None
        path = self._path(stems[0])
        try:
            state = _state_document.with_described_keys(self._read(stems[0]))
            _state_document.check(state)
        except (json.JSONDecodeError, ValidationError) as error:
            raise CorruptDataError(path, error) from error
        # The name of the file says whose state it is, also where a copied file names another user.
        return {**state, "user_id": user_id}

    def list_users(self) -> list[str]:
        """The ids of all users with a saved state, sorted."""
        return sorted({self._owner(stem) for stem in self._stems()})

    def delete_state(self, user_id: str) -> bool:
        """True when a state was deleted, False for an unknown user."""
        stems = self._stems_of(checks.identifier("user_id", user_id))
        for stem in stems:
            os.remove(self._path(stem))
            if os.path.exists(self._path(stem, ".id")):
                os.remove(self._path(stem, ".id"))
        return bool(stems)

    def _path(self, stem: str, extension: str = ".json") -> str:
        return os.path.join(self._folder, stem + extension)

    def _stems(self) -> list[str]:
        """The names of all state files, without their extension."""
        if not os.path.isdir(self._folder):
            return []
        stems = (os.path.splitext(name) for name in os.listdir(self._folder))
        return [stem for stem, extension in stems if extension == ".json" and os.path.isfile(self._path(stem))]

    def _stems_of(self, user_id: str) -> list[str]:
        """The user's files, our own name before the raw id of an older program; usually one or none."""
        found = set(self._stems())
        stems = dict.fromkeys([_state_names.encode(user_id), user_id])
        return [stem for stem in stems if stem in found and self._owner(stem) == user_id]

    def _new_stem(self, user_id: str) -> str:
        """The name for a user without a file. A file of an older program with this name gets our name for it."""
        stem = _state_names.encode(user_id)
        for other in self._stems():
            if other.lower() == stem.lower():
                os.rename(self._path(other), self._path(self._new_stem(self._owner(other))))
        if stem.startswith(_state_names.HASHED):
            atomic_file.write(self._path(stem, ".id"), user_id)
        return stem

    def _owner(self, stem: str) -> str:
        """Whose file it is. A raw id may look like an escape; then the document decides."""
        if stem.startswith(_state_names.HASHED) and os.path.isfile(self._path(stem, ".id")):
            with open(self._path(stem, ".id"), encoding="utf-8", newline="") as file:
                return file.read()
        user_id = _state_names.decode(stem)
        if user_id is None or ("%" in stem and self._says_it_is_of(stem)):
            return stem
        return user_id

    def _says_it_is_of(self, user_id: str) -> bool:
        try:
            state = self._read(user_id)
        except (json.JSONDecodeError, ValidationError):
            return False
        return isinstance(state, dict) and state.get("user_id") == user_id

    def _read(self, stem: str) -> Any:
        with open(self._path(stem), "rb") as file:
            return exact_json.parse(file.read())
