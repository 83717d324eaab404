# pyright: reportAttributeAccessIssue=false, reportPrivateImportUsage=false
# pyright: reportIncompatibleMethodOverride=false
"""Kernels that are called by other kernels, compiled no further than their callers need.

Numba would make a finished program of every function that it meets: optimized, turned into machine
code, wrapped for calls from Python. What only other kernels call needs none of that: its code goes
into its callers and is optimized there. So each kernel has two forms, each compiled when it is
asked for: one for Python, and one, left as intermediate code, for other kernels.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from llvmlite import binding
from numba.core import compiler, types
from numba.core.codegen import JITCodeLibrary
from numba.core.registry import CPUDispatcher

from katachi._jit.store import KernelStore


class LinkedLibrary(JITCodeLibrary):
    """Code that is only ever copied into that of its callers."""

    def finalize(self) -> None:
        """Takes in the code of the kernels called here; no machine code is made."""
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._final_module.verify()
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        """As Numba's caches ask for it, but intermediate code is all there is."""
        self._ensure_finalized()
        return self.name, "bitcode", self._get_module_for_linking().as_bitcode()

    @classmethod
    def from_bitcode(cls, codegen: Any, name: str, data: bytes) -> "LinkedLibrary":
        """The library that was serialized."""
        library = cls(codegen, name)
        library._final_module = binding.parse_bitcode(data)
        library._finalize_dynamic_globals()
        library._finalized = True
        return library


class _LinkedCompiler(compiler.Compiler):
    """Numba's compiler, stopped before optimization and machine code."""

    def compile_extra(self, func: Callable[..., object]) -> Any:
        state = self.state
        state.flags.no_compile = True
        state.flags.no_cpython_wrapper = True
        state.flags.no_cfunc_wrapper = True
        state.library = LinkedLibrary(state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)


class LinkedStore(KernelStore):
    """A store of linked forms."""

    kind = "linked"

    def _rebuild(self, target_context: Any, payload: tuple[Any, ...]) -> Any:
        (name, _, code), fndesc, env, signature, objectmode, lifted, *_ = payload
        return compiler.compile_result(
            target_context=target_context,
            typing_context=target_context.typing_context,
            library=LinkedLibrary.from_bitcode(target_context.codegen(), name, code),
            environment=env,
            entry_point=object(),
            fndesc=fndesc,
            signature=signature,
            objectmode=objectmode,
            lifted=lifted,
        )


class LinkedForm(CPUDispatcher):
    """What other kernels call of a kernel; nothing that Python can call."""

    def __init__(
        self, function: Callable[..., object], options: dict[str, Any], folder: Path
    ) -> None:
        super().__init__(function, targetoptions=options, pipeline_class=_LinkedCompiler)
        self._cache = LinkedStore(function, folder)

    def add_overload(self, cres: Any) -> None:
        """Numba finds the code of a call by its entry point, for which any object will do."""
        if cres.entry_point is None:
            cres = cres._replace(entry_point=object())
            self.targetctx.insert_user_function(cres.entry_point, cres.fndesc, [cres.library])
        self.overloads[tuple(cres.signature.args)] = cres


class Kernel(CPUDispatcher):
    """A kernel as Python calls it, which hands calls from other kernels to its linked form."""

    def __init__(
        self, function: Callable[..., object], options: dict[str, Any], folder: Path
    ) -> None:
        super().__init__(function, targetoptions=options)
        self._cache = KernelStore(function, folder)
        self.linked = LinkedForm(function, options, folder)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """As Numba asks for it when it meets a call. A number written in the source is a number as
        any other: Numba would compile a form for each of them."""
        args = [types.unliteral(each) for each in args]
        kws = {name: types.unliteral(each) for name, each in kws.items()}
        return self.linked.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        """As Numba asks for it when it writes a call."""
        return self.linked.get_overload(sig)
