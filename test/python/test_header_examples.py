# test_header_examples.py -- the examples in the comments of include/cutwork/Layout are true.
"""A line `///     name(operands) = result` in a header is evaluated by `cutwork layout eval`."""
import json
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = sorted((ROOT / "include/cutwork/Layout").glob("*.h"))
CUTWORK = ROOT / "build/bin/cutwork"


def split_top(text):
    """`text` at its commas outside brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += c in "([{<"
        depth -= c in ")]}>"
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [p.strip() for p in parts + [text[start:]]]


def closing(text, start):
    """The index of the bracket that closes the one at `start`."""
    depth = 0
    for i in range(start, len(text)):
        depth += text[i] in "([{"
        depth -= text[i] in ")]}"
        if depth == 0:
            return i
    return -1


def examples(line):
    """(operation, operands, result) of each example in a comment line."""
    for part in re.split(r";  +(?=\w+\()", line):
        found = re.match(r"\s*(\w+)\(", part)
        end = closing(part, found.end() - 1) if found else -1
        rest = part[end + 1:] if end > 0 else ""
        if not re.match(r"\s*= ", rest):
            continue
        # Words behind two or more spaces are remarks; "1 + 2 = 3" ends in the answer.
        result = re.split(r"\s{2,}|;  ", rest.strip()[2:].strip())[0].rsplit(" = ", 1)[-1]
        operands = []
        for operand in split_top(part[found.end():end]):
            if operand.startswith("{") and ":" in operand:
                operands += split_top(operand[1:-1])
            else:
                operands.append(operand.replace("{", "(").replace("}", ")"))
        yield found.group(1), operands, result


def evaluate(requests):
    lines = "".join(json.dumps({"op": op, "args": args}) + "\n" for op, args in requests)
    done = subprocess.run([CUTWORK, "layout", "eval"], input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def collect():
    known = operations()
    found = []
    for header in HEADERS:
        for number, line in enumerate(header.read_text().splitlines(), 1):
            comment = re.match(r"\s*///?     ?(\s*\w+\(.*)", line)
            if not comment:
                continue
            for op, args, result in examples(comment.group(1)):
                symbolic = any(re.fullmatch(r"[A-Za-z]+|.*\b[A-Z]\b(?!<).*", a) for a in args)
                if op in known and not symbolic:
                    found.append((f"{header.name}:{number}", op, args, result))
    return found


def operations():
    table = (ROOT / "lib/Layout/OperationTable.inc").read_text()
    return set(re.findall(r'^  \{\{"(\w+)"', table, re.M))


EXAMPLES = collect()


@pytest.mark.parametrize("where,op,args,result", EXAMPLES, ids=[f"{e[0]}-{e[1]}" for e in EXAMPLES])
def test_example(where, op, args, result):
    answer = evaluate([(op, args)])[0]
    assert answer.get("result", answer) == result, f"{where}: {op}{args}"


def test_most_operations_have_an_example():
    without = operations() - {op for _, op, _, _ in EXAMPLES}
    # Queries that need no example: their name and summary are their definition.
    without -= {"rank", "depth", "size", "evaluate", "swizzle_apply", "congruent", "weakly_congruent", "compatible"}
    assert not without, f"operations without an example in a header: {sorted(without)}"


def test_the_guide_says_of_every_operation_what_dynamic_leaves_do():
    guide = (ROOT / "docs/layout.md").read_text()
    missing = {op for op in operations() if f"`{op}`" not in guide}
    assert not missing, f"docs/layout.md does not name {sorted(missing)}"


SWEEP = ["4:1", "?", "(0,4)", "((", "9223372036854775807", "[4:1, _]", "S<3,4,3> o 0 o (8,8):(1,8)", "-1"]


def test_every_refusal_names_its_operation_and_no_line_ends_the_run():
    requests = [(op, [a, b, c][:n]) for op in sorted(operations()) for n in (1, 2, 3)
                for a in SWEEP for b in SWEEP[:n * 4] for c in SWEEP[:2]]
    answers = evaluate(requests)
    assert len(answers) == len(requests)
    for (op, args), answer in zip(requests, answers):
        error = answer.get("error")
        assert error is None or error.startswith(op), (op, args, error)
