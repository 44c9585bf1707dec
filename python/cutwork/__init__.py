# __init__.py -- cutwork: GPU kernels with CuTe layouts, for GPUs and for the simulated device.
"""The language is cutwork.cute; `import cutwork.compat` makes it available under the name cutlass."""

from ._errors import CutworkError, DeviceError, InternalError, UserError
from ._errors import trimmed as _trimmed
from ._place import place as _place
from . import _core as _of_cpp
from ._core import version as __version__

_of_cpp.set_classes({"user_error": UserError, "internal_error": InternalError, "device_error": DeviceError})
_of_cpp.set_trimmer(_trimmed)
_of_cpp.set_places(_place)

__all__ = ["CutworkError", "DeviceError", "InternalError", "UserError", "__version__"]
