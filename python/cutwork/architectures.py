# architectures.py -- Arch: the targets as an enumeration, which programs compare and ask (cutlass.base_dsl.arch).

import enum
import functools
import re

_NAMES = [f"sm_{number}{suffix}" for number, suffixes in (
    (80, ("",)), (86, ("",)), (87, ("",)), (89, ("",)), (90, ("", "a")), (100, ("", "a", "f")), (101, ("", "a", "f")),
    (103, ("", "a", "f")), (110, ("", "a", "f")), (120, ("", "a", "f")), (121, ("", "a", "f"))) for suffix in suffixes]


@functools.total_ordering
class _Ordered(enum.Enum):
    """An architecture: compared by its number, then by what its suffix adds (none, f, a)."""

    @property
    def major(self):
        return self.value[0] // 10

    @property
    def minor(self):
        return self.value[0] % 10

    @property
    def suffix(self):
        return self.value[1]

    @classmethod
    def from_string(cls, name):
        """Arch.sm_90a of "sm_90a"."""
        try:
            return cls[name]
        except KeyError:
            raise ValueError(f"Arch: {name!r} is no architecture; there are {', '.join(cls.__members__)}") from None

    def to_string(self):
        return self.name

    __str__ = to_string

    def _rank(self):
        return self.value[0], "fa".find(self.value[1]) + 1 if self.value[1] else 0

    def __lt__(self, other):
        return self._rank() < other._rank() if isinstance(other, _Ordered) else NotImplemented

    def is_family_of(self, other):
        """Whether both are of one family: the same major number, and this one not earlier."""
        return self.major == other.major and self.value[0] >= other.value[0]

    @classmethod
    def filter(cls, condition):
        return [arch for arch in cls if condition(arch)]


Arch = _Ordered("Arch", {name: (int(re.sub(r"\D", "", name)), name.lstrip("sm_0123456789")) for name in _NAMES},
                module=__name__)

__all__ = ["Arch"]
