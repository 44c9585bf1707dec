# language_cases.py -- the programs of test/python/cases on a GPU, against what they give on the simulated device.
"""Run: PYTHONPATH=build/python python -m cutwork bench/gpu/python/language_cases.py
Programs that are wrong on purpose (a race, a barrier that nobody comes to) are left out: a GPU may hang on them."""
import importlib.util
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
# What differs by device: targets, numbers of multiprocessors, times.
DEVICE = re.compile(r"simulated: not a GPU time\n|sm_\d+[af]?|\(232448, True, \d+\)")


def load():
    path = ROOT / "test/python/language_cases.py"
    spec = importlib.util.spec_from_file_location("language_cases", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    cases, same, different, left_out = load(), 0, [], 0
    for path in sorted((ROOT / "test/python/cases").glob("*.txt")):
        for name, program, is_kernel, expression, expected in cases.read(path):
            if "DeviceError: " in expected:
                left_out += 1
                continue
            got = cases.run(name, program, is_kernel, expression)
            if sorted(DEVICE.sub("", got).splitlines()) == sorted(DEVICE.sub("", expected).splitlines()):
                same += 1
            else:
                different.append(f"== {path.stem}: {name}\nexpected\n{expected}gave\n{got}")
    print("\n".join(different))
    print(f"language_cases: {same} as on the simulated device, {len(different)} differ, {left_out} left out")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
