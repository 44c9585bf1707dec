# regions.py -- if, for, while and with of rewritten code: staged where the condition is dynamic, else Python's.
"""Rewritten code traces a region inline, so that locals stay locals:

    r = __cw__.If(k, condition, acc)
    for _ in r:                              # once; again when the region has to be traced again
        if r.then():
            if r.staged: acc, = r.begin()
            ...
            if r.staged: r.end(acc)
        if r.orelse(): ...
    if r.staged: acc, = r.result()

k is the index of a Region, which has what is known of the statement; its places are what is carried."""

import builtins
import contextlib

from . import ranges, tree
from .context import current, dynamic, is_number_object
from .errors import MismatchError, StagingError, TryError
from .poison import Poison
from .witness import Witness

RETRACES = 16  # each weakens a type, so that few are needed; more are an error of ours


class Place:
    """A variable, or attribute of one, that a region carries."""

    __slots__ = ("name", "kind", "lines", "weak", "undefined", "fixed", "is_self", "alias", "surely", "promotes")

    def __init__(self, name, kind, lines, weak=False, undefined=False, fixed=False, is_self=False,
                 alias=False):
        self.name = name  # for messages: `x`, `self.state`
        # 'assign': the name is bound; 'attr': an attribute is; 'mutate': a method is called; 'restore': the
        # name is bound, and not read afterwards, but each arm begins with the value from before.
        self.kind = kind
        self.lines = lines  # (before the region, in its first part, in its second part); None if there is none
        self.weak = weak  # needed by a nested function only: an error waits until it is used
        self.undefined = undefined  # never read where it was not assigned (the result of a return)
        self.fixed = fixed  # does not become dynamic by being carried
        self.is_self = is_self
        self.alias = alias  # it is given the object of another name
        self.surely = False  # of a loop: each iteration that begins binds it
        self.promotes = False  # numbers of two types give one of the promoted type, as in an expression

    def threaded(self, value):
        if self.kind == "restore":
            return False
        if self.kind != "mutate":
            return True
        if value is tree.UNBOUND or isinstance(value, Poison) or not tree.changes_in_place(value):
            return False
        return not self.is_self or getattr(type(value), "_dsl_thread_self_in_staged_cf", False)


class Region:
    """What is known of a statement before it is run."""

    __slots__ = ("kind", "file", "line", "places", "stops", "has_else", "in_try", "leaves", "endless")

    def __init__(self, kind, file, line, places=(), stops=(), has_else=False, in_try=0, leaves=(None, None), endless=False):
        self.kind, self.file, self.line, self.places = kind, file, line, places
        self.stops = stops  # indices of the places that say that a loop is left
        self.has_else = has_else
        self.in_try = in_try  # the line of a `try` around it
        # How each arm of an `if` always leaves what is around: by 'return', by break or continue ('loop'), or not (None).
        self.leaves = leaves
        self.endless = endless  # `while True`

    def fail(self, message, kind=StagingError, line=None):
        raise kind(message, self.file, line or self.line)

    def poison(self, place):
        which = "body may not run" if self.kind in ("for", "while") else "condition is known only at run time"
        return Poison(place.name, f"'{place.name}' may have no value here: it is bound only inside the "
                      f"`{self.kind}` of line {self.line}, whose {which}. Bind it before the `{self.kind}`"
                      + (", in both arms," if self.kind == "if" else "")
                      + " or make the decision with const_expr")

    def mismatch(self, place, problem, line_a, line_b):
        what = f"'{place.name}{problem.path}'"
        a, b = tree.describe(problem.a), tree.describe(problem.b)
        message = (f"{what} does not keep its type over the `{self.kind}` of line {self.line}: it is "
                   f"{a} (line {line_a}) and {b} (line {line_b}). "
                   "What a run-time branch or loop assigns must keep element type, rank, structure and "
                   "None-ness: convert one of them, use another name, or decide with const_expr")
        if a == b:
            message = (f"{what} is another object behind the `{self.kind}` of line {self.line}: {a} of line {line_a}, or "
                       f"that of line {line_b}. Which one is meant would be known only at run time: assign its elements "
                       "instead, use another name, or decide with const_expr")
        if place.weak:
            return Poison(place.name, message)
        return self.fail(message, MismatchError, line_b)

    def merge(self, place, a, b, line_a, line_b):
        """The meet of two specs (or UNBOUND, or Poison) that reach one place."""
        for one, other in ((a, b), (b, a)):
            if isinstance(one, Poison):
                return one
            if one is tree.UNBOUND:
                return other if place.undefined or other is tree.UNBOUND else self.poison(place)
        try:
            return tree.meet(a, b)
        except tree.Mismatch as found:
            problem = found  # raised outside, so that the message stands alone
        promoted = tree.promoted(a, b) if place.promotes else None
        return self.mismatch(place, problem, line_a, line_b) if promoted is None else promoted


