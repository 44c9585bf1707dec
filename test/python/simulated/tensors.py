# tensors.py -- checks: tensors on the simulated GPU are made, moved, mixed, saved and copied as torch does it.
import copy
import io
import pickle

import checks
import numpy
import torch
from checks import raises

CUDA = torch.device("cuda", 0)


def check_functions_that_make_tensors():
    x = torch.ones(2, 3)
    made = [torch.empty(2, 3, device="cuda"), torch.zeros(2, 3, device="cuda:0"), torch.ones(2, 3, device=CUDA), torch.rand(2, 3, device=0),
            torch.randn(2, 3, device="cuda"), torch.full((2, 3), 1.0, device="cuda"), torch.empty_like(x, device="cuda"),
            torch.rand_like(x, device="cuda"), x.new_zeros(2, 3, device="cuda"), torch.tensor([[1.0] * 3] * 2, device="cuda"),
            torch.as_tensor([[1.0] * 3] * 2, device="cuda"), torch.asarray([[1.0] * 3] * 2, device="cuda"),
            torch.from_numpy(numpy.ones((2, 3), numpy.float32)).cuda(), torch.empty_strided((2, 3), (3, 1), device="cuda"),
            torch.arange(6.0, device="cuda").reshape(2, 3), torch.linspace(0, 1, 6, device="cuda").view(2, 3),
            torch.randint(3, (2, 3), device="cuda").float(), x.new_tensor([[1.0] * 3] * 2, device="cuda"), torch.cuda.FloatTensor(2, 3),
            torch.normal(0.0, 1.0, (2, 3), device="cuda"), torch.eye(3, device="cuda")[:2]]
    for i, t in enumerate(made):
        assert t.device == CUDA and t.is_cuda and not t.is_cpu and t.get_device() == 0, i
        assert t.dtype == torch.float32 and t.shape == (2, 3) and type(t) is torch.Tensor, i
    assert x.device.type == "cpu" and not x.is_cuda and torch.zeros(1).device.type == "cpu"
    assert torch.tensor(3.0, device="cuda", requires_grad=True).requires_grad
    assert torch.empty(0, device="cuda").is_cuda and torch.empty(0, device="cuda").data_ptr() == 0
    with raises(RuntimeError, "invalid device ordinal"):
        torch.zeros(1, device="cuda:1")


def check_results_and_views_are_on_the_gpu():
    x = torch.arange(12.0, device="cuda").reshape(3, 4)
    results = [x + 1, 1 - x, x @ x.T, x.sum(), x[1:], x[:, 2], x.T, x.max(dim=1).values, torch.cat([x, x]), x.half(), x.clone(), x > 2,
               x[x > 2], torch.where(x > 2, x, 0.0), x.unbind()[0], torch.nn.functional.softmax(x, 1), x.to(torch.float64), x.long(),
               torch.nn.functional.one_hot(x[0].long()), x.sort().indices, x.expand(2, 3, 4), x.reshape(-1), x.new_empty(3),
               torch.stack([x, x]), torch.zeros_like(x), x.cumsum(0), torch.einsum("ij,kj->ik", x, x), x.nonzero(),
               torch.nn.functional.layer_norm(x, (4,)), x.detach(), x.chunk(2)[1], torch.topk(x, 2).values]
    for i, t in enumerate(results):
        assert t.is_cuda, i
    assert x.sum().item() == 66 and x[1].tolist() == [4.0, 5.0, 6.0, 7.0]
    assert "device='cuda:0'" in repr(x) and "device" not in repr(x.cpu())


def check_moves():
    x = torch.arange(6.0).reshape(2, 3)
    y = x.to("cuda")
    assert y.is_cuda and y is y.to("cuda") and y.cuda() is y and x.to("cpu") is x and x.cpu() is x
    assert y.to("cuda", copy=True) is not y and y.to(torch.float32) is y
    z = y.to("cpu")
    assert not z.is_cuda and torch.equal(z, x) and z.data_ptr() != x.data_ptr()
    assert y.to(x).device == x.device and x.to(y).is_cuda and x.to(y.double()).dtype == torch.float64
    assert x.to("cuda", torch.float16).dtype == torch.float16 and x.to(device="cuda", dtype=torch.int32).is_cuda
    assert x.t().cuda().stride() == (1, 3) and x[:, 1].cuda().stride() == (1,) and x[:1].expand(4, 3).cuda().shape == (4, 3)
    assert x.type("torch.cuda.HalfTensor").type() == "torch.cuda.HalfTensor" and y.type(torch.float64).is_cuda
    assert y.type("torch.FloatTensor").type() == "torch.FloatTensor"
    assert torch.empty(2, 3).copy_(y).device.type == "cpu" and torch.empty_like(y).copy_(x).is_cuda
    assert not torch.empty_like(y, device="cpu").is_cuda and not y.new_zeros(2, device="cpu").is_cuda
    assert x.to("meta").device.type == "meta" and y.to("meta").device.type == "meta"
    with raises(NotImplementedError, "Cannot copy out of meta tensor"):
        x.to("meta").cuda()


def check_numpy_is_refused():
    x = torch.ones(2, device="cuda")
    for read in (lambda: x.numpy(), lambda: numpy.asarray(x), lambda: numpy.add(x, 1)):
        with raises(TypeError, "can't convert cuda:0 device type tensor to numpy"):
            read()
    assert x.cpu().numpy().sum() == 2 and x.numpy(force=True).sum() == 2


