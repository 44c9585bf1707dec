# _jit.py -- @jit and @kernel, cute.compile, and compiled functions.

import copy
import functools
import inspect
import math
import threading
import types
import warnings
import weakref

from . import _backend, _calls, _core, _placeholders, _ties
from ._absent import Absent
from ._arguments import ENV_STREAM, Constant, Unfit, leaf_plans, plan
from ._errors import UserError, nearest, reworded
from ._options import CompileOptions
from ._numbers import NumericMeta
from ._place import place
from ._rewriter import rewrite
from ._rewriter.source import remember
from ._staging import trace as staging_trace, tree
from ._structures import same_constant


class _Current(threading.local):
    kernels = ()  # names of kernels of the trace that runs, to number them
    assertions = False  # whether the trace that runs compiles assert_ in
    calls = ()  # of kernels in the trace that runs


_current = _Current()


_signatures = weakref.WeakKeyDictionary()  # function: (its code, its defaults, its signature)


def _signature(function):
    known = _signatures.get(function)
    if known and known[0] is function.__code__ and known[1] is function.__defaults__ and not function.__kwdefaults__:
        return known[2]
    try:
        found = inspect.signature(function, eval_str=True)
    except Exception:  # annotations that name what is not there
        return inspect.signature(function)
    _signatures[function] = function.__code__, function.__defaults__, found
    return found


class _Traced:
    """Base of what @jit and @kernel give: a function that is rewritten when it is first needed."""

    def __init__(self, function, preprocess=True):
        functools.update_wrapper(self, function)
        self.function = function
        self.preprocess = preprocess
        self._rewritten = self._rewritten_code = None
        if preprocess and isinstance(function, types.FunctionType):
            remember(function)

    def body(self):
        """The function to trace."""
        if not self.preprocess:
            return self.function
        if self._rewritten is None or self._rewritten_code is not self.function.__code__:
            self._rewritten_code = self.function.__code__
            self._rewritten = rewrite(self.function, kernel=isinstance(self, KernelFunction))
        self._rewritten.__defaults__ = self.function.__defaults__
        self._rewritten.__kwdefaults__ = self.function.__kwdefaults__
        return self._rewritten

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return _Bound(self, instance)

    name_prefix = None

    def set_name_prefix(self, name, *, remove_cutlass_symbol=False, keep_mangled_name=False):
        """The name in the compiled code begins with this. The others do nothing: a name has neither of what they speak of."""
        self.name_prefix = name
        self._forget()

    def _forget(self):
        """What was compiled is no longer what a call would compile."""

    def __repr__(self):
        return f"<cutwork {type(self).__name__} {self.__qualname__}>"

    # Of a function: a copy is itself, and pickle goes by its module and name.

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return self.__qualname__


class _Bound:
    """A method: @jit or @kernel with its self."""

    def __init__(self, function, instance):
        self.function, self.instance = function, instance
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__

    def __call__(self, *arguments, **keywords):
        return self.function(self.instance, *arguments, **keywords)

    def __getattr__(self, name):
        return getattr(self.function, name)

    def __eq__(self, other):
        return isinstance(other, _Bound) and other.function is self.function and other.instance is self.instance

    def __hash__(self):
        return hash((id(self.function), id(self.instance)))

    def __copy__(self):
        return _Bound(self.function, self.instance)

    def __deepcopy__(self, memo):
        return _Bound(self.function, copy.deepcopy(self.instance, memo))

    def __reduce__(self):
        return getattr, (self.instance, self.__name__)


class JitFunction(_core.Caller, _Traced):
    """A host function, or, called from a traced function, a part of it. C++ takes calls that it has seen before."""

    def __init__(self, function, preprocess=True):
        _Traced.__init__(self, function, preprocess)
        self.traces = _calls.Traces(function)

    def _slow_call(self, *arguments, **keywords):
        if _core.is_tracing():
            return self.body()(*arguments, **keywords)
        own = "no_cache" in keywords and "no_cache" in _signature(self.function).parameters
        if (not own and keywords.pop("no_cache", False)) or not _core.remembers():
            return _trace_and_call(self, arguments, keywords)
        return _call_now(self, arguments, keywords)

    def _forget(self):
        self.traces.clear()
        _core.caller_clear(self)