def _empty(a):
    return a is tree.UNBOUND or isinstance(a, Poison)


def _spec(value):
    return value if _empty(value) else tree.spec(value)


class _Slots:
    """The stack slots of one carried value."""

    __slots__ = ("slots", "samples")

    def __init__(self, chunks):
        make = current().backend.slot
        self.samples = chunks
        self.slots = [[make(leaf) for leaf in chunk] for chunk in chunks]

    def fit(self, chunks):
        same_type = current().backend.same_type
        return ([len(c) for c in chunks] == [len(c) for c in self.samples]
                and all(same_type(x, y) for c, d in zip(chunks, self.samples) for x, y in zip(c, d)))

    def store(self, chunks):
        store = current().backend.store
        for slots, chunk in zip(self.slots, chunks):
            for slot, leaf in zip(slots, chunk):
                store(slot, leaf)

    def load(self):
        load = current().backend.load
        return [[load(slot) for slot in slots] for slots in self.slots]


class _Staged:
    """What the staged forms share."""

    def _open(self, region, values):
        self.region, self.staged = region, True
        if region.in_try:
            region.fail(f"this `{region.kind}` is decided at run time and stands inside the `try` of line "
                        f"{region.in_try}: an exception can only be caught while tracing. Move the `try` "
                        "inside or around the call, or decide with const_expr", TryError)
        self._capture(values)
        self.witness = Witness(region, self.saved)

    def _capture(self, values):
        self.values = values
        self.live = [place.threaded(value) for place, value in zip(self.region.places, values)]
        self.saved = []
        for value, live in zip(values, self.live):
            if live and not _empty(value):
                tree.snapshot(value, self.saved)
        # What a method may change and does not stays what it is: its values do not become those of the region.
        self.calm = {}

    def _watch(self, i, value):
        """From here on an object whose methods are called is watched for changes."""
        if self.region.places[i].kind == "mutate" and not _empty(value) and tree.shows_changes(value):
            self.calm[i] = tree.snapshot(value)

    def _compare(self):
        """What has changed since _watch is no longer calm."""
        self.calm = {i: saved for i, saved in self.calm.items() if tree.unchanged(saved)}

    def _left(self, values):
        """At the end of an arm or body: what is fixed is as before, since the threads that changed it have left."""
        return tuple(before if place.fixed else value for place, before, value in zip(self.region.places, self.values, values))

    def _indices(self):
        return [i for i, live in enumerate(self.live) if live]

    def _result(self, i, spec, slots, ends):
        """The value after the region: the same object, changed, if it is that on all ways."""
        before = self.values[i]
        if _empty(spec):
            return spec
        fresh = any(end is not before and end is not tree.UNBOUND for end in ends)
        if fresh and self.region.places[i].alias and any(isinstance(end, (list, dict)) for end in ends):
            self._refuse_alias(self.region.places[i], before)
        sample = before if not _empty(before) and not fresh else \
            next(end for end in ends if not _empty(end))
        return tree.unchunk(spec, slots.load(), sample, fresh)


    def _refuse_alias(self, place, before):
        kind = type(before).__name__ if isinstance(before, (list, dict)) else "list or dict"
        line = place.lines[1] or place.lines[2]
        self.region.fail(f"'{place.name}' becomes another name of a {kind} inside the `{self.region.kind}` of line "
                         f"{self.region.line}: which object it is would be known only at run time, so that changing "
                         f"one could not be seen through the other. Copy it ({place.name} = other.copy()), assign its "
                         "elements, or decide with const_expr", line=line)


