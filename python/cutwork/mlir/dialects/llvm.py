# llvm.py -- inline assembly and structures, as programs write them.

import enum
import re

from ... import _core
from ..._errors import UserError
from ..._numbers import CLASSES, Numeric, NumericMeta
from ..ir import Value
from ..structures import PointerType, StructType, StructValue

_BOOLEAN, _INT32 = CLASSES["Boolean"], CLASSES["Int32"]


def extractvalue(res, container, position, *, loc=None, ip=None):
    """The field of a structure that the path `position` leads to."""
    value = container
    for step in position:
        value = value.held if isinstance(value, Value) and not isinstance(value, StructValue) else value
        if not isinstance(value, StructValue) or not 0 <= step < len(value.fields):
            raise UserError(f"extractvalue: position {list(position)} leads out of {container!r}; a structure with that "
                            "field was expected")
        value = value.fields[step]
    return value


def bitcast(res, arg, *, loc=None, ip=None, **_):
    """The bits of a number as another type of the same width."""
    if not isinstance(res, NumericMeta) or not isinstance(arg, (Numeric, int, float)):
        raise UserError(f"llvm.bitcast: a number and a number class were expected, not {arg!r} and {res!r}")
    value = arg if isinstance(arg, Numeric) else Numeric(arg)
    if type(value).width != res.width:
        raise UserError(f"llvm.bitcast: {type(value)} has {type(value).width} bits and {res} has {res.width}")
    return value.bitcast(res)


def addrspacecast(res, arg, *, loc=None, ip=None, **_):
    """The same place as a pointer of another address space: PointerType.get(space), generic without one."""
    space = getattr(res, "address_space", None)
    space = _core.AddressSpace.generic if space in (None, 0) else space
    if not isinstance(res, PointerType) or not isinstance(arg, _core.Pointer):
        raise UserError(f"llvm.addrspacecast: a pointer and PointerType.get(AddressSpace...) were expected, not {arg!r} and {res!r}")
    if arg.memspace == space:
        return arg
    generic = _core.AddressSpace.generic
    if generic not in (arg.memspace, space):
        raise UserError(f"llvm.addrspacecast: from {arg.memspace.name} to {space.name}; one of both is generic")
    named = space if arg.memspace == generic else arg.memspace
    if named == _core.AddressSpace.smem:
        address = _shared(arg, to_generic=space == generic)
    else:  # global memory has the same addresses in both
        address = arg.toint()
    return _core.make_ptr(arg.dtype, address, space, arg.alignment)


def _shared(pointer, to_generic):
    """The address of shared memory in the generic space, or back."""
    if to_generic:
        text = "{\n.reg .b64 wide;\ncvt.u64.u32 wide, $1;\ncvta.shared.u64 $0, wide;\n}"
        return _core.arch.inline_ptx(text, [CLASSES["Int64"]], [CLASSES["Uint32"](pointer.toint())])[0]
    text = "{\n.reg .b64 wide;\ncvta.to.shared.u64 wide, $1;\ncvt.u32.u64 $0, wide;\n}"
    return _core.arch.inline_ptx(text, [CLASSES["Int32"]], [CLASSES["Int64"](pointer.toint())])[0]


class AsmDialect(enum.Enum):
    AD_ATT = 0
    AD_INTEL = 1


def inline_asm(res, operands_, asm_string, constraints, *, has_side_effects=False, is_align_stack=False, asm_dialect=None,
               loc=None, ip=None, **_):
    """PTX with $0, $1, ... for results and operands; the constraints of LLVM are by type here, and checked for number."""
    if isinstance(res, StructType):
        made = inline_asm(list(res.fields), operands_, asm_string, constraints)
        return StructValue(res, made if isinstance(made, (tuple, list)) else [made])
    results = [] if res is None else list(res) if isinstance(res, (tuple, list)) else [res]
    if not all(isinstance(r, NumericMeta) for r in results):
        raise UserError(f"inline_asm: result types are T.i32(), T.f32() ..., not {results}")
    letters = [c.strip() for c in filter(None, constraints.split(",")) if not c.strip().startswith("~")]
    outputs = sum(1 for c in letters if c.startswith("="))
    if outputs != len(results) or len(letters) != outputs + len(operands_):
        raise UserError(f"inline_asm: the constraints '{constraints}' do not fit {len(results)} results and {len(operands_)} "
                        "operands")
    # A Boolean in a register of 32 bits is 0 or 1.
    asked = [_INT32 if r is _BOOLEAN and c == "=r" else r for r, c in zip(results, letters)]
    given = [_INT32(x) if type(x) is _BOOLEAN and c == "r" else x for x, c in zip(operands_, letters[outputs:])]
    text = re.sub(r"\$\$", "$", asm_string) if "$$" in asm_string else asm_string
    made = _core.arch.inline_ptx(text, asked, given)
    made = [_BOOLEAN(x) if r is _BOOLEAN and type(x) is not _BOOLEAN else x for x, r in zip(made, results)]
    return made[0] if len(made) == 1 else made or None


__all__ = ["AsmDialect", "PointerType", "StructType", "addrspacecast", "bitcast", "extractvalue", "inline_asm"]
