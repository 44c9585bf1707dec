# __init__.py -- parts of matrix products, by architecture.

from . import sm100

__all__ = ["sm100"]
