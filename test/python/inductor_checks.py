# inductor_checks.py -- what PyTorch's own CuteDSL templates must do with Cutwork: T1-T13, each a function that raises.
"""All go through classes of torch._inductor.codegen.cutedsl. `run(add)` prints a JSON object of results; T6 and T7 get
`add(template, variants)`, which puts a template in the place of torch's add and gives (the text that Inductor made, the
result, the operands): through Inductor's lowering and scheduling here, through torch.compile on a GPU."""

import json
import traceback

import torch
from torch._inductor.codegen.cutedsl.cutedsl_kernel import CuteDSLKernelWrapper, CuteDSLTemplateKernel
from torch._inductor.codegen.cutedsl.cutedsl_op_overrides import CuteDSLOpOverrides
from torch._inductor.codegen.cutedsl.cutedsl_template import CuteDSLTemplate
from torch._inductor.codegen.common import CSEVariable
from torch._inductor.select_algorithm import PartialRender
from torch._inductor.virtualized import V
from torch.utils._sympy.value_ranges import ValueRanges

ADD = r"""
{{gen_defines()}}
@cute.kernel
def {{kernel_name}}_device(gA: cute.Tensor, gB: cute.Tensor, gC: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    width, _, _ = cute.arch.block_dim()
    i = block * width + thread
    rows, columns = gA.shape
    if i < rows * columns:
        row, column = i // columns, i % columns
        gC[row, column] = gA[row, column] + gB[row, column]


@cute.jit
def {{kernel_name}}_host(mA: cute.Tensor, mB: cute.Tensor, mC: cute.Tensor, stream):
    {{gen_defines()|indent_except_first(1)}}
    rows, columns = mA.shape
    blocks = (rows * columns + THREADS_PER_BLOCK - 1) // THREADS_PER_BLOCK
    {{kernel_name}}_device(mA, mB, mC).launch(grid=[blocks, 1, 1], block=[THREADS_PER_BLOCK, 1, 1], stream=stream)


{{def_kernel("left", "right")}}
    cA, cB, cC = from_dlpack(left), from_dlpack(right), from_dlpack({{get_output()}})
    {{kernel_name}}_host(cA, cB, cC, cuda.CUstream(stream))
    return {{get_output()}}
"""


class Node:
    """An input or output of a template, as far as a kernel asks for it."""

    def __init__(self, name, dtype=torch.float32):
        self.name, self.dtype = name, dtype

    def get_name(self):
        return self.name


class Graph:
    """What a kernel asks of the graph that is being lowered."""

    scheduler, removed_buffers, inplaced_to_remove = None, (), ()

    def get_dtype(self, name):
        return torch.float32

    def try_get_buffer(self, name):
        return None


def kernel(inputs=("x",), output="y", subgraphs=None):
    return CuteDSLTemplateKernel("checked", [Node(name) for name in inputs], Node(output) if output else None, subgraphs)


def rendered(source, **parameters):
    """(kernel, PartialRender) of a template's text."""
    made = kernel()
    return made, made.render(CuteDSLTemplate._template_from_string(source), **parameters)


def raises(kind, call):
    try:
        call()
    except kind as problem:
        return str(problem)
    raise AssertionError(f"expected {kind.__name__}, and nothing was raised")


def check_T1_imports():
    text = kernel().gen_imports()
    assert isinstance(text, str)
    for line in ("import torch", "import cutlass", "import cutlass.cute as cute", "from cutlass.cute.runtime import from_dlpack",
                 "import cuda.bindings.driver as cuda"):
        assert line in text.splitlines(), line
    names = {}
    exec(text, names)  # noqa: S102  (every import must be there)
    assert {"torch", "cutlass", "cute", "from_dlpack", "cuda", "mlir_math", "operator", "ssa_to_indexable"} <= set(names)
    assert names["cute"].__name__ == "cutwork.cute" and names["cuda"].CUstream(0) is not None


def check_T2_render_includes_imports():
    _, text = rendered("x = 1  # of the template\n")
    assert isinstance(text, PartialRender)
    code = text.finalize_all().lstrip()
    assert code.startswith("import torch\n") and "x = 1  # of the template" in code


def check_T3_environment_of_a_template():
    class Records:
        def render(self, **names):
            self.names = names
            return ""

    seen = Records()
    kernel().render(seen, WIDTH=3)
    assert callable(seen.names["def_kernel"]) and seen.names["kernel_name"] == "checked" and seen.names["WIDTH"] == 3


def check_T4_a_name_is_used_once():
    CuteDSLTemplate("cutwork_once", "a = 1")
    assert "cutwork_once" in raises(AssertionError, lambda: CuteDSLTemplate("cutwork_once", "a = 2"))


def check_T5_imports_are_not_indented():
    lines = [line for line in kernel().gen_imports().splitlines() if line.strip()]
    assert len(lines) >= 7 and not any(line.startswith((" ", "\t")) for line in lines)