class KernelFunction(_Traced):
    """A kernel. Called in a host function it gives something to launch."""

    def __call__(self, *arguments, **keywords):
        if not _core.is_tracing():
            raise UserError(f"the kernel {self.__name__} was called from Python: a kernel is launched by a host "
                            "function, one decorated with @cute.jit")
        if _core.is_tracing_kernel():
            raise UserError(f"the kernel {self.__name__} was called in a kernel, which cannot launch one")
        return KernelCall(self, arguments, keywords)


# Arguments of launch that would change how fast the kernel is or where its shared memory lies: what each is where nothing is
# asked for, and why it does nothing.
_WITHOUT_EFFECT = {
    "preferred_smem_carveout": (None, "the driver divides the memory between the L1 cache and shared memory"),
    "smem_merge_branch_allocs": (False, "what branches allocate is never laid over each other"),
    "hint_smem_base_uniform": (True, "the compiler knows where shared memory begins"),
}
# Those that would order work or launch something else: what each is where nothing is asked for, and what there is instead.
_UNSUPPORTED = {
    "fallback_cluster": (None, "; `cluster` is the one size that is launched"),
    "async_deps": (None, "; the stream that the launch waits for is `stream`"),
    "launch_completion_event": (None, ""),
    "launch_completion_event_flags": (0, ""),
    "programmatic_event": (None, ""),
    "programmatic_event_flags": (0, ""),
    "programmatic_event_trigger_at_block_start": (0, ""),
}
_LAUNCH = ("grid", "block", "cluster", "smem", "stream", "max_number_threads", "min_blocks_per_mp", "use_pdl", "cooperative",
           *_WITHOUT_EFFECT, *_UNSUPPORTED)


def _asked_for(value, default):
    """Whether an argument says more than its default does. Nothing of a run-time value is compared."""
    if value is None:
        return False
    if isinstance(value, (list, tuple)):
        return bool(value)
    return not (isinstance(value, int) and isinstance(default, int) and value == default)


def _unknown(what, names, known):
    """The error for keywords that nothing knows, with the nearest that is known."""
    near = {name: nearest(name, known) for name in sorted(names)}
    said = [name + (f" (did you mean {found}?)" if found else "") for name, found in near.items()]
    return UserError(f"{what}: unknown arguments {', '.join(said)}")


def _check_others(others):
    unknown = set(others) - set(_LAUNCH)
    if unknown:
        raise _unknown("launch", unknown, _LAUNCH)
    for name, value in others.items():
        default, why = _UNSUPPORTED.get(name, _WITHOUT_EFFECT.get(name))
        if not _asked_for(value, default):
            continue
        if name in _UNSUPPORTED:
            shown = "" if isinstance(value, _core.Stream) else f"={value!r}"
            raise UserError(f"launch: {name}{shown} is not supported yet{why} (docs/support.md)")
        _backend.no_effect(f"launch: {name}", why)


def _checked_stream(stream):
    if isinstance(stream, _core.Stream):
        return stream
    if _backend.Backend.is_dynamic(stream):
        came, cure = f"a number ({type(stream).__name__})", "give the parameter the type cuda.bindings.driver.CUstream"
    else:
        came, cure = repr(stream), "pass it to the function, since a stream is not compiled in"
    raise UserError(f"launch: stream must be a stream that the host function has as an argument, or None, and is {came}: {cure}")


