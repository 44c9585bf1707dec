# cutwork._options -- the types of its public names; made by scripts/stubs.py.
import enum
from typing import Any

class Option:
    name: str
    def __init__(self, value: Any = ...) -> None: ...
class Row:
    def __init__(self, kind: Any, flag: Any, value: Any, does: Any) -> None: ...
TABLE: Any
CLASSES: Any
class OptLevel(Option):
    name: str
class GPUArch(Option):
    name: str
class EnableAssertions(Option):
    name: str
class EnableTVMFFI(Option):
    name: str
class GenerateLineInfo(Option):
    name: str
class PtxasOptions(Option):
    name: str
class KeepPTX(Option):
    name: str
class KeepCUBIN(Option):
    name: str
class KeepSASS(Option):
    name: str
class NvdisasmOptions(Option):
    name: str
class DumpDir(Option):
    name: str
class RemarkFilter(Option):
    name: str
class RemarkOutput(Option):
    name: str
class DeviceTarget(Option):
    name: str
class FrontendNext(Option):
    name: str
class LinkLibraries(Option):
    name: str
class RDC(Option):
    name: str
class CompileOptions:
    def __init__(self, flags: Any = ...) -> None: ...
    @classmethod
    def of(cls, typed: Any, text: Any) -> Any: ...
    def key(self) -> Any: ...
    def for_core(self, store: Any = ..., names: Any = ...) -> Any: ...
    @classmethod
    def default(cls) -> Any: ...
    def keep(self, name: str, core: Any) -> Any: ...
