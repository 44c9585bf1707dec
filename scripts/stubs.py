#!/usr/bin/env python3
# stubs.py -- writes the type stubs (.pyi) of python/cutwork: `.venv/bin/python scripts/stubs.py [FOLDER]`.
"""The stub of cutwork._core is nanobind's. Those of the public modules are made here, since many of their names come from tables;
parameters without annotations get the types of PARAMETERS, results those of RETURNS. test_stubs.py compares them with what is committed."""
import enum
import importlib
import inspect
import os
import pathlib
import re
import sys
import types

ROOT = pathlib.Path(__file__).resolve().parents[1]
MODULES = ("inductor", "_numbers", "_options", "cuda", "dsl", "jax", "jax.testing", "pipeline", "torch", "utils",
           "utils.blockscaled_layout", "utils.distributed", "cute", "cute.algebra", "cute.arch", "cute.math", "cute.nvgpu",
           "cute.nvgpu.common", "cute.nvgpu.cpasync", "cute.operations", "cute.runtime", "cute.structs", "cute.typing")
# Where names live that a table makes.
HOMES = ("_numbers", "_options", "_arguments", "_generate", "_native", "_jit", "_staging.ranges", "_staging", "_core", "_core.math",
         "_core.arch")
IMPORTS = "import enum\nfrom typing import Any\n"

INT_TUPLE = "int | tuple[Any, ...]"
TYPES = {**dict.fromkeys(("AddressSpace", "ComposedLayout", "CopyAtom", "Layout", "Pointer", "Swizzle", "Tensor", "TensorSSA",
                          "TiledCopy"), "_core"), **dict.fromkeys(("Boolean", "Float32", "Int32", "Numeric"), "_numbers")}
BUILTIN = {"Any", "None", "object", "type", "tuple", "list", "int", "str", "bool", "float"}
TABLES = ("cutwork._numbers", "cutwork._options")
OPERATORS = set(("new init call getitem setitem len iter enter exit index int float bool abs neg pos invert eq ne lt le gt ge "
                 "add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow and rand or ror xor rxor "
                 "lshift rlshift rshift rrshift divmod").split())
PARAMETERS = {"loc": "object", "ip": "object", "verbose": "bool", "dtype": "type[Numeric] | None", "element_type": "type[Numeric]",
              "order": INT_TUPLE, "mode": "list[int] | None", "name": "str", "fastmath": "bool", "divby": "int | None",
              "bits": "int", "alignment": "int | None", "assumed_align": "int | None", "threads_in_group": "int",
              "barrier_id": "int | None", "number_of_threads": "int | None", "num_bits_per_copy": "int", "tiled": "TiledCopy",
              "tiled_copy": "TiledCopy", "thr_layout": "Layout", "val_layout": "Layout", "use_32bit_stride": "bool"}
RETURNS = {"make_layout": "Layout", "make_ordered_layout": "Layout", "make_identity_layout": "Layout", "make_layout_like": "Layout",
           "recast_layout": "Layout", "make_swizzle": "Swizzle", "make_composed_layout": "ComposedLayout", "is_static": "bool",
           "make_tensor": "Tensor", "make_rmem_tensor": "Tensor", "make_fragment_like": "Tensor", "make_identity_tensor": "Tensor",
           "make_rmem_tensor_like": "Tensor", "recast_tensor": "Tensor", "make_ptr": "Pointer", "recast_ptr": "Pointer",
           "make_copy_atom": "CopyAtom", "make_tiled_copy": "TiledCopy", "make_tiled_copy_tv": "TiledCopy", "full": "TensorSSA",
           "make_tiled_copy_S": "TiledCopy", "make_tiled_copy_D": "TiledCopy", "full_like": "TensorSSA", "zeros_like": "TensorSSA",
           "ones_like": "TensorSSA", "print_tensor": "None", "printf": "None", "copy": "None", "autovec_copy": "None",
           "thread_idx": "tuple[Int32, Int32, Int32]", "block_idx": "tuple[Int32, Int32, Int32]", "lane_idx": "Int32",
           "cluster_idx": "tuple[Int32, Int32, Int32]", "block_dim": "tuple[Int32, Int32, Int32]", "grid_dim": "tuple[Int32, Int32, Int32]", "warp_idx": "Int32",
           "sync_threads": "None", "sync_warp": "None", "barrier": "None", "vote_ballot_sync": "Int32", "popc": "Int32",
           "fmax": "Float32", "fmin": "Float32", "rcp_approx": "Float32", "get_smem_capacity_in_bytes": "int",
           "is_fp8_dtype": "bool", "vote_all_sync": "Boolean", "vote_any_sync": "Boolean", "vote_uni_sync": "Boolean", "from_dlpack": "Tensor"}