class If(_Staged):
    """`if`: two arms."""

    loop = None  # the loop around, where an arm may leave it

    def __init__(self, region, condition, values):
        self.staged = dynamic(condition)
        if not self.staged:
            self.truth = bool(condition)
            return
        self._open(region, values)
        self.condition = current().backend.to_boolean(condition)
        self.target = {}  # place: the spec to store, found by an earlier trace
        self.arm = 0
        self.again = False

    def __iter__(self):
        if not self.staged:
            yield
            return
        trace = current()
        for _ in range(RETRACES):
            self.arm, self.again = 0, False
            for i in self._indices():
                self._watch(i, self.values[i])
            both = self.region.has_else or bool(self._indices())
            self.handle = trace.backend.open_if(self.condition, both)
            trace.depth += 1
            yield
            if not self.region.has_else and both:
                self.orelse()
                tree.restore(self.saved)
                self.end(*self.values)
            trace.backend.close(self.handle)
            trace.depth -= 1
            if not self.again:
                self.witness.check()
                return
            trace.backend.discard(self.handle)
            tree.restore(self.saved)
        self.region.fail("internal error: the types of this `if` do not settle; please report it")

    def then(self):
        return self.staged or self.truth

    def orelse(self):
        if not self.staged:
            return not self.truth
        current().backend.open_else(self.handle)
        self.arm = 1
        return True

    def begin(self):
        tree.restore(self.saved)
        return self.values

    def end(self, *values):
        self._compare()
        values = self._left(values)
        specs = [_spec(value) if live else None for value, live in zip(values, self.live)]
        (self._end_else if self.arm else self._end_then)(values, specs)

    def _end_then(self, values, specs):
        self.then_values, self.then_specs = values, specs
        self.slots = {}
        for i in self._indices():
            if not _empty(specs[i]):
                chunks = tree.chunks(values[i], self.target.get(i, specs[i]))
                self.slots[i] = _Slots(chunks)
                self.slots[i].store(chunks)

    def _end_else(self, values, specs):
        self.else_values, self.specs = values, {}
        for i in self._indices():
            place = self.region.places[i]
            before, line_a, line_b = place.lines
            line_a, line_b = line_a or before or self.region.line, line_b or before or self.region.line
            meet = self._of_one_arm(place, self.then_specs[i], specs[i])
            if meet is None:
                meet = self.region.merge(place, self.then_specs[i], specs[i], line_a, line_b)
            self.specs[i] = meet
            if _empty(meet) or _empty(specs[i]):
                continue
            chunks = tree.chunks(values[i], meet)
            if i not in self.slots:
                self.slots[i] = _Slots(chunks)
            if self.slots[i].fit(chunks):
                self.slots[i].store(chunks)
            else:
                self.target[i], self.again = meet, True

    def _of_one_arm(self, place, then, other):
        """What has no value where an arm leaves has that of the other arm: what follows asks whether it was left."""
        for spec, rest, way in ((then, other, self.region.leaves[0]), (other, then, self.region.leaves[1])):
            if way is None or not _empty(spec) or _empty(rest):
                continue
            if way == "loop" and self.loop is not None and not (self.loop.staged or place.undefined):
                self.loop.lost[place.name] = self.region.poison(place)
            return rest
        return None

    def result(self):
        out = list(self.values)
        tree.restore(self.saved)
        for i in self._indices():
            ends = (self.then_values[i], self.else_values[i])
            out[i] = self.values[i] if i in self.calm else self._result(i, self.specs[i], self.slots.get(i), ends)
        return out


class With(If):
    """`with`: a manager with `__staged_condition__` is an `if` without else; others are Python's."""

    def __init__(self, region, manager, values):
        ask = getattr(type(manager), "__staged_condition__", None)
        self.context = manager
        If.__init__(self, region, True if ask is None or not current().staging else ask(manager), values)
        if self.staged:
            self.context = contextlib.nullcontext(manager)

    def manager(self):
        return self.context