def check_operands_on_two_devices_are_refused():
    x, y = torch.ones(3, device="cuda"), torch.ones(3)
    for mixed in (lambda: x + y, lambda: y * x, lambda: torch.cat([x, y]), lambda: torch.ones(2, 3, device="cuda") @ y, lambda: x.add_(y),
                  lambda: y.add_(x), lambda: torch.where(x > 0, x, y), lambda: torch.stack([x[0], y[0]]), lambda: y + x[0],
                  lambda: torch.nn.functional.linear(x, torch.ones(2, 3))):
        with raises(RuntimeError, "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"):
            mixed()
    assert (x + torch.tensor(2.0)).is_cuda and (torch.tensor(2.0) * x).is_cuda and x[torch.tensor([0, 1])].is_cuda
    x[torch.tensor([0])] = 5.0
    x[1] = torch.tensor(7.0)
    assert x.tolist() == [5.0, 7.0, 1.0]


def check_default_device():
    with torch.device("cuda"):
        assert torch.zeros(2).is_cuda and torch.tensor([1]).is_cuda and torch.nn.Linear(2, 2).weight.is_cuda
        assert not torch.zeros(2, device="cpu").is_cuda and not torch.tensor([1], device="cpu").is_cuda
    assert not torch.zeros(2).is_cuda
    torch.set_default_device("cuda")
    try:
        assert torch.randn(2).is_cuda and torch.tensor(1.0).is_cuda and torch.arange(3).is_cuda and torch.get_default_device().type == "cuda"
    finally:
        torch.set_default_device(None)
    assert not torch.tensor(1.0).is_cuda


def check_pinned_memory():
    x = torch.ones(3).pin_memory()
    assert x.is_pinned() and not x.is_cuda and not torch.ones(3).is_pinned() and torch.empty(3, pin_memory=True).is_pinned()
    assert x.pin_memory() is x and x.cuda(non_blocking=True).is_cuda
    with raises(RuntimeError, "only dense CPU tensors can be pinned"):
        x.cuda().pin_memory()


def check_generators():
    g = torch.Generator("cuda").manual_seed(3)
    assert g.device.type == "cuda" and isinstance(g, torch.Generator) and torch.Generator().device.type == "cpu"
    a = torch.rand(4, device="cuda", generator=g)
    assert a.is_cuda and torch.equal(a, torch.rand(4, device="cuda", generator=g.manual_seed(3)))
    torch.manual_seed(1)
    first, host = torch.randn(3, device="cuda"), torch.randn(3)
    torch.manual_seed(1)
    assert torch.equal(torch.randn(3), host), "the GPU's numbers are no numbers of the host"
    assert torch.equal(torch.randn(3, device="cuda"), first)
    kept = torch.cuda.get_rng_state()
    b = torch.rand(2, device="cuda")
    torch.cuda.set_rng_state(kept)
    assert torch.equal(b, torch.rand(2, device="cuda"))
    torch.cuda.manual_seed_all(5)
    assert torch.cuda.initial_seed() == 5 and torch.randperm(5, device="cuda", generator=g).is_cuda
    assert copy.deepcopy(torch.empty(3, device="cuda").uniform_(generator=g)).is_cuda


def check_saved_and_copied():
    x = torch.arange(6.0, device="cuda").reshape(2, 3)
    for made in (copy.deepcopy(x), copy.copy(x), pickle.loads(pickle.dumps(x)), x.clone()):
        assert made.is_cuda and torch.equal(made, x)
    file = io.BytesIO()
    torch.save({"x": x, "view": x[1], "host": torch.ones(2)}, file)
    for place, on_gpu in ((None, True), ("cpu", False), ("cuda:0", True), (torch.device("cpu"), False), ({"cuda:0": "cpu"}, False),
                          (lambda storage, location: storage, False)):
        file.seek(0)
        loaded = torch.load(file, map_location=place)
        assert loaded["x"].is_cuda == on_gpu and torch.equal(loaded["x"].cpu(), x.cpu()), place
        assert loaded["view"].untyped_storage().data_ptr() == loaded["x"].untyped_storage().data_ptr()
    assert loaded["host"].tolist() == [1.0, 1.0]
    assert x.untyped_storage().device.type == "cuda" and x.untyped_storage().is_cuda and x.storage().is_cuda
    assert x[1].data_ptr() - x.untyped_storage().data_ptr() == 12


def check_dlpack():
    x = torch.arange(4.0, device="cuda")
    y = torch.from_dlpack(x)
    assert y.is_cuda and y.data_ptr() == x.data_ptr() and x.__dlpack_device__() == (2, 0)
    assert torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(x)).is_cuda
    assert torch.from_dlpack(numpy.ones(3)).device.type == "cpu"
    assert x.__cuda_array_interface__["data"][0] == x.data_ptr()


def check_out_and_resize():
    x, out = torch.ones(3, device="cuda"), torch.empty(3, device="cuda")
    assert torch.add(x, x, out=out) is out and out.tolist() == [2.0] * 3
    grown = torch.ones(2, device="cuda").resize_(4)
    assert grown.is_cuda and grown.shape == (4,) and grown[:2].tolist() == [1.0, 1.0]
    empty = torch.empty(0, device="cuda")
    torch.add(x, x, out=empty)
    assert empty.is_cuda and empty.tolist() == [2.0] * 3
    x.set_()
    assert x.numel() == 0


def check_sparse():
    s = torch.sparse_coo_tensor(torch.tensor([[0, 1], [1, 0]]), torch.tensor([2.0, 3.0]), (2, 2), device="cuda")
    assert s.is_cuda and s.device == CUDA and s.to_dense().is_cuda and (s @ torch.ones(2, 2, device="cuda")).tolist() == [[2, 2], [3, 3]]
    d = torch.eye(3, device="cuda").to_sparse()
    assert d.is_cuda and d.coalesce().indices().is_cuda and d.cpu().to_dense().tolist() == torch.eye(3).tolist()


if __name__ == "__main__":
    checks.main(globals())
