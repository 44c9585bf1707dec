# absent.py -- what a module of instructions says of those that are not there yet.


def absent(module, name):
    """Raises: for the names of operations with what is missing."""
    module = module.rpartition(".")[2]
    if name[:1].isupper() or name in ("fence", "commit_group", "wait_group", "commit", "make_smem_layout_atom", "mma"):
        raise AttributeError(f"cute.nvgpu.{module}.{name} is not supported yet (docs/support.md): of matrix instructions and "
                             "their copies only the enumerations are there")
    raise AttributeError(f"module 'cute.nvgpu.{module}' has no attribute '{name}'")
