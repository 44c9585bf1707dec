# latex.py -- pictures of layouts in LaTeX (TikZ).

import itertools

from .. import _core

_SHADES = ["black!00", "black!40", "black!20", "black!60", "black!10", "black!50", "black!30", "black!70"]
_COLOURS = [f"{{rgb,255:red,{r};green,{g};blue,{b}}}" for r, g, b in (
    (175, 175, 255), (175, 255, 175), (255, 255, 175), (255, 175, 175), (210, 210, 255), (210, 255, 210), (255, 255, 210),
    (255, 210, 210))]
_HEAD = ("\\documentclass[convert]{standalone}\n\\usepackage{tikz}\n\\begin{document}\n"
         "\\begin{tikzpicture}[x={(0cm,-1cm)},y={(1cm,0cm)},every node/.style={minimum size=1cm, outer sep=0pt}]")
_TAIL = "\\end{tikzpicture}\n\\end{document}"


def _extents(shape):
    """Rows and columns of a shape of at most two modes."""
    if not isinstance(shape, tuple):
        return 1, _core.product(shape)
    if len(shape) > 2:
        raise ValueError(f"print_latex: a picture has two modes, the shape {shape} has {len(shape)}")
    return tuple(_core.product(mode) for mode in shape) if len(shape) == 2 else (_core.product(shape[0]), 1)


def _frame(rows, columns):
    yield f"\\draw[color=black,thick,shift={{(-0.5,-0.5)}}] (0,0) grid ({rows},{columns});"
    for i in range(rows):
        yield f"\\node at ({i},-1) {{\\Large{{\\texttt{{{i}}}}}}};"
    for j in range(columns):
        yield f"\\node at (-1,{j}) {{\\Large{{\\texttt{{{j}}}}}}};"


def _index(layout, i, j):
    return layout((i, j)) if isinstance(layout.shape, tuple) and len(layout.shape) == 2 else layout(max(i, j))


def print_latex(x, *, color=None, render_func=None):
    """Prints a TikZ picture of a static layout: each index at its coordinate. color(index) gives a fill."""
    rows, columns = _extents(x.shape)
    shade = color or (lambda index: _SHADES[index % len(_SHADES)])
    show = render_func or str
    print(f"%% Layout: {x}\n{_HEAD}")
    for i, j in itertools.product(range(rows), range(columns)):
        index = _index(x, i, j)
        print(f"\\node[fill={shade(index)}] at ({i},{j}) {{{show(index)}}};")
    print("\n".join(_frame(rows, columns)) + f"\n{_TAIL}")


def print_latex_tv(layout_tv, tile_mn, *, color=None, palette=None, title=None, axis_labels=False):
    """Prints a TikZ picture of a TV layout: at each place of the tile its thread and value."""
    rows, columns = _extents(tile_mn if not hasattr(tile_mn, "shape") else tile_mn.shape)
    shades = palette or _COLOURS
    shade = color or (lambda thread, value: shades[thread % len(shades)])
    threads, values = (_core.size(_core.get(layout_tv, [mode])) for mode in (0, 1))
    print(f"%% {title or 'Layout TV'}: {layout_tv}\n{_HEAD}")
    seen = set()
    for thread, value in itertools.product(range(threads), range(values)):
        index = layout_tv((thread, value))
        if index in seen:
            continue
        seen.add(index)
        i, j = index % rows, index // rows
        print(f"\\node[fill={shade(thread, value)}] at ({i},{j}) {{\\shortstack{{T{thread} \\\\ V{value}}}}};")
    print("\n".join(_frame(rows, columns)) + f"\n{_TAIL}")