class KernelCall:
    """A kernel with its arguments: `.launch(grid=..., block=...)`."""

    def __init__(self, kernel, arguments, keywords):
        self.kernel, self.arguments, self.keywords = kernel, arguments, keywords
        self.at, self.launched = place(), False
        _current.calls.append(self)

    def warn(self):
        """Says that it was not launched."""
        file, line, *_ = self.at
        warnings.warn_explicit(f"the kernel {self.kernel.__name__} is called here and not launched, so that nothing of it runs: "
                               "call .launch(grid=..., block=...) of what the call gives", UserWarning, file, line)

    def launch(self, *, grid=None, block=(1, 1, 1), cluster=None, smem=None, stream=None, max_number_threads=None,
               min_blocks_per_mp=0, use_pdl=False, cooperative=False, **others):
        """Launches it. grid, block: up to three integers; cluster: three; smem: bytes, else what the kernel takes.
        Those of _WITHOUT_EFFECT are accepted and do nothing, which the log says; those of _UNSUPPORTED are refused."""
        _check_others(others)
        if grid is None:
            raise UserError("launch: grid is missing: how many blocks there are, up to three integers")
        self.launched = True
        options = {"grid": _extents("grid", grid), "block": _extents("block", block), "name": self._name()}
        if cluster is not None:
            options["cluster"] = _extents("cluster", cluster)
        if smem is not None:
            if isinstance(smem, int) and smem < 0:
                raise UserError(f"launch: smem is a number of bytes, from 0 on, not {smem}")
            options["smem"] = smem
        if stream is not None:
            options["stream"] = _checked_stream(stream)
        if max_number_threads:
            options["max_threads"] = int(max(1, *max_number_threads)) if any(max_number_threads) else 0
        options["min_blocks"] = int(min_blocks_per_mp)
        options["use_pdl"], options["cooperative"] = bool(use_pdl), bool(cooperative)
        _core.launch(options, self._collect, self._run)

    def _name(self):
        base = self.kernel.name_prefix or self.kernel.__name__
        return f"{base}_{len(_current.kernels)}"

    def _collect(self, remap):
        self._mapped(remap)

    def _mapped(self, remap):
        return tree.mapped(self.arguments, remap), tree.mapped(self.keywords, remap)

    def _run(self, remap):
        arguments, keywords = self._mapped(remap)
        _current.kernels = (*_current.kernels, self.kernel.__name__)
        with staging_trace(_backend.Backend):
            self.kernel.body()(*arguments, **keywords)


def _extents(what, value):
    for one in value if isinstance(value, (tuple, list)) else (value,):
        if isinstance(one, float) or getattr(type(one), "is_float", False):
            raise UserError(f"launch: {what} is integers, and {one!r} is a {type(one).__name__}: divide with // or cute.ceil_div")
    if isinstance(value, (tuple, list)):
        return tuple(value)
    return (value,)


_DECORATOR = ("preprocess",)  # what @jit and @kernel take


def _check_is_function(name, function, preprocess):
    if isinstance(function, types.FunctionType) or isinstance(function, types.MethodType) and not preprocess:
        return
    cure = ""
    if isinstance(function, (staticmethod, classmethod)):
        came = f"a {type(function).__name__}"
        cure = f": write @{type(function).__name__} above @cute.{name}"
    elif isinstance(function, (_Traced, _Bound)):
        traced = function.function if isinstance(function, _Bound) else function
        came = f"{function.__name__}, which @cute.{'jit' if isinstance(traced, JitFunction) else 'kernel'} decorates already"
    elif isinstance(function, types.MethodType):
        came, cure = f"the method {function.__qualname__} of an object", ": decorate it in its class"
    elif isinstance(function, type):
        came, cure = f"the class {function.__qualname__}", ": decorate its methods"
    elif isinstance(function, functools.partial):
        came, cure = "a functools.partial", ": decorate a function that calls it, or the function in it"
    elif isinstance(function, types.BuiltinFunctionType):
        came = f"{function.__name__}, which is not written in Python"
    elif callable(function):
        came, cure = f"an object of {type(function).__qualname__}", f": decorate its method __call__ with @cute.{name}"
    else:
        came = f"{function!r} of type {type(function).__name__}"
    raise TypeError(f"@cute.{name}: a function was expected, not {came}{cure}")


def _decorated(of, function, preprocess, others):
    if others:
        raise _unknown(f"@cute.{of.__name__}", others, _DECORATOR)
    if not isinstance(preprocess, bool):
        raise UserError(f"@cute.{of.__name__}: preprocess must be True or False, and is {preprocess!r}")
    if function is None:
        return functools.partial(of, preprocess=preprocess)
    _check_is_function(of.__name__, function, preprocess)
    return (JitFunction if of is jit else KernelFunction)(function, preprocess)


def jit(function=None, *, preprocess=True, **others):
    """Decorates a host function, or a function that traced functions call."""
    return _decorated(jit, function, preprocess, others)


def kernel(function=None, *, preprocess=True, **others):
    """Decorates a kernel."""
    return _decorated(kernel, function, preprocess, others)


# -- compiling ----------------------------------------------------------------------------------


