# _options.py -- compile options: typed (KeepPTX, OptLevel(2)) and as a string ("--opt-level 2 --keep-ptx").

import os
import shlex

from ._errors import UserError


class Option:
    """Base of the typed options. A class alone means True."""

    name = ""

    def __init__(self, value=True):
        self.value = value

    def __repr__(self):
        return f"{type(self).__name__}({self.value!r})"


def _define(name, flag):
    return type(name, (Option,), {"name": flag, "__module__": "cutwork.cute", "__doc__": f"--{flag}"})


_FLAGS = {"OptLevel": "opt-level", "PtxasOptions": "ptxas-options", "EnableAssertions": "enable-assertions",
          "GenerateLineInfo": "generate-line-info", "KeepCUBIN": "keep-cubin", "KeepPTX": "keep-ptx",
          "KeepSASS": "keep-sass", "NvdisasmOptions": "nvdisasm-options", "GPUArch": "gpu-arch",
          "LinkLibraries": "link-libraries", "EnableTVMFFI": "enable-tvm-ffi", "DeviceTarget": "host-target",
          "FrontendNext": "frontend-next", "RDC": "rdc", "RemarkFilter": "remark-filter",
          "RemarkOutput": "remark-output", "DumpDir": "dump-dir"}
CLASSES = {name: _define(name, flag) for name, flag in _FLAGS.items()}
globals().update(CLASSES)
_VALUED = {"opt-level", "ptxas-options", "nvdisasm-options", "gpu-arch", "host-target", "dump-dir", "link-libraries",
           "remark-filter", "remark-output"}


def _parse(text):
    """{flag: value} of an option string."""
    found = {}
    words = shlex.split(text)
    while words:
        word = words.pop(0)
        if not word.startswith("--"):
            if word.split("{")[0] in ("warnings", "remarks", "iket"):
                continue
            raise UserError(f"compile options: '{word}' is no option; options begin with --")
        flag, _, value = word[2:].partition("=")
        if flag not in _FLAGS.values():
            raise UserError(f"compile options: unknown option --{flag}; there are "
                            f"{', '.join('--' + f for f in sorted(_FLAGS.values()))}")
        if flag in _VALUED and not value:
            if not words:
                raise UserError(f"compile options: --{flag} needs a value")
            value = words.pop(0)
        found[flag] = value if value else True
    return found


def _flat(options):
    for option in options:
        if isinstance(option, (tuple, list)):
            yield from _flat(option)
        else:
            yield option


class CompileOptions:
    """What a compilation is asked for."""

    def __init__(self, flags=None):
        self.flags = dict(flags or {})
        level = self.flags.get("opt-level", 3)
        try:
            self.level = int(level)
        except ValueError:
            self.level = -1
        if not 0 <= self.level <= 3:
            raise UserError(f"compile options: --opt-level is 0 to 3, not {level}")
        self.arch = self.flags.get("gpu-arch") or None

    @classmethod
    def of(cls, typed, text):
        flags = {}
        for option in _flat(typed):
            if isinstance(option, type) and issubclass(option, Option):
                option = option()
            if not isinstance(option, Option):
                raise UserError(f"compile options: {option!r} is no option such as KeepPTX or OptLevel(2)")
            flags[option.name] = option.value
        flags.update(_parse(text or ""))
        return cls(flags)

    def key(self):
        return self.level, self.arch

    def for_core(self, store=True):
        return {"optimisation": self.level, "store": store}

    def keep(self, compiled):
        """Writes what was asked for beside the program: NAME.ptx, NAME.cubin, NAME.sass."""
        folder = self.flags.get("dump-dir") or os.environ.get("CUTE_DSL_DUMP_DIR") or "."
        for flag, ending, content in (("keep-ptx", "ptx", lambda: compiled.__ptx__.encode()),
                                      ("keep-cubin", "cubin", lambda: compiled.__cubin__),
                                      ("keep-sass", "sass", lambda: compiled.__sass__.encode())):
            if self.flags.get(flag):
                os.makedirs(folder, exist_ok=True)
                with open(os.path.join(folder, f"{compiled.__name__}.{ending}"), "wb") as file:
                    file.write(content())
