# pyright: reportAttributeAccessIssue=false, reportPrivateImportUsage=false
"""Machine code of kernels on the disk: one file for each signature, named by what it is made of.

A file that is missing, cut short, altered or of another signature is a miss: the kernel is compiled
and the file written anew. A file that cannot be written costs a line in the log and the time of the
next compilation, never a result. Files appear whole under names of their own, so any number of
processes may compile the same kernels at once; nothing here depends on where the package lies.
"""

import hashlib
import logging
import os
import pickle
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core import compiler, serialize

_log = logging.getLogger(__name__)
_DIGEST_BYTES = 32
_unwritable: set[Path] = set()
"""Folders whose failure has been told."""


def _checksum(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


class KernelStore:
    """What Numba asks a dispatcher's cache for, kept in one folder."""

    kind = "kernel"
    """How files end."""

    def __init__(self, function: Callable[..., object], folder: Path) -> None:
        """The folder is made when something is saved, not before."""
        code = function.__code__
        self._folder = folder
        self._name = f"{function.__qualname__}-{code.co_firstlineno}".replace("<", "").replace(
            ">", ""
        )
        self._code = _checksum(code.co_code).hex()

    @property
    def cache_path(self) -> str:
        """The folder, as Numba's own caches call it."""
        return str(self._folder)

    def enable(self) -> None:
        """Nothing: a store is always in use."""

    disable = flush = enable

    def _key(self, signature: Any, codegen: Any) -> tuple[Any, ...]:
        return signature, codegen.magic_tuple(), self._code

    def file_of(self, key: tuple[Any, ...]) -> Path:
        """Where the code of one signature, machine and source is."""
        return self._folder / f"{self._name}-{_checksum(repr(key).encode()).hex()[:16]}.{self.kind}"

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """The compiled kernel, or None where it must be compiled."""
        target_context.refresh()
        key = self._key(signature, target_context.codegen())
        file = self.file_of(key)
        try:
            data = file.read_bytes()
        except OSError:
            return None
        if _checksum(data[_DIGEST_BYTES:]) != data[:_DIGEST_BYTES]:
            _log.warning("the kept kernel %s is damaged and is compiled anew", file)
            return None
        try:
            kept, payload = pickle.loads(data[_DIGEST_BYTES:])  # noqa: S301  (our own, unaltered)
            if kept != key:
                return None
            return self._rebuild(target_context, payload)
        except Exception as error:
            _log.warning("the kept kernel %s is of no use and is compiled anew: %s", file, error)
            return None

    def _rebuild(self, target_context: Any, payload: tuple[Any, ...]) -> Any:
        return compiler.CompileResult._rebuild(target_context, *payload)

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keeps a compiled kernel; where that fails, says so once for a folder and goes on."""
        if compiled.library.has_dynamic_globals or any(not x.can_cache for x in compiled.lifted):
            return
        key = self._key(signature, compiled.codegen)
        data = serialize.dumps((key, compiled._reduce()))
        file = self.file_of(key)
        part = file.with_name(f"{file.name}.{uuid.uuid4().hex[:12]}.part")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            try:
                part.write_bytes(_checksum(data) + data)
                os.replace(part, file)
            except OSError:
                part.unlink(missing_ok=True)
                raise
        except OSError as error:
            if self._folder.parent not in _unwritable:
                _unwritable.add(self._folder.parent)
                reason = error.strerror or error
                _log.warning(
                    "cannot keep compiled kernels in %s: %s; going on without",
                    self._folder.parent,
                    reason,
                )