class _Binding:
    """The arguments of a call by parameter, with their plans."""

    def __init__(self, function, arguments, keywords):
        self.signature = _signature(function)
        try:
            bound = self.signature.bind(*arguments, **keywords)
        except TypeError as error:
            raise TypeError(f"{function.__qualname__}: {error}") from None
        bound.apply_defaults()
        self.bound = bound
        self.plans, self.written = {}, {}
        for index, (name, value) in enumerate(bound.arguments.items()):
            parameter = self.signature.parameters[name]
            self.plans[name] = self._plan(index, name, value, parameter)

    def _plan(self, index, name, value, parameter):
        annotation = None if parameter.annotation is inspect.Parameter.empty else parameter.annotation
        self.written[name] = False
        if index == 0 and name in ("self", "cls"):
            return Constant(value)
        if isinstance(annotation, str):
            annotation = None
        if annotation is not None and parameter.kind == parameter.VAR_POSITIONAL:
            annotation = types.GenericAlias(tuple, (annotation, ...))
        elif annotation is not None and parameter.kind == parameter.VAR_KEYWORD:
            annotation = types.GenericAlias(dict, (str, annotation))
        self.written[name] = isinstance(annotation, NumericMeta)
        return plan(value, annotation, f"argument {name}")

    def key(self):
        return tuple((name, item.key) for name, item in self.plans.items())

    def leaf_names(self):
        """Of each value that a call passes, the argument that it is or belongs to: `x`, `cfg.scale`, `pair[1]`."""
        return tuple(name for name, _ in leaf_plans(self.plans))

    def leaf_keys(self):
        return tuple(leaf.key for _, leaf in leaf_plans(self.plans))

    def specs(self):
        return [leaf.spec for _, leaf in leaf_plans(self.plans)]

    def leaves(self):
        out = []
        for name, item in self.plans.items():
            try:
                item.leaves(self.bound.arguments[name], out)
            except UserError as error:
                unfit = Unfit.of(error)
                raise UserError(f"argument {name}{unfit.path}: {unfit.why}") from None
        return out

    def traced(self, trace):
        """(positional, keyword) arguments of the traced function."""
        values = {name: item.traced(trace) for name, item in self.plans.items()}
        bound = inspect.BoundArguments(self.signature, values)
        return bound.args, bound.kwargs


def asserting():
    """Whether checks of the trace that runs are compiled in."""
    return _current.assertions


def _trace(function, binding, target, assertions):
    """The trace of a host function with these arguments, open."""
    trace = _core.Trace(function.name_prefix or function.__name__, target, place)
    outer, _current.kernels = _current.kernels, ()
    asserted, _current.assertions = _current.assertions, assertions
    calls, _current.calls = _current.calls, []
    try:
        with staging_trace(_backend.Backend):
            arguments, keywords = binding.traced(trace)
            result = function.body()(*arguments, **keywords)
        if result is not None and not isinstance(result, (int, float, str, bool, tuple, list, dict)):
            raise UserError(f"{function.__name__} returns a {type(result).__name__}; a host function returns "
                            "constants, and gives results in its tensors")
        for call in _current.calls:
            if not call.launched:
                call.warn()
        return trace, result
    except TypeError as error:
        trace.close()
        said = reworded(error)
        if said is None:
            raise
        raise said.with_traceback(error.__traceback__) from None
    except BaseException:
        trace.close()
        raise
    finally:
        _current.kernels, _current.assertions, _current.calls = outer, asserted, calls


_compiled = {}  # (text of the trace, its places, target, options, keys of the arguments): CompiledFunction
_lock = threading.Lock()


def _remember(text, compiled):
    with _lock:
        _compiled[text] = compiled
        most = _core.most_compiled()
        while most and len(_compiled) > most:
            _compiled.pop(next(iter(_compiled)))


def _compile_trace(function, binding, options, device, cached=True):
    from . import _device

    target = options.arch or _core.target_for(device)
    trace, result = _trace(function, binding, target, options.assertions)
    try:
        # What calls are checked against is no part of the text, where nothing of it is used; nor are the lines that
        # messages name.
        names = binding.leaf_names()
        text = (trace.text(), trace.places(), target, options.key(), binding.leaf_keys(), names)
        cached = cached and _core.remembers()
        with _lock:
            found = _compiled.get(text) if cached else None
        if found is None:
            _device.prepare_printing()
            found = _core.compile(trace, binding.specs(), options.for_core(cached, names))
            for remark in found.remarks():
                if "launch: smem" in remark and not _core.knobs()["warnings_ignore"]:
                    warnings.warn(remark, stacklevel=4)
            if cached:
                _remember(text, found)
        options.keep(function.__name__, found)
        return found, result
    finally:
        trace.close()