class _Loop(_Staged):
    """What staged loops share: slots that are written before the loop and at the end of its body."""

    runs = False  # the body once at least

    def __init__(self):
        self.lost = {}  # name: Poison, of what has no value where an iteration that Python runs was left

    def without(self, *values):
        """The values, but of what is lost."""
        return [self.lost.get(place.name, value) for place, value in zip(self.region.places, values)]

    def _prepare(self):
        self.again, self.ends, self.slots = False, [], {}
        first = not hasattr(self, "specs")
        if first:
            self.original = [_spec(v) if live else None for v, live in zip(self.values, self.live)]
            self.specs = list(self.original)
        for i in self._indices():
            if _empty(self.values[i]):
                self.specs[i] = self.original[i]
                continue
            # Of an object whose method is called only what changes becomes dynamic (found by tracing again):
            # a dictionary of static settings stays one.
            if first and not self.region.places[i].fixed and self.region.places[i].kind != "mutate":
                self.specs[i] = tree.loosen(self.specs[i])
            chunks = tree.chunks(self.values[i], self.specs[i])
            self.slots[i] = _Slots(chunks)
            self.slots[i].store(chunks)

    def _load(self):
        out = list(self.values)
        for i in self.slots:
            out[i] = tree.unchunk(self.specs[i], self.slots[i].load(), self.values[i])
            self._watch(i, out[i])
        return out

    def end(self, *values):
        self._compare()
        values = self._left(values)
        self.ends.append(values)
        ends = [_spec(value) if live else None for value, live in zip(values, self.live)]
        new = list(self.specs)
        for i in self._indices():
            new[i] = self._meet(i, ends[i])
            if not _empty(self.specs[i]) and (_empty(new[i]) or not tree.same(new[i], self.specs[i])):
                self.again = True
        for i in self._indices() if not self.again else ():
            if not _empty(new[i]) and not _empty(ends[i]):
                chunks = tree.chunks(values[i], new[i])
                if i not in self.slots:  # it had no value before; it is stored only
                    self.slots[i] = _Slots(chunks)
                self.slots[i].store(chunks)
        self.specs = new

    def _meet(self, i, end):
        place, line = self.region.places[i], self.region.line
        lines = (place.lines[0] or line, place.lines[1] or line)
        spec = self.specs[i]
        if not _empty(spec) and not _empty(end):
            try:
                return tree.meet(spec, end)
            except tree.Mismatch:
                spec = self.original[i]  # what was a Python number can still take the other's type
        if self.runs and place.surely and spec is tree.UNBOUND:
            return end
        return self.region.merge(place, spec, end, *lines)

    def result(self):
        out = list(self.values)
        tree.restore(self.saved)
        for i in self._indices():
            ends = [values[i] for values in self.ends[-1:]]
            out[i] = self.values[i] if i in self.calm else self._result(i, self.specs[i], self.slots.get(i), ends)
        return out

    def _retry(self, trace):
        """After the body: closes the region. Whether it has to be traced again."""
        trace.backend.close(self.handle)
        trace.depth -= 1
        if self.again:
            trace.backend.discard(self.handle)
            tree.restore(self.saved)
        else:
            self.witness.check()
        return self.again

    def _unsettled(self):
        self.region.fail(f"internal error: the types of this `{self.region.kind}` do not settle; please report it")


