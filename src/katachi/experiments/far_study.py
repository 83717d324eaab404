"""A study on machines that have neither its folder nor its data.

Files of the data folder come through the cluster's store, once to each machine, into a folder of
the study in that machine's cache; what runs keep for each other is there, too. Few such folders
are kept.
"""

import fcntl
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from platformdirs import user_cache_path

from katachi.errors import KatachiError
from katachi.files.atomic import write_atomically
from katachi.workers import Pool, Shared

if TYPE_CHECKING:
    from katachi.experiments.runner import Measured, Study, Task

MOST_FOLDERS = 4
"""Folders of studies on a machine; those in use are never dropped."""
_LOCK = "lock"


@dataclass(frozen=True)
class FarFiles:
    """Files as they travel."""

    digest: str
    """Of all names and contents."""
    contents: Mapping[str, Shared[bytes]]

    @staticmethod
    def of(paths: Sequence[Path], pool: Pool) -> "FarFiles":
        """The files, shared by a pool; raises OSError."""
        contents, digest = {}, sha256()
        for path in sorted(paths):
            content = path.read_bytes()
            digest.update(f"{path.name} {len(content)}\n".encode() + content)
            contents[path.name] = pool.share(content)
        return FarFiles(digest.hexdigest()[:16], contents)


class FarStudy:
    """Does the runs of a study in a process of another machine."""

    def __init__(self, study: "Study[Any, Any]", files: FarFiles, cache: Path) -> None:
        """Holds a folder for the study below a cache, with its files; raises KatachiError."""
        self._study = study
        self._held = ExitStack()
        try:
            self._folder = _hold(cache / study.key, self._held)
            self._data = self._folder / f"data-{files.digest}"
            for name, content in files.contents.items():
                _fetch(self._data / name, content.get)
        except OSError as error:
            raise KatachiError(f"no room for the files of {study.id}: {error}") from None
        drop_old(cache)

    def work(self, task: "Task") -> "Measured":
        """What comes of one run. A folder of the journal that this machine sees, as on a file
        system that all share, stays the run's."""
        sees_it = (task.folder / f"{self._study.id}.runs.jsonl").exists()
        folder = task.folder if sees_it else self._folder
        data = None if task.data is None else self._data
        return self._study.work(task._replace(folder=folder, data=data))

    def close(self) -> None:
        """Lets go of the folder."""
        self._held.close()


def _hold(folder: Path, held: ExitStack) -> Path:
    """Makes a folder, and keeps others from dropping it as long as it is held."""
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        file = held.enter_context((folder / _LOCK).open("ab"))
        fcntl.flock(file, fcntl.LOCK_SH)
        if (folder / _LOCK).exists():  # else it was dropped just then
            os.utime(folder)
            return folder


def _fetch(path: Path, get: Callable[[], bytes]) -> None:
    """Writes a file unless another process of this machine has done it."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, get())


def drop_old(cache: Path) -> None:
    """Drops the folders that were begun longest ago, until few are left or all are in use."""
    folders = sorted(cache.iterdir(), key=_begun)
    for folder in folders[: max(0, len(folders) - MOST_FOLDERS)]:
        try:
            with (folder / _LOCK).open("ab") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                (folder / _LOCK).unlink()
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:  # in use, or another process drops it
            continue


def _begun(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def cluster_cache() -> Path:
    """Where this machine keeps what it needs for others' studies."""
    return user_cache_path("katachi") / "cluster"