def check_T6_add(add):
    text, result, (left, right) = add(template("cutwork_add"), [256])
    assert "cute" in text and "THREADS_PER_BLOCK: cutlass.Constexpr = 256" in text
    assert text.count("async_compile.cutedsl(") == 1
    torch.testing.assert_close(result.cpu(), left.cpu() + right.cpu(), rtol=1e-5, atol=1e-5)


def check_T7_add_tuned(add):
    # The last variant has more threads than a block may: it is passed over, and the others are measured.
    text, result, (left, right) = add(template("cutwork_add_tuned"), [128, 256, 512, 4096])
    assert any(f"THREADS_PER_BLOCK: cutlass.Constexpr = {n}\n" in text for n in (128, 256, 512)), text
    torch.testing.assert_close(result.cpu(), left.cpu() + right.cpu(), rtol=1e-5, atol=1e-5)


def check_T8_defines():
    text = kernel().gen_defines(THREADS=256, FAST=True, SCALE=1.5)
    assert text == ("THREADS: cutlass.Constexpr = 256\nFAST: cutlass.Constexpr = True\n"
                    "SCALE: cutlass.Constexpr = 1.5\n"), text


def check_T9_aliases_of_arguments():
    with V.set_graph_handler(Graph()):
        made = kernel(("a", "b"))
        assert made.def_kernel("first", "second") == "<DEF_KERNEL>"
        text = made.render_hooks["<DEF_KERNEL>"]()
    lines = [line.strip() for line in text.splitlines()]
    assert "first = arg_first" in lines and "second = arg_second" in lines
    assert "def checked_main(arg_first, arg_second, out_ptr0, stream):" in lines, lines


def check_T10_output():
    with V.set_graph_handler(Graph()):
        made = kernel()
        raises(ValueError, made.get_output)
        made.def_kernel("x")
        assert made.get_output() == "out_ptr0"


def check_T11_subgraphs():
    first, second = Node("first"), Node("second")
    made = kernel(subgraphs=[first, second])
    assert made._get_subgraph(0) is first and made._get_subgraph(1) is second
    raises(AssertionError, lambda: made._get_subgraph(2))


def variable(name, dtype=torch.float32):
    return CSEVariable(name, ValueRanges.unknown(), dtype=dtype)


def check_T12_operations():
    ops, made = CuteDSLOpOverrides(), kernel()
    a, b = variable("tensor_a"), variable("tensor_b")
    with V.set_kernel_handler(made), V.set_ops_handler(ops), V.set_graph_handler(Graph()):
        results = [ops.add(a, b), ops.mul(a, b), ops.truediv(a, b), ops.exp(a), ops.sqrt(a)]
        try:  # 2.11 has none of them yet
            results += [ops.maximum(a, b), ops.minimum(a, b)]
        except NotImplementedError:
            pass
    assert all(isinstance(r, CSEVariable) for r in results), results
    assert ops._ensure_tensor_ssa("5.0", a) == "cute.full_like(tensor_a, 5.0)" and ops._ensure_tensor_ssa(a, b) == "tensor_a"


def check_T13_names_of_values():
    made = kernel()
    assert made.cse.name_prefix == "tmp"
    with V.set_kernel_handler(made):
        value = made.cse.generate(made.body, "a + b", dtype=torch.float32)
    assert str(value).startswith("tmp")


# -- beyond T12: what the operations are written as runs and is right

APPLY = """
@cute.kernel
def device(gX: cute.Tensor, gY: cute.Tensor, gZ: cute.Tensor):
    tensor_a, tensor_b = gX.load(), gY.load()
{body}
    gZ.store({value})

@cute.jit
def host(gX: cute.Tensor, gY: cute.Tensor, gZ: cute.Tensor):
    device(gX, gY, gZ).launch(grid=1, block=1)
"""
FLOATS = ([-2.5, -1.0, -0.25, 0.5, 1.0, 1.5, 2.0, 3.75], [2.0, -3.0, 0.5, 0.5, -1.25, 4.0, 2.0, 1.0])
INTEGERS = ([-7, -1, 0, 1, 2, 5, 8, 13], [3, 2, 5, 1, 2, 1, 3, 4])
UNARY = {"exp": torch.exp, "sqrt": torch.sqrt, "log": torch.log, "cos": torch.cos, "sin": torch.sin, "erf": torch.erf,
         "tanh": torch.tanh, "abs": torch.abs, "neg": torch.neg}
BINARY = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "truediv": torch.true_divide,
          "mod": torch.fmod}  # `%` of floats is C's; newer torch makes a remainder of it
COMPARED = {"eq": torch.eq, "ne": torch.ne, "lt": torch.lt, "le": torch.le, "gt": torch.gt, "ge": torch.ge}
WHOLE = {"bitwise_and": torch.bitwise_and, "bitwise_or": torch.bitwise_or, "bitwise_xor": torch.bitwise_xor,
         "bitwise_left_shift": torch.bitwise_left_shift, "bitwise_right_shift": torch.bitwise_right_shift}


