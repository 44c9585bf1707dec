# inductor_lowering.py -- a lowering of torch's add that offers a CuteDSL template, in one variant or in several.

import torch
from torch._inductor import ir
from torch._inductor.select_algorithm import autotune_select_algorithm

ADD = torch.ops.aten.add.Tensor


def lowering(template, variants):
    """A lowering of add to a choice among variants of the template."""

    def lower(left, right, *, alpha=1):
        size, choices = left.get_size(), []
        layout = ir.FixedLayout(left.get_device(), left.get_dtype(), size, ir.FlexibleLayout.contiguous_strides(size))
        for threads in variants:
            refused = template.maybe_append_choice(choices, input_nodes=[left, right], layout=layout, THREADS_PER_BLOCK=threads)
            assert refused is None, refused
        if len(choices) == 1:
            return choices[0].output_node()
        return autotune_select_algorithm(template.name, choices, [left, right], layout)

    return lower