def _resolve(function):
    """(the @jit function, its self) of what cute.compile is given."""
    if isinstance(function, _Bound):
        return _resolve(function.function)[0], (function.instance,)
    function = getattr(function, "_tuned_function", function)
    if isinstance(function, JitFunction):
        return function, ()
    if isinstance(function, KernelFunction):
        raise UserError(f"compile: {function.__name__} is a kernel; compile the host function that launches it")
    if inspect.ismethod(function):
        return JitFunction(function.__func__), (function.__self__,)
    if inspect.isfunction(function):
        return JitFunction(function), ()
    call = getattr(type(function), "__call__", None)
    if isinstance(call, JitFunction):
        return call, (function,)
    if callable(function) and inspect.isfunction(call):
        return JitFunction(call), (function,)
    raise TypeError(f"compile: a function decorated with @cute.jit was expected, not {type(function).__name__}")


def _trace_and_call(function, arguments, keywords):
    """A call that takes nothing from a cache."""
    from . import _device

    binding, options = _Binding(function.function, arguments, keywords), CompileOptions.default()
    device = _device.for_target(_device.of(binding.bound.arguments.values()), options.arch)
    compiled, result = _compile_trace(function, binding, options, device, cached=False)
    _device.call(compiled, device, binding.leaves())
    return result


def _call_now(function, arguments, keywords):
    """A call of a @jit function that C++ has not taken: a trace, if none that is known would be the same."""
    from . import _device

    binding, options = _Binding(function.function, arguments, keywords), CompileOptions.default()
    device = _device.for_target(_device.of(binding.bound.arguments.values()), options.arch)
    traces, key = function.traces, (binding.key(), device.name)
    entry = traces.find(key)
    if entry is None:
        watched = traces.watch(binding)
        compiled, result = _compile_trace(function, binding, options, device)
        if watched:
            entry = traces.remember(key, watched, compiled, result, device)
    else:
        compiled, result = entry.core, entry.result
    if entry is not None:
        _calls.accept_again(function, entry, binding, arguments, keywords)
    _device.call(compiled, device, binding.leaves())
    return result


