"""Collaboration state in files, one file for each user (section 4.4)."""

from __future__ import annotations

import json
import os
from typing import Any

from agent_persistence_shared import atomic_file, checks, exact_json
from agent_persistence_shared.errors import CorruptDataError, ValidationError

from . import _state_document, _state_names


class StateManager:
    """
    Keeps one JSON file for each user. It also finds files that older programs named by the unencoded user id.

    :param state_dir: the directory of the files; created at the first save.
    """

    def __init__(self, state_dir: str = "./state") -> None:
        self._folder = checks.path("state_dir", state_dir)

    def save_state(self, user_id: str, state: dict) -> None:
        """
        Saves a state and replaces the user's earlier one. Keys that section 2.8 does not describe are kept.

        :raises ValidationError: when the state is invalid or belongs to another user; nothing is written.
        """
        text = _state_document.savable(user_id, state)
        os.makedirs(self._folder, exist_ok=True)
        stems = self._stems_of(user_id)
        atomic_file.write(self._path(stems[0] if stems else self._new_stem(user_id)), text)

    def load_state(self, user_id: str) -> dict | None:
        """
        Returns the state of a user, or None for an unknown user. Counts and times that are stored only under the keys
        of older programs are also returned under the keys of section 2.8.

        :raises CorruptDataError: when the file does not contain a valid state; the file is not changed.
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
        # The file name decides whose state it is, even if the file was copied and its content names another user.
        return {**state, "user_id": user_id}

    def list_users(self) -> list[str]:
        """Returns the ids of all users with a saved state, sorted."""
        return sorted({self._owner(stem) for stem in self._stems()})

    def delete_state(self, user_id: str) -> bool:
        """Deletes a user's state; False if the user has no state."""
        stems = self._stems_of(checks.identifier("user_id", user_id))
        for stem in stems:
            os.remove(self._path(stem))
            if os.path.exists(self._path(stem, ".id")):
                os.remove(self._path(stem, ".id"))
        return bool(stems)

    def _path(self, stem: str, extension: str = ".json") -> str:
        return os.path.join(self._folder, stem + extension)

    def _stems(self) -> list[str]:
        """Returns the names of all state files, without their extension."""
        if not os.path.isdir(self._folder):
            return []
        with os.scandir(self._folder) as entries:
            files = [os.path.splitext(entry.name) for entry in entries if entry.is_file()]
        return [stem for stem, extension in files if extension == ".json"]

    def _stems_of(self, user_id: str) -> list[str]:
        """Returns the user's files, usually one or none. The encoded name comes before the name of an older program."""
        stems = [stem for stem in dict.fromkeys([_state_names.encode(user_id), user_id]) if self._exists(stem)]
        # Where a file system ignores case, only the list of the files shows how a name is written.
        names = set(os.listdir(self._folder)) if stems else set()
        return [stem for stem in stems if f"{stem}.json" in names and self._owner(stem) == user_id]

    def _exists(self, stem: str) -> bool:
        return os.path.isfile(self._path(stem))

    def _new_stem(self, user_id: str) -> str:
        """
        Returns the name for a user who has no file yet. A file that an older program wrote under this name for another
        user is first renamed to the encoded name of that user.
        """
        stem = _state_names.encode(user_id)
        for other in self._stems() if self._exists(stem) else []:
            if other.lower() == stem.lower():
                os.rename(self._path(other), self._path(self._new_stem(self._owner(other))))
        if stem.startswith(_state_names.HASHED):
            atomic_file.write(self._path(stem, ".id"), user_id)
        return stem

    def _owner(self, stem: str) -> str:
        """Returns the user id of a file. An unencoded id may look like an encoded one; then the document decides."""
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
