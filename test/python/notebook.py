# notebook.py -- runs a notebook's code cells in one namespace, each cell's standard output beside what is stored.
"""`python notebook.py FILE [TEXT REPLACEMENT]`: prints, as JSON, a list of {cell, source, stored, printed, error}. The output is taken from
the descriptor, since device code prints there. Cells have a name in linecache, as IPython's have."""
import ast
import json
import linecache
import os
import sys
import tempfile
import traceback


def run_cell(source, name, namespace):
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    tree = ast.parse(source, name)
    exec(compile(tree, name, "exec"), namespace)


def captured(action):
    """(what the action prints, the error it ends with or "")."""
    from cutwork._device import best

    error = ""
    with tempfile.TemporaryFile() as file:
        sys.stdout.flush()
        kept = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            action()
        except BaseException:
            error = traceback.format_exc()
        finally:
            sys.stdout.flush()
            best().synchronize()  # what kernels print on a GPU arrives then
            os.dup2(kept, 1)
            os.close(kept)
        file.seek(0)
        return file.read().decode(), error


def main(path, text="", replacement=""):
    import cutwork.compat  # noqa: F401
    from cutwork import _simulation

    _simulation.activate_if_needed()
    with open(path, encoding="utf-8") as file:
        cells = [cell for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
    assert not text or any(text in "".join(cell["source"]) for cell in cells), f"no cell says {text}"
    namespace = {"__name__": "__main__"}
    sys.modules["__main__"].__dict__.update(namespace)
    results = []
    for index, cell in enumerate(cells):
        source = "".join(cell["source"])
        source = source.replace(text, replacement) if text else source
        stored = "".join("".join(out["text"]) for out in cell["outputs"] if out.get("name") == "stdout")
        printed, error = captured(lambda: run_cell(source, f"<cell {index}>", namespace))
        results.append({"cell": index, "source": source, "stored": stored, "printed": printed, "error": error})
    print(json.dumps(results))


if __name__ == "__main__":
    main(*sys.argv[1:])