class CompiledFunction(_core.Caller):
    """What cute.compile gives. Calling it takes the arguments that are not compiled in; C++ takes calls whose
    arguments fit, and `_slow_call` the others."""

    def __init__(self, function, core, binding, ties, device, pinned=False, nvdisasm=()):
        self._nvdisasm = list(nvdisasm)
        self._function, self._core, self._device, self._pinned = function, core, device, pinned
        self._binding = binding
        self._passed = [name for name, item in binding.plans.items() if not self._is_static(name, item)]
        self._signature = binding.signature.replace(
            parameters=[p for name, p in binding.signature.parameters.items() if name in self._passed])
        self.__name__ = function.__name__
        self._ties = ties
        _calls.accept(self, core, binding.plans, self._passed, device, pinned, self._ties)

    @staticmethod
    def _is_static(name, item):
        return isinstance(item, Constant) or item is ENV_STREAM

    def _slow_call(self, *arguments, **keywords):
        self.run_compiled_program(self.generate_execution_args(*arguments, **keywords))

    def generate_execution_args(self, *arguments, **keywords):
        """The leaves that a call passes, in order. Raises what does not fit, also of what is compiled in and passed again."""
        values = self._values(arguments, keywords)
        out = []
        for name, item in self._binding.plans.items():
            if name not in values and isinstance(item, Constant):
                continue
            try:
                item.leaves(values.get(name), out)
            except (AttributeError, TypeError, UserError) as error:
                unfit, kind = Unfit.of(error), UserError if isinstance(error, UserError) else TypeError
                raise kind(f"{self.__name__}: argument {name}{unfit.path}: {unfit.why}") from None
        _ties.check(self._ties, out, self.__name__)
        return out

    def _values(self, arguments, keywords):
        """{parameter: value} of what a call names; what is compiled in need not be there."""
        plans, passed = self._binding.plans, self._passed
        again = {name: value for name, value in keywords.items() if name in plans and name not in passed}
        keywords = {name: value for name, value in keywords.items() if name not in again}
        parameters = self._binding.signature.parameters
        variadic = any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters.values())
        full = self._repeated(arguments) if len(arguments) > len(passed) and not variadic else None
        if full:
            if twice := set(full) & {*keywords, *again}:
                raise TypeError(f"{self.__name__}: several values were passed for argument {min(twice)}")
            given = {**keywords, **again, **dict(zip(full, arguments))}
            defaults = {name: parameters[name].default for name in passed if name not in given}
            if not any(value is inspect.Parameter.empty for value in defaults.values()):
                return {**defaults, **given}
        try:
            bound = self._signature.bind(*arguments, **keywords)
        except TypeError as error:
            raise TypeError(f"{self.__name__}: {error}; it takes ({', '.join(passed)})") from None
        bound.apply_defaults()
        return {**bound.arguments, **again}

    def _repeated(self, arguments):
        """The parameters of a call that repeats by position what is compiled in: all of the first ones, or those that are
        passed and those that are None. None if there are not so many."""
        plans, count = self._binding.plans, len(arguments)
        names = [name for name in plans if name not in ("self", "cls")]
        some = [name for name in names if name in self._passed or self._binding.bound.arguments[name] is None]
        ways = [way[:count] for way in (some, names) if count <= len(way)]

        def fits(way):
            return all(same_constant(value, plans[name].value) for name, value in zip(way, arguments)
                       if isinstance(plans[name], Constant))

        return next(filter(fits, ways), ways[-1] if ways else None)

    def run_compiled_program(self, arguments):
        from . import _device

        _device.call(self._core, self._device, arguments, self._pinned)

    def to(self, device=None):
        """The same function, for a device that is named."""
        from . import _device

        return CompiledFunction(self._function, self._core, self._binding, self._ties, _device.named(device), device is not None,
                                self._nvdisasm)

    __mlir__ = property(lambda self: self._core.mlir)
    __ptx__ = property(lambda self: self._core.ptx)
    __cubin__ = property(lambda self: self._core.cubin())
    __sass__ = property(lambda self: self._core.sass(self._nvdisasm))
    export_to_c = Absent("CompiledFunction.export_to_c", "compiled functions are not exported; __ptx__ and __cubin__ have their kernels")
    mlir = property(lambda self: self._core.mlir)
    ptx = property(lambda self: self._core.ptx)

    @property
    def kernel_info(self):
        """Registers, spills and shared memory by kernel; assembled at the first question."""
        return {entry["name"]: entry for entry in self._core.resources()}

    def occupancy(self, block_size, kernel=None, dynamic_smem=0):
        """What one multiprocessor holds of a kernel (of the only one, if none is named) with blocks of `block_size` threads:
        `blocks`, `warps`, `occupancy` (0 to 1) and `limited_by`. On a GPU that it was compiled for its driver counts the
        blocks, and the architecture's rules elsewhere."""
        kernels = self._core.kernels
        if kernel is None and len(kernels) != 1:
            raise UserError(f"occupancy: name one of the kernels: {', '.join(kernels) or 'there is none'}")
        real = not self._device.simulated and self._device.target == self._core.target
        threads = math.prod(block_size) if isinstance(block_size, (tuple, list)) else block_size
        return self._core.occupancy(self._device if real else None, kernel or kernels[0], threads, dynamic_smem)

    @property
    def remarks(self):
        """Things that cost speed, `file:line: text`."""
        return self._core.remarks()

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __repr__(self):
        return f"<compiled {self.__name__} for {self._core.target}>"


class Compiler(_core.Caller):
    """cute.compile: `compile(f, *args, options="...")`, `compile[KeepPTX, OptLevel(2)](f, *args)`."""

    def __init__(self, options=()):
        self._options = tuple(options)

    def __getitem__(self, options):
        return Compiler((*self._options, *(options if isinstance(options, tuple) else (options,))))

    def _slow_call(self, function, *arguments, options="", **keywords):
        from . import _device

        chosen = CompileOptions.of(self._options, options)
        found, instance = _resolve(function)
        binding = _Binding(found.function, (*instance, *arguments), keywords)
        ties = _ties.of(binding.plans)  # what it refuses need not be compiled
        device = _device.for_target(_device.of(binding.bound.arguments.values()), chosen.arch)
        binding, (core, _) = _placeholders.compiled(binding, lambda tried: _compile_trace(found, tried, chosen, device))
        made = CompiledFunction(found, core, binding, ties, device, nvdisasm=chosen.nvdisasm)
        if chosen.flags.get("enable-tvm-ffi"):
            from . import _tvm_ffi

            return _tvm_ffi.function_of(made, binding.plans, device)
        return made


compile = Compiler()  # noqa: A001  (the field's name)


__all__ = ["CompiledFunction", "JitFunction", "KernelFunction", "compile", "jit", "kernel"]