def applied(operation, values, folder, name):
    """What a kernel gives whose body is operation(ops, tensor_a, tensor_b) as CuteDSLOpOverrides writes it."""
    import importlib.util

    ops, made, dtype = CuteDSLOpOverrides(), kernel(), values[0].dtype
    with V.set_kernel_handler(made), V.set_ops_handler(ops), V.set_graph_handler(Graph()):
        value = operation(ops, variable("tensor_a", dtype), variable("tensor_b", dtype))
    body = "".join(f"    {line}\n" for line in made.body.getvalue().splitlines())
    file = folder / f"{name}.py"
    file.write_text(made.gen_imports() + APPLY.format(body=body, value=value))
    spec = importlib.util.spec_from_file_location(f"applied_{name}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    x, y = (v.to("cuda") for v in values)
    z = torch.empty_like(x)
    from cutlass.cute.runtime import from_dlpack

    module.host(from_dlpack(x), from_dlpack(y), from_dlpack(z))
    return z.cpu()


def check_operations_run():
    import pathlib
    import tempfile

    folder = pathlib.Path(tempfile.mkdtemp())
    floats = tuple(torch.tensor(v) for v in FLOATS)
    integers = tuple(torch.tensor(v, dtype=torch.int32) for v in INTEGERS)
    wrong = []

    def compare(name, operation, values, expected, **tolerance):
        try:
            torch.testing.assert_close(applied(operation, values, folder, name), expected.to(values[0].dtype), **tolerance,
                                       equal_nan=True)
        except Exception as problem:  # all of them are reported at once
            wrong.append(f"{name}: {type(problem).__name__}: {str(problem).splitlines()[0]}")

    for name, function in UNARY.items():
        values = tuple(v.abs() for v in floats) if name in ("sqrt", "log") else floats
        compare(name, lambda ops, a, b: getattr(ops, name)(a), values, function(values[0]), rtol=2e-5, atol=1e-6)  # noqa: B023
    for name, function in BINARY.items():
        compare(name, lambda ops, a, b: getattr(ops, name)(a, b), floats, function(*floats), rtol=1e-6, atol=0)  # noqa: B023
    for name, function in COMPARED.items():
        compare(name, lambda ops, a, b: ops.where(getattr(ops, name)(a, b), a, "0.5"), floats,  # noqa: B023
                torch.where(function(*floats), floats[0], 0.5), rtol=0, atol=0)
    for name, function in WHOLE.items():
        compare(name, lambda ops, a, b: getattr(ops, name)(a, b), integers, function(*integers), rtol=0, atol=0)  # noqa: B023
    compare("bitwise_not", lambda ops, a, b: ops.bitwise_not(a), integers, ~integers[0], rtol=0, atol=0)
    compare("abs_int", lambda ops, a, b: ops.abs(a), integers, integers[0].abs(), rtol=0, atol=0)
    compare("logical", lambda ops, a, b: ops.where(ops.logical_and(ops.lt(a, b), ops.logical_not(ops.gt(b, "2.0"))), a, b),
            floats, torch.where((floats[0] < floats[1]) & ~(floats[1] > 2), *floats), rtol=0, atol=0)
    compare("scalar", lambda ops, a, b: ops.add(ops.mul(a, "2.0"), b), floats, floats[0] * 2 + floats[1], rtol=0, atol=0)
    assert not wrong, "\n".join(wrong)


# -- beyond T6: the module that Inductor made, from many threads


def check_threads():
    import concurrent.futures

    from torch._inductor.async_compile import AsyncCompile

    def made(n):
        source = kernel().gen_imports() + f"""
@cute.kernel
def device{n}(x: cute.Tensor):
    x[cute.arch.thread_idx()[0]] = {n}.0

@cute.jit
def host{n}(x: cute.Tensor):
    device{n}(x).launch(grid=1, block=4)

def made{n}_main(x, stream):
    host{n}(x)
"""
        wrapper = AsyncCompile().cutedsl(f"made{n}", source)
        wrapper = wrapper.result() if hasattr(wrapper, "result") else wrapper
        assert isinstance(wrapper, CuteDSLKernelWrapper)
        x = torch.zeros(4, device="cuda")
        wrapper.run(x, stream=0)
        return x.cpu().tolist() == [float(n)] * 4

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(made, range(24)))


def check_a_missing_entry_is_said():
    from torch._inductor.async_compile import AsyncCompile

    def use():
        wrapper = AsyncCompile().cutedsl("nothing", "def other(x, stream):\n    pass\n")
        return wrapper.result() if hasattr(wrapper, "result") else wrapper

    assert "nothing_main" in raises(RuntimeError, use)


CHECKS = {name.removeprefix("check_"): value for name, value in sorted(globals().items()) if name.startswith("check_")}
_templates = {}


def template(name):
    if name not in _templates:
        _templates[name] = CuteDSLTemplate(name, ADD)
    return _templates[name]


def run(add):
    """All checks; {name: "" or what went wrong}."""
    results = {}
    for name, check in CHECKS.items():
        try:
            check(add) if name.startswith(("T6", "T7")) else check()
            results[name] = ""
        except Exception:
            results[name] = traceback.format_exc()
    return results


def report(results):
    return json.dumps(results)