def annotation(given, default="Any"):
    if given is inspect.Parameter.empty:
        return default
    return given if isinstance(given, str) else getattr(given, "__name__", None) or default


def known(text, names):
    """The type, if all of its names can be seen in the module or imported; else Any. `names` gets what is to be imported."""
    words = set(re.findall(r"[A-Za-z_]\w*", text)) - BUILTIN - set(names)
    if not words <= set(TYPES):
        return "Any"
    names.update({word: f"from cutwork.{TYPES[word]} import {word}" for word in words})
    return text


def parameters(function, names):
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return "*args: Any, **kwargs: Any"
    out, star = [], False
    for p in signature.parameters.values():
        if p.kind is p.KEYWORD_ONLY and not star:
            out.append("*")
            star = True
        star = star or p.kind is p.VAR_POSITIONAL
        prefix = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        text = prefix + p.name
        if not (p.name in ("self", "cls") and not out):
            text += ": " + known(annotation(p.annotation, PARAMETERS.get(p.name, "Any")), names)
        out.append(text + (" = ..." if p.default is not p.empty else ""))
    return ", ".join(out)


def function_stub(name, function, names, indent=""):
    result = known(RETURNS.get(name, "Any"), names)
    if name == "__init__":
        result = "None"
    return f"{indent}def {name}({parameters(function, names)}) -> {result}: ...\n"


def class_stub(name, cls, names):
    bases = [b.__name__ if b.__module__ == "builtins" or b.__name__ in names else "Any" for b in cls.__bases__ if b is not object]
    if issubclass(cls, enum.Enum):
        members = "".join(f"    {member} = ...\n" for member in cls.__members__)
        return f"class {name}(enum.Enum):\n{members or '    pass' + chr(10)}"
    head = f"class {name}({', '.join(dict.fromkeys(bases))}):\n" if bases else f"class {name}:\n"
    body = ""
    for member, value in vars(cls).items():
        if member.startswith("_") and member.strip("_") not in OPERATORS:
            continue
        if isinstance(value, property):
            body += f"    @property\n    def {member}(self) -> Any: ...\n"
        elif isinstance(value, (staticmethod, classmethod)) and member != "__new__":
            body += f"    @{type(value).__name__}\n" + function_stub(member, value.__func__, names, "    ")
        elif isinstance(getattr(value, "__func__", value), types.FunctionType):
            body += function_stub(member, getattr(value, "__func__", value), names, "    ")
        elif isinstance(value, (int, float, str, bool)):
            body += f"    {member}: {type(value).__name__}\n"
        else:
            body += f"    {member}: Any\n"
    return head + (body or "    pass\n")


def home(name, value, module):
    """(module, name) of the object elsewhere in the package, or None."""
    where = getattr(value, "__module__", None)
    for candidate in dict.fromkeys([*(f"cutwork.{m}" for m in HOMES), where, *(f"cutwork.{m}" for m in MODULES)]):
        if candidate in ("cutwork.cute", "cutwork.utils") and not isinstance(value, type):
            continue  # they pass on what others have
        found = sys.modules.get(candidate or "")
        if found is None or found is module or not candidate.startswith("cutwork"):
            continue
        own = getattr(value, "__name__", name)
        for attribute in (own, name):
            if getattr(found, attribute, None) is value:
                return candidate, attribute
    return None


