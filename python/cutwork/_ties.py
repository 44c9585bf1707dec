# _ties.py -- extents and strides that were compiled as one sym_int: each call must give them one value.

from ._arguments import leaf_plans
from ._errors import UserError


class _Place:
    """An extent or a stride of a tensor that calls pass: in which leaf, in which of the launch's slots."""

    def __init__(self, name, leaf, slot, what, mode):
        self.name, self.leaf, self.slot, self.what, self.mode = name, leaf, slot, what, mode

    def __str__(self):
        return f"{self.what} {self.mode} of argument {self.name}"

    def value(self, leaves):
        """What this call passes there; None if it says nothing: the stride of a mode of extent 1."""
        array = leaves[self.leaf]
        if len(array.shape) <= self.mode or self.what == "stride" and array.shape[self.mode] == 1:
            return None
        return (array.shape if self.what == "extent" else array.strides)[self.mode]


def _places(plans):
    """(place, symbol) of each symbol, in order."""
    slot = 0
    for index, (name, leaf) in enumerate(leaf_plans(plans)):
        slot += 1
        if leaf.key[0] != "tensor":
            continue
        for what, known, symbols in zip(("extent", "stride"), (leaf.spec.shape, leaf.spec.stride), leaf.symbols or ((), ())):
            for mode, size in enumerate(known):
                if isinstance(size, int):
                    continue
                if mode < len(symbols) and symbols[mode] is not None:
                    yield _Place(name, index, slot, what, mode), symbols[mode]
                slot += 1


def of(plans):
    """[(place, other place, symbol)] that must be equal. UserError: one name for symbols that differ."""
    first, found = {}, []
    for place, symbol in _places(plans):
        key = symbol.symbol or symbol
        if key not in first:
            first[key] = place, symbol
            continue
        before, known = first[key]
        if (known.width, known.divisibility) != (symbol.width, symbol.divisibility):
            raise UserError(f"sym_int: {place} and {before} are both '{symbol.symbol}', but of {symbol.width} and {known.width} bits "
                            f"or of divisibility {symbol.divisibility} and {known.divisibility}")
        found.append((before, place, symbol))
    return found


def check(found, leaves, function):
    for before, place, symbol in found:
        a, b = before.value(leaves), place.value(leaves)
        if a is not None and b is not None and a != b:
            raise UserError(f"{function}: argument {place.name}: {place.what} {place.mode} is {b}; it was compiled as "
                            f"{symbol.symbol or 'the same sym_int'}, as {before}, which is {a}")


__all__ = ["check", "of"]
