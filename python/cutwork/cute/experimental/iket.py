# iket.py -- profiling marks in kernels; they have no effect here.


def range_push(name, *, loc=None, ip=None):
    """Begins a range; no effect."""


def range_pop(*, loc=None, ip=None):
    """Ends it; no effect."""
