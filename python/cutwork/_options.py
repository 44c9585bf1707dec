# _options.py -- compile options: typed (KeepPTX, OptLevel(2)) and as a string ("--opt-level 2 --keep-ptx").

import functools
import os
import platform
import re
import shlex

from . import _core
from ._errors import UserError


class Option:
    """Base of the typed options. A class alone means True."""

    name = ""

    def __init__(self, value=True):
        self.value = value

    def __repr__(self):
        return f"{type(self).__name__}({self.value!r})"


class Row:
    """An option: its class, its flag, what its value is (None: none, it is on or off), what it does."""

    def __init__(self, kind, flag, value, does):
        self.kind, self.flag, self.value, self.does = kind, flag, value, does


# docs/python.md has the same rows (test_options.py compares them).
TABLE = (
    Row("OptLevel", "opt-level", "0 to 3", "LLVM's and the assembler's level; 3 if nothing is said"),
    Row("GPUArch", "gpu-arch", "a target", "compiles for it, as `sm_90a`; else for `CUTE_DSL_ARCH`, or the device"),
    Row("EnableAssertions", "enable-assertions", None, "compiles the checks of `cute.testing.assert_` in; without it they are left "
        "out"),
    Row("EnableTVMFFI", "enable-tvm-ffi", None, "[the function](#calling-again) is a `tvm_ffi.Function` too"),
    Row("GenerateLineInfo", "generate-line-info", None, "no effect: the lines are always in the code"),
    Row("PtxasOptions", "ptxas-options", "options", "further options of the assembler, as ptxas takes them; the function is assembled "
        "at once, and what is not taken is an error. Those that Cutwork sets itself (target, files) are refused"),
    Row("KeepPTX", "keep-ptx", None, "writes `NAME.ptx`"),
    Row("KeepCUBIN", "keep-cubin", None, "writes `NAME.cubin`; an error where no assembler is found"),
    Row("KeepSASS", "keep-sass", None, "writes `NAME.sass`; an error where nvdisasm is not found"),
    Row("NvdisasmOptions", "nvdisasm-options", "options", "further options of nvdisasm, for `__sass__` and `--keep-sass`"),
    Row("DumpDir", "dump-dir", "a folder", "where these files go; else `CUTE_DSL_DUMP_DIR`, or the current folder"),
    Row("RemarkFilter", "remark-filter", "an expression", "logs what costs speed, each [remark](language.md#compiling) that the regular "
        "expression is found in"),
    Row("RemarkOutput", "remark-output", "a file", "appends these remarks to it, all of them without a filter"),
    Row("DeviceTarget", "host-target", "a system", "of the host function: `native`, or this machine's name as `linux-x86_64`; others are "
        "refused"),
    Row("FrontendNext", "frontend-next", None, "no effect: there is one front end"),
    Row("LinkLibraries", "link-libraries", "names", "refused: device libraries cannot be linked"),
    Row("RDC", "rdc", None, "refused: device code is not relocatable"),
)
_BY_FLAG = {row.flag: row for row in TABLE}
_OTHERS = {"warnings": "CUTE_DSL_WARNINGS_AS_ERRORS and CUTE_DSL_WARNINGS_IGNORE are", "remarks": "--remark-filter is",
           "iket": "there is no such instrumentation"}
_YES, _NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off")

CLASSES = {row.kind: type(row.kind, (Option,), {"name": row.flag, "__module__": "cutwork.cute", "__doc__": f"--{row.flag}"})
           for row in TABLE}
globals().update(CLASSES)


def _refuse(text):
    raise UserError(f"compile options: {text}")


def _parse(text):
    """{flag: value} of an option string."""
    found = {}
    words = shlex.split(text)
    while words:
        word = words.pop(0)
        if not word.startswith("--"):
            other = _OTHERS.get(word.split("{")[0])
            _refuse(f"'{word}' is not supported; {other}" if other else f"'{word}' is no option; options begin with --")
        flag, _, value = word[2:].partition("=")
        row = _BY_FLAG.get(flag)
        if row is None:
            _refuse(f"unknown option --{flag}; there are {', '.join('--' + f for f in sorted(_BY_FLAG))}")
        if row.value and not value:
            if not words:
                _refuse(f"--{flag} needs a value, {row.value}")
            value = words.pop(0)
        found[flag] = value if value else True
    return found


def _flag(row, value):
    """The value of an option that is on or off."""
    if isinstance(value, str) and value.lower() in _YES + _NO:
        return value.lower() in _YES
    if not isinstance(value, (bool, int)):
        _refuse(f"--{row.flag} is on or off, not {value!r}")
    return bool(value)


