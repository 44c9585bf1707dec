# _convert.py -- the program behind testing.convert: each element of a tensor in another type.

from .. import _core
from .._jit import jit, kernel
from .algebra import ceil_div, size

_THREADS, _EACH = 128, 4  # conversions to 8 bits are of several elements at once


@kernel
def _converted(src, dst):
    first = (_core.arch.block_idx()[0] * _THREADS + _core.arch.thread_idx()[0]) * _EACH
    for i in range(_EACH):
        if first + i < size(dst):
            dst[first + i] = src[first + i].to(dst.element_type)


@jit
def launch(src, dst):
    _converted(src, dst).launch(grid=ceil_div(size(dst), _THREADS * _EACH), block=_THREADS)
