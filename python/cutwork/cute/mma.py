# mma.py -- matrix products: atoms, tiled over threads, and gemm.

from .. import _core
from .._errors import UserError, explain as _explain, only_hints as _only_hints
from .nvgpu.common import MmaUniversalOp

MmaAtom, TiledMma, ThrMma = _core.MmaAtom, _core.TiledMma, _core.ThrMma


def make_mma_atom(op, *, loc=None, ip=None, **kwargs):
    """The instruction that `op` names."""
    _only_hints("make_mma_atom", kwargs)
    if isinstance(op, MmaAtom):
        return op
    make = getattr(op, "make_mma_atom", None)
    if make is None:
        raise UserError(f"make_mma_atom: {op!r} is no matrix operation such as MmaUniversalOp(Float32)")
    return make()


def make_tiled_mma(op_or_atom, atom_layout_mnk=(1, 1, 1), permutation_mnk=None, *, loc=None, ip=None, **kwargs):
    """An atom over M, N and K: `atom_layout_mnk` deals atoms to threads, `permutation_mnk` has for each mode None, an
    extent of the tile, or a layout that also reorders it."""
    _only_hints("make_tiled_mma", kwargs)
    return _core.make_tiled_mma(make_mma_atom(op_or_atom), atom_layout_mnk, permutation_mnk)


def gemm(atom, d, a, b, c, *, loc=None, ip=None, **kwargs):
    """d = a * b + c, by rank: (V) x (V) -> (V); (V,M) x (V,N) -> (V,M,N); (V,M,K) x (V,N,K) -> (V,M,N)."""
    _only_hints("gemm", kwargs)
    for name, operand in (("d", d), ("a", a), ("b", b), ("c", c)):
        if not isinstance(operand, _core.Tensor):
            raise UserError(f"gemm: a tensor was expected as {name}, not {type(operand).__name__}")
    _core.gemm(atom, d, a, b, c)


def mma_atom_call(atom, d, a, b, c, *, loc=None, ip=None, **kwargs):
    """One execution of the atom: gemm of (V) operands."""
    _only_hints("mma_atom_call", kwargs)
    gemm(atom, d, a, b, c)


def make_tiled_copy_A(atom, tiled_mma, *, loc=None, ip=None):  # noqa: N802
    """A copy whose threads have the values that they have of A in the product."""
    return _core.make_tiled_copy_A(atom, tiled_mma)


def make_tiled_copy_B(atom, tiled_mma, *, loc=None, ip=None):  # noqa: N802
    return _core.make_tiled_copy_B(atom, tiled_mma)


def make_tiled_copy_C(atom, tiled_mma, *, loc=None, ip=None):  # noqa: N802
    return _core.make_tiled_copy_C(atom, tiled_mma)


def _set(self, field, value, *, loc=None, ip=None):
    raise UserError(f"{self.op!r} has no field {field}: a multiply-add always accumulates")


def _atom_text(self):
    return ("MMA Atom\n"
            f"  ThrID:           {self.thr_id}\n"
            f"  Shape MNK:       ({','.join(map(str, self.shape_mnk))})\n"
            f"  TV Layout A:     {self.tv_layout_A}\n"
            f"  TV Layout B:     {self.tv_layout_B}\n"
            f"  TV Layout C:     {self.tv_layout_C}")


def _tiled_text(self):
    permutation = ",".join("_" if p is None else str(p) for p in self.permutation_mnk)
    return ("Tiled MMA\n"
            f"  Thr Layout VMNK: {self.thr_layout_vmnk}\n"
            f"  Permutation MNK: ({permutation})\n" + _atom_text(self))


MmaAtom.__str__ = MmaAtom.__repr__ = _atom_text
for _class in (TiledMma, ThrMma):
    _class.__str__ = _class.__repr__ = _tiled_text
for _class in (MmaAtom, TiledMma, ThrMma):
    _class.op = property(lambda self: MmaUniversalOp(self.c_dtype))
    _class.set = _set

_explain(globals())

__all__ = ["MmaAtom", "ThrMma", "TiledMma", "gemm", "make_mma_atom", "make_tiled_copy_A", "make_tiled_copy_B",
           "make_tiled_copy_C", "make_tiled_mma", "mma_atom_call"]
