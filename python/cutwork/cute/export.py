# export.py -- compiled functions as files for other programs: not there yet; imports of the module work.

from .._absent import absent

__getattr__ = absent("cutlass.cute.export", None, "compiled functions are not exported; cute.compile in the process that calls them, "
                     "where the kernel store keeps what was compiled (docs/cache.md)")
