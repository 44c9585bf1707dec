# vector.py -- operations of the vector dialect on Cutwork's vectors of one mode.

from ... import _core
from ..._errors import UserError


def extract(source, dynamic_position=(), static_position=(), *, loc=None, ip=None):
    """An element; positions are known while tracing."""
    position = list(static_position)
    if list(dynamic_position):
        raise UserError("vector.extract: an element of registers at a run-time position is that of a tensor (make_rmem_tensor)")
    return source[tuple(position) if len(position) > 1 else position[0]]


def from_elements(result, elements, *, loc=None, ip=None):
    """A vector of these numbers; result: its type, VectorType.get([n], element)."""
    elements = list(elements)
    shape, dtype = (result.shape, result.element_type) if hasattr(result, "element_type") else ((len(elements),), result)
    registers = _core.make_rmem_tensor(tuple(shape), dtype)
    for i, element in enumerate(elements):
        registers[i] = dtype(element)
    return registers.load()


def bitcast(result, source, *, loc=None, ip=None):
    """The same bits as elements of another type."""
    registers = _core.make_rmem_tensor(source.shape, source.dtype)
    registers.store(source)
    return _core.recast_tensor(registers, result.element_type if hasattr(result, "element_type") else result).load()