def public(module):
    listed = getattr(module, "__all__", None)
    names = listed or [n for n in vars(module) if not n.startswith("_")]
    return [n for n in dict.fromkeys(names) if listed or not (
        isinstance(getattr(module, n), types.ModuleType) and not getattr(module, n).__name__.startswith("cutwork")
        or isinstance(getattr(module, n), types.BuiltinFunctionType))]


def stub(module):
    """The text of the module's stub."""
    names = public(module)
    seen = dict.fromkeys(names)  # a name: the import that gives it, if it is for annotations only
    imports, body = set(), []
    for name in names:
        value = getattr(module, name)
        if isinstance(value, types.ModuleType):
            parent, _, own = value.__name__.rpartition(".")
            imports.add(f"from {parent} import {own} as {name}" if parent else f"import {own} as {name}")
            continue
        where = getattr(value, "__module__", None)
        if where in ("cutwork._errors", "cutwork._staging.errors", "cutwork._staging.context"):
            continue
        tabled = where == "cutwork.cute" and home(name, value, module) is not None  # made by a table of another module
        defined = where == module.__name__ and not tabled or module.__name__ in TABLES and where == "cutwork.cute"
        if type(value).__name__ == "StaticInts" and module.__name__ == "cutwork.cute.typing":
            body.append(f"{name} = Any\n")
            continue
        elsewhere = None if defined or isinstance(value, dict) else home(name, value, module)
        if elsewhere:
            imports.add(f"from {elsewhere[0]} import {elsewhere[1]} as {name}")
        elif isinstance(value, type):
            body.append(class_stub(name, value, seen))
        elif isinstance(value, types.FunctionType):
            body.append(function_stub(name, value, seen))
        elif isinstance(value, (bool, int, float, str)):
            body.append(f"{name}: {type(value).__name__}\n")
        else:
            body.append(f"{name}: Any\n")
    imports |= {line for line in seen.values() if line}
    head = f"# {module.__name__} -- the types of its public names; made by scripts/stubs.py.\n"
    text = head + IMPORTS + "".join(f"{line}\n" for line in sorted(imports)) + "\n"
    return text + "".join(body)


def core_stubs(folder):
    """nanobind's, of the module and of its parts. Before the others are imported, which put methods into its classes."""
    from nanobind.stubgen import StubGen

    for name in ("_core", "_core.arch", "_core.math"):
        module = importlib.import_module("cutwork._core")
        for part in name.split(".")[1:]:
            module = getattr(module, part)
        generator = StubGen(module=module, quiet=True)
        generator.put(module)
        path = folder / "_core" / ((name.split(".") + ["__init__"])[1] + ".pyi")
        path.parent.mkdir(parents=True, exist_ok=True)
        text = re.sub(r"\n\n+(?=def |@overload)", "\n", generator.get())
        text = re.sub(r"version: str = .*", "version: str", text).replace("-> object:", "-> Any:")
        text = f"from typing import Any\n{text.strip()}\n"
        path.write_text(f"# cutwork.{name} -- the types of the C++ part; made by nanobind through scripts/stubs.py.\n{text}")


def added_methods(folder):
    """The methods that Python puts into the classes of the C++ part."""
    path = folder / "_core/__init__.pyi"
    text = path.read_text()
    for name, cls in vars(sys.modules["cutwork._core"]).items():
        if isinstance(cls, type):
            added = "".join(function_stub(member, value, dict.fromkeys(()), "    ") for member, value in vars(cls).items()
                            if isinstance(value, types.FunctionType))
            text = re.sub(rf"^(class {name}(\(.*\))?:\n)", lambda m, a=added: m.group(1) + a, text, count=1, flags=re.M)
    path.write_text(text)


def main(folder):
    sys.path.insert(0, str(ROOT / "build/python"))
    os.environ["CUTWORK_DEVICE"] = "sim:sm_90a"
    core_stubs(folder)
    for name in ("cute", *MODULES):
        importlib.import_module(f"cutwork.{name}")
    added_methods(folder)
    for name in MODULES:
        module = sys.modules[f"cutwork.{name}"]
        path = folder / (name.replace(".", "/") + ("/__init__.pyi" if hasattr(module, "__path__") else ".pyi"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(stub(module), encoding="utf-8")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "python/cutwork")
