# cutwork.cute.structs -- the types of its public names; made by scripts/stubs.py.
import enum
from typing import Any
from cutwork._numbers import NumericMeta as NumericMeta

CLASSES: Any
struct: Any
union: Any
