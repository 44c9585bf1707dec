# row_plans.py -- on a GPU: RMSNorm and softmax of bf16 rows by how rows are shared out over threads and blocks; share of copy_.
"""row_plans.py SHAPE THREADS:CLUSTER:AT_ONCE:IN_BLOCK...

Each plan of examples/python/block.py's Rows is measured as bench/gpu/python/norms.py measures; `-` is the plan that Rows makes. What
was best is what Rows chooses."""
import sys

import norms
from block import WARP, Rows


def planned(of, text):
    """A Rows with other numbers."""
    if text == "-":
        return of
    of.threads, of.cluster, of.at_once, of.in_block = map(int, text.split(":"))
    vectors = of.columns // of.vector
    of.per_thread, of.full = -(-vectors // of.threads), vectors % of.threads == 0
    of.rounds = -(-of.threads // WARP**2)
    return of


def main():
    rows, columns = map(int, sys.argv[1].split("x"))
    made = Rows.of
    for text in sys.argv[2:]:
        Rows.of = classmethod(lambda cls, *tensors, _text=text: planned(made(*tensors), _text))
        try:
            result = norms.measure(rows, columns, peers=False)
        except Exception as error:
            print(f"{sys.argv[1]} {text}: {type(error).__name__}: {str(error)[:200]}", flush=True)
            continue
        print(f"{sys.argv[1]} {text}: copy_ {result['copy_']:,.0f}, RMSNorm {result['RMSNorm'] / result['copy_']:.3f}, "
              f"softmax {result['softmax'] / result['copy_']:.3f}", flush=True)


if __name__ == "__main__":
    main()