def _flat(options):
    for option in options:
        if isinstance(option, (tuple, list)):
            yield from _flat(option)
        else:
            yield option


def _typed(options):
    flags = {}
    for option in _flat(options):
        if isinstance(option, type) and issubclass(option, Option):
            option = option()
        if not isinstance(option, Option):
            _refuse(f"{option!r} is no option such as KeepPTX or OptLevel(2)")
        if _BY_FLAG[option.name].value and option.value is True:
            _refuse(f"{type(option).__name__} needs a value, {_BY_FLAG[option.name].value}")
        flags[option.name] = option.value
    return flags


def _words(value):
    return shlex.split(value) if isinstance(value, str) else list(map(str, value or ()))


class CompileOptions:
    """What a compilation is asked for. What the environment says holds where `flags` do not."""

    def __init__(self, flags=None):
        knobs = _core.knobs()
        self.flags = {"enable-assertions": knobs["enable_assertions"], "enable-tvm-ffi": knobs["enable_tvm_ffi"],
                      **_parse(knobs["compiler_options"]), **(flags or {})}
        for flag, value in self.flags.items():
            if _BY_FLAG[flag].value is None:
                self.flags[flag] = _flag(_BY_FLAG[flag], value)
        level = str(self.flags.get("opt-level", 3))
        if level not in ("0", "1", "2", "3"):
            _refuse(f"--opt-level is 0 to 3, not {level}")
        self.level = int(level)
        self.arch = self.flags.get("gpu-arch") or None
        self.assertions = self.flags["enable-assertions"]
        self.ptxas = tuple(_words(self.flags.get("ptxas-options")))
        self.nvdisasm = _words(self.flags.get("nvdisasm-options"))
        self.folder = self.flags.get("dump-dir") or knobs["dump_dir"] or "."
        self._check()

    def _check(self):
        if self.flags.get("link-libraries"):
            _refuse(f"--link-libraries {self.flags['link-libraries']}: device libraries cannot be linked")
        if self.flags.get("rdc"):
            _refuse("--rdc: device code is not relocatable")
        here = f"linux-{platform.machine()}"
        if self.flags.get("host-target", "native") not in ("native", here):
            _refuse(f"--host-target {self.flags['host-target']}: host functions are compiled for this machine, {here}, only")
        if self.flags.get("frontend-next"):
            _core.log_warning("compile options: --frontend-next has no effect: there is one front end")
        if self.flags.get("generate-line-info") is False:
            _core.log_warning("compile options: --generate-line-info=0 has no effect: the lines are always in the code")
        try:
            self.remarks = re.compile(self.flags.get("remark-filter", ""))
        except re.error as problem:
            _refuse(f"--remark-filter {self.flags['remark-filter']}: it is no regular expression: {problem}")

    @classmethod
    def of(cls, typed, text):
        if not isinstance(text, (str, type(None))):
            raise TypeError(f"compile: options is a string such as '--opt-level 2', not {text!r}; options that are objects go in "
                            "brackets: cute.compile[OptLevel(2)](f, ...)")
        return cls({**_typed(typed), **_parse(text or "")})

    def key(self):
        return self.level, self.arch, self.ptxas

    def for_core(self, store=True, names=()):
        return {"optimisation": self.level, "store": store, "ptxas_options": list(self.ptxas), "argument_names": list(names)}

    @classmethod
    def default(cls):
        """Those of a call that gives none: what the environment says."""
        knobs = _core.knobs()
        return cls._of_environment(knobs["compiler_options"], knobs["enable_assertions"], knobs["enable_tvm_ffi"])

    @classmethod
    @functools.cache
    def _of_environment(cls, *_said):
        return cls()

    def keep(self, name, core):
        """Writes what was asked for beside the program: NAME.ptx, NAME.cubin, NAME.sass; and remarks."""
        for flag, ending, content in (("keep-ptx", "ptx", lambda: core.ptx.encode()), ("keep-cubin", "cubin", core.cubin),
                                      ("keep-sass", "sass", lambda: core.sass(list(self.nvdisasm)).encode())):
            if self.flags.get(flag):
                made = content()
                os.makedirs(self.folder, exist_ok=True)
                with open(os.path.join(self.folder, f"{name}.{ending}"), "wb") as file:
                    file.write(made)
        if {"remark-output", "remark-filter"} & self.flags.keys():
            self._report([remark for remark in core.remarks() if self.remarks.search(remark)])

    def _report(self, remarks):
        if self.flags.get("remark-output"):
            with open(self.flags["remark-output"], "a", encoding="utf-8") as file:
                file.writelines(f"{remark}\n" for remark in remarks)
        else:
            for remark in remarks:
                _core.log_warning(remark)
