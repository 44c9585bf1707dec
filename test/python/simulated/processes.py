# processes.py -- checks: children of a program (spawned, forked, started by their names, workers of loaders) have the simulated GPU.
import concurrent.futures
import multiprocessing
import subprocess
import sys

import checks
import torch
from checks import raises, scale
from torch.utils.data import DataLoader, Dataset, TensorDataset


def doubled(values):
    """In a child: on its GPU."""
    x = torch.tensor(values, device="cuda")
    y = torch.empty_like(x)
    scale(x, y, 2.0)
    return y.tolist(), str(y.device), torch.cuda.is_available()


def put(queue, tensor):
    queue.put((tensor.is_cuda, (tensor * 3).tolist()))  # a tensor of the host would end with the child


def uses_gpu(queue):
    try:
        torch.zeros(1, device="cuda")
        queue.put("no error")
    except RuntimeError as error:
        queue.put(str(error))


class Rows(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        assert torch.cuda.is_available()
        return torch.full((3,), float(i)), i


def check_spawned():
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(doubled, [1.0, 2.0]).result() == ([2.0, 4.0], "cuda:0", True)


def check_tensors_go_to_spawned_children_by_value():
    context = torch.multiprocessing.get_context("spawn")
    queue, x = context.Queue(), torch.ones(4, device="cuda")
    child = context.Process(target=put, args=(queue, x))
    child.start()
    on_gpu, tripled = queue.get(timeout=120)
    child.join()
    assert on_gpu and tripled == [3.0] * 4 and x.tolist() == [1.0] * 4


def check_forked():
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=uses_gpu, args=(queue,))
    child.start()
    assert "Cannot re-initialize CUDA in forked subprocess" in queue.get(timeout=60)
    child.join()


def check_programs_that_it_starts():
    program = ("import cutlass.cute, torch, cuda.bindings.driver as d; x = torch.ones(3, device='cuda'); "
               "print(x.device, torch.cuda.is_available(), d.cuInit(0)[0].name)")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "cuda:0 True CUDA_SUCCESS\n", done.stdout + done.stderr
    done = subprocess.run([sys.executable, "-c", "import sys; print('torch' in sys.modules, 'cutwork._core' in sys.modules)"],
                          capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n", "a child that asks for neither pays for neither"


def check_loaders():
    for context in ("fork", "spawn"):
        loader = DataLoader(Rows(), batch_size=4, num_workers=1, pin_memory=True, multiprocessing_context=context)
        seen = []
        for rows, indices in loader:
            assert rows.is_pinned() and indices.is_pinned()
            rows = rows.to("cuda", non_blocking=True)
            assert rows.is_cuda
            seen += rows[:, 0].long().tolist()
        assert sorted(seen) == list(range(8))
    data = TensorDataset(torch.arange(4.0, device="cuda"))
    assert all(x.is_cuda for (x,) in DataLoader(data, batch_size=2, shuffle=True))
    assert torch.arange(2.0)[torch.randperm(2)].device.type == "cpu"


def check_the_mode_ends_with_no_thread():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        assert all(t.is_cuda for t in pool.map(lambda n: torch.ones(n, device="cuda") * 2, range(1, 5)))
    with raises(RuntimeError, "found at least two devices"):
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            pool.submit(lambda: torch.ones(2, device="cuda") + torch.ones(2)).result()


if __name__ == "__main__":
    checks.main(globals())
