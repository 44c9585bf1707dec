# backend.py -- what staging asks of the tracer, as a protocol that the bindings (and the tests) implement.
"""A leaf is a value of one machine type: a dynamic number, what a registered type's handler gives as
leaves, or an element of __extract_mlir_values__. Where a leaf or operand is expected a Python number
may come; it counts as Int32 (Int64 if it does not fit), Float32 or Boolean.

A region handle is whatever the backend likes. Regions are closed in the reverse order of opening. If the
traced code raises, open regions stay open: the trace is thrown away."""

from typing import Any, Protocol


class Backend(Protocol):
    def is_dynamic(self, x: Any) -> bool:
        """Whether x is a number (or vector) known only at run time; of any object, cheaply."""

    def to_boolean(self, x: Any) -> Any:
        """x != 0 as a dynamic Boolean; of a Python bool too. Raises for what has no truth."""

    def kind(self, x: Any) -> "str | None":
        """'bool', 'int' or 'float' of a dynamic scalar, None of anything else. Optional: without it the
        beginning of type_name(x) decides (Bool, Int, Uint, Float, BFloat, TFloat)."""

    # -- regions: the insertion point is inside after open_*, behind after close

    def open_if(self, cond: Any, else_: bool) -> Any:
        """else_: open_else will follow."""

    def open_else(self, handle: Any) -> None: ...

    def open_for(self, start: Any, stop: Any, step: Any, unroll: int = 0, unroll_full: bool = False,
                 vectorize: "bool | None" = None, prefetch_stages: "int | None" = None) -> "tuple[Any, Any]":
        """(handle, index). Any sign of step, static or not; the index has the promoted type."""

    def open_while(self) -> Any:
        """The insertion point is where the test is evaluated. May be discarded without a condition."""

    def while_condition(self, handle: Any, cond: Any) -> None:
        """The body begins; values made before it in the region dominate it."""

    def close(self, handle: Any) -> None: ...

    def discard(self, handle: Any) -> None:
        """Erases a region, open (the innermost) or closed (the last operation), with all in it.
        Slots that were made meanwhile may stay."""

    # -- slots

    def slot(self, leaf: Any) -> Any:
        """A stack slot of the leaf's type in the function's entry block; at any time."""

    def load(self, slot: Any) -> Any:
        """A slot that was never stored to may be loaded; such a value is stored again, and never used."""

    def store(self, slot: Any, leaf: Any) -> None: ...

    # -- types and operations

    def same_type(self, a: Any, b: Any) -> bool:
        """Of two leaves."""

    def type_name(self, x: Any) -> str:
        """For messages: Int32, Float16, ..."""

    def convert(self, x: Any, like: Any) -> Any:
        """x as a dynamic value of the type of `like`. convert(n, n) of a Python number gives its default
        type."""

    def promote(self, a: Any, b: Any) -> Any:
        """Something of the promoted type, for `like`; it is not used as a value."""

    def select(self, c: Any, a: Any, b: Any) -> Any:
        """c is a Boolean, a and b are leaves of one type."""

    def binary(self, op: str, a: Any, b: Any) -> Any:
        """op: and, or, xor (Booleans); lt, gt, add, min, max (numbers of one type)."""

    # -- kernels

    def leave(self) -> None:
        """The thread leaves the kernel; what follows in the region is traced, and is dead."""

    def in_kernel(self) -> bool: ...
