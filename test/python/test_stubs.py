# test_stubs.py -- the type stubs are those that scripts/stubs.py makes, are Python, and name what the modules have.
import ast
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python/cutwork"
STUBS = sorted(PACKAGE.rglob("*.pyi"))


def names_of(tree):
    """The names that a stub exports."""
    found = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            found.add(node.target.id)
        elif isinstance(node, ast.Assign):
            found.update(target.id for target in node.targets)
        elif isinstance(node, ast.ImportFrom):
            found.update(alias.asname for alias in node.names if alias.asname == alias.name or alias.asname)
    return found


def test_they_are_what_the_script_makes(tmp_path):
    subprocess.run([sys.executable, ROOT / "scripts/stubs.py", tmp_path], check=True, timeout=300)
    made = {path.relative_to(tmp_path) for path in tmp_path.rglob("*.pyi")}
    assert made == {path.relative_to(PACKAGE) for path in STUBS}
    for path in made:
        assert (tmp_path / path).read_text() == (PACKAGE / path).read_text(), f"{path}: run scripts/stubs.py again"


@pytest.mark.parametrize("path", STUBS, ids=[str(path.relative_to(PACKAGE)) for path in STUBS])
def test_a_stub_is_python_and_its_imports_lead_somewhere(path):
    tree = ast.parse(path.read_text())
    for node in tree.body:
        if not isinstance(node, ast.ImportFrom) or not node.module.startswith("cutwork"):
            continue
        base = ROOT / "python" / node.module.replace(".", "/")
        stub = next((p for p in (base.with_suffix(".pyi"), base / "__init__.pyi") if p.exists()), None)
        source = next((p for p in (base.with_suffix(".py"), base / "__init__.py") if p.exists()), None)
        assert stub or source, f"{path.name}: no module {node.module}"
        for alias in node.names:
            if (base / f"{alias.name}.py").exists() or (base / alias.name).exists() or (base / f"{alias.name}.pyi").exists():
                continue
            text = (stub or source).read_text()
            assert alias.name in (names_of(ast.parse(text)) if stub else text), f"{path.name}: {node.module} has no {alias.name}"


def test_public_names_and_parameters_agree_with_the_modules():
    checker = """
import ast, importlib, inspect, pathlib, sys, types
package = pathlib.Path(sys.argv[1])
count = 0
for path in package.rglob("*.pyi"):
    name = "cutwork." + ".".join(path.relative_to(package).with_suffix("").parts).removesuffix(".__init__")
    module = importlib.import_module("cutwork._core") if name.startswith("cutwork._core") else importlib.import_module(name)
    for part in name.removeprefix("cutwork._core").split(".")[1:] if name.startswith("cutwork._core") else ():
        module = getattr(module, part)
    tree = ast.parse(path.read_text())
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in [*functions.values(), *(n for n in tree.body if isinstance(n, ast.ClassDef))]:
        assert hasattr(module, node.name), f"{name} has no {node.name}"
        value = getattr(module, node.name)
        if isinstance(value, types.FunctionType) and isinstance(node, ast.FunctionDef):
            a = node.args
            have = [x.arg for x in (*a.posonlyargs, *a.args, *([a.vararg] if a.vararg else []), *a.kwonlyargs, *([a.kwarg] if a.kwarg else []))]
            assert have == list(inspect.signature(value).parameters), f"{name}.{node.name}"
            count += 1
print(count)
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "build/python"), "CUTWORK_DEVICE": "sim:sm_90a"}
    done = subprocess.run([sys.executable, "-c", checker, PACKAGE], env=environment, capture_output=True, text=True, timeout=100,
                          check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 100


def test_type_checkers_are_told():
    assert (PACKAGE / "py.typed").exists()