class For(_Loop):
    """`for`: a range is staged while something is traced; any other iterable is Python's."""

    def __init__(self, region, iterable, values):
        super().__init__()
        self.region, self.iterable, self.staged = region, iterable, False
        is_range = isinstance(iterable, (builtins.range, ranges.range))
        if not is_range or not current().staging:
            return
        known = iterable if isinstance(iterable, builtins.range) else iterable.static
        if known is not None and len(known) == 0:
            self.iterable = ()
            return
        self.runs = known is not None
        self._open(region, values)

    def __iter__(self):
        return self._iterate() if self.staged else iter(self.iterable)

    def _iterate(self):
        trace = current()
        bounds = (self.iterable.start, self.iterable.stop, self.iterable.step)
        options = getattr(self.iterable, "options", {})
        for _ in range(RETRACES):
            self._prepare()
            if self._stops():
                yield from self._as_while(trace, *bounds)
            else:
                self.handle, index = trace.backend.open_for(*bounds, **options)
                trace.depth += 1
                yield index
            if not self._retry(trace):
                return
        self._unsettled()

    def _stops(self):
        """The flags that may leave the loop and are not known while tracing."""
        return [i for i in self.region.stops if not tree.is_static(self.specs[i])]

    def _as_while(self, trace, start, stop, step):
        """A loop that may be left: the index has a slot, and the flags are asked with the bound."""
        b = trace.backend
        like = b.promote(b.promote(start, stop), step)
        start, stop, step = (b.convert(x, like) for x in (start, stop, step))
        slot = b.slot(start)
        b.store(slot, start)
        # A step other than 1 may go past the largest number of the type: then the last index was the one before.
        past = b.slot(b.to_boolean(False)) if dynamic(self.iterable.step) or abs(self.iterable.step) != 1 else None
        if past is not None:
            b.store(past, b.to_boolean(False))
        self.handle = b.open_while()
        trace.depth += 1
        index = b.load(slot)
        if dynamic(self.iterable.step):
            inside = b.select(b.binary("gt", step, b.convert(0, like)), b.binary("lt", index, stop),
                              b.binary("gt", index, stop))
        else:
            inside = b.binary("lt" if self.iterable.step > 0 else "gt", index, stop)
        if past is not None:
            inside = b.binary("and", inside, b.binary("xor", b.load(past), b.to_boolean(True)))
        values = self._load()
        for i in self._stops():
            inside = b.binary("and", inside, b.binary("xor", values[i], b.convert(True, values[i])))
        b.while_condition(self.handle, inside)
        yield index
        following = b.binary("add", index, step)
        b.store(slot, following)
        if past is not None:
            back = b.binary("lt", following, index)
            up = b.binary("gt", step, b.convert(0, like)) if dynamic(self.iterable.step) else b.to_boolean(self.iterable.step > 0)
            b.store(past, b.binary("xor", back, b.binary("xor", up, b.to_boolean(True))))

    def begin(self):
        return self._load()

    def stopped(self, *flags):
        """Whether Python's loop ends here: a flag is known to be set."""
        return not self.staged and any(not dynamic(flag) and flag for flag in flags)

    def running(self, *flags):
        """The condition of the body: that no flag is set. A staged loop has asked already."""
        if self.staged:
            return True
        result = True
        for flag in flags:
            if dynamic(flag):
                b = current().backend
                flag = b.binary("xor", b.to_boolean(flag), b.to_boolean(True))
                result = flag if result is True else b.binary("and", result, flag)
            elif flag:
                return False
        return result


class While(_Loop):
    """`while`: each test is tried first in a region that is thrown away; a dynamic one stages the rest."""

    def __init__(self, region):
        super().__init__()
        self.region, self.staged, self.running, self.runs = region, False, True, region.endless

    def __iter__(self):
        while self.running and not self.staged:
            yield
        if not self.staged:
            return
        trace = current()
        for _ in range(RETRACES):
            self._prepare()
            self.handle = trace.backend.open_while()
            trace.depth += 1
            yield
            if not self._retry(trace):
                return
        self._unsettled()

    def begin(self, *values):
        if self.staged:
            return self._load()
        self._capture(values)
        if current().staging:
            self.scratch = current().backend.open_while()
            current().depth += 1
        return values

    def condition(self, value, *values):
        """The test; `values`, where it may change some of the places, are those after it."""
        backend = current().backend
        if self.staged:
            if values:
                self._store_test(values)
            backend.while_condition(self.handle, backend.to_boolean(value))
            return True
        # A number class counts as known only at run time: `while i < n` of Int32 constants is a loop, not its copies.
        is_dynamic = dynamic(value) or (current().staging and is_number_object(value))
        if current().staging:
            backend.discard(self.scratch)
            current().depth -= 1
        if is_dynamic:
            tree.restore(self.saved)
            self._open(self.region, self.values)
            return False
        self.running = bool(value)
        return self.running

    def _store_test(self, values):
        for i in self._indices():
            end = _spec(values[i])
            spec = self._meet(i, end)
            if _empty(spec) and not isinstance(end, tree.Spec):
                continue
            if _empty(self.specs[i]):
                spec = self.original[i] = end  # the test always runs, so that what it binds has a value
            if not _empty(self.specs[i]) and not tree.same(spec, self.specs[i]):
                self.again = True
            self.specs[i] = spec
            chunks = tree.chunks(values[i], spec)
            if i not in self.slots:
                self.slots[i] = _Slots(chunks)
            if self.slots[i].fit(chunks):
                self.slots[i].store(chunks)
        self.ends.append(values)
