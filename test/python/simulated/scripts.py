# scripts.py -- checks: short programs as users write them: benchmarks, modules with kernels, inference, profiling, checkpoints.
import pathlib
import tempfile

import checks
import cutlass
import cutlass.cute as cute
import torch
import torch.utils.benchmark
from checks import scale
from torch import nn


class Gain(nn.Module):
    """A module whose forward is a kernel."""

    def __init__(self, size):
        super().__init__()
        self.inner, self.factor = nn.Linear(size, size), 1.5
        self.register_buffer("seen", torch.zeros((), dtype=torch.int64))

    def forward(self, x):
        y = self.inner(x)
        out = torch.empty_like(y)
        scale(y.detach().view(-1), out.view(-1), self.factor)
        self.seen += 1
        return out


def check_a_benchmark_with_events():
    x, y = torch.randn(1000, device="cuda"), torch.empty(1000, device="cuda")
    compiled = cute.compile(scale, x, y, cutlass.Float32(2.0))
    flush = torch.empty(1 << 20, dtype=torch.int8, device="cuda")
    starts, ends = ([torch.cuda.Event(enable_timing=True) for _ in range(3)] for _ in range(2))
    for start, end in zip(starts, ends, strict=True):
        flush.zero_()
        start.record()
        compiled(x, y, 2.0)
        end.record()
    torch.cuda.synchronize()
    times = torch.tensor([s.elapsed_time(e) for s, e in zip(starts, ends, strict=True)])
    assert times.min() > 0
    torch.testing.assert_close(y, x * 2)


def check_inference_and_checkpoints():
    model = Gain(8).cuda().eval()
    x = torch.randn(4, 8).cuda()
    with torch.no_grad():
        first = model(x)
    with torch.inference_mode():
        assert torch.equal(model(x), first)
    assert model.seen.item() == 2 and model.seen.is_cuda
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder, "model.pt")
        torch.save(model.state_dict(), place)
        other = Gain(8)
        other.load_state_dict(torch.load(place, map_location="cpu", weights_only=True))
        assert not other.inner.weight.is_cuda
        other.load_state_dict(torch.load(place))
        assert torch.equal(other.to("cuda")(x), first)
        torch.save(model, place)
        assert torch.equal(torch.load(place, weights_only=False)(x), first)


def check_a_profile():
    x = torch.randn(16, device="cuda")
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        with torch.profiler.record_function("part"):
            (x * 2).sum().item()
    assert any(e.key == "part" for e in profile.key_averages())


def check_settings_that_scripts_make():
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.backends.cudnn.benchmark = True
    torch.set_float32_matmul_precision("high")
    torch.cuda.memory.empty_cache()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    assert torch.zeros(1, device=device).is_cuda and torch.zeros(1).to(device.type).is_cuda and str(device) == "cuda"
    assert torch.cuda.get_device_properties(device).name and torch.empty(1, device=f"cuda:{torch.cuda.current_device()}").is_cuda


def check_mathematics():
    a = torch.randn(4, 4, device="cuda")
    spd = a @ a.T + 4 * torch.eye(4, device="cuda")
    for t in (torch.linalg.cholesky(spd), torch.linalg.inv(spd), torch.linalg.svd(a).S, torch.linalg.solve(spd, a), torch.fft.rfft(a).abs(),
              torch.linalg.norm(a), torch.bmm(a[None], a[None]), torch.baddbmm(a[None], a[None], a[None]), torch.cdist(a, a), a.roll(1, 0),
              torch.histc(a, 4), torch.bucketize(a, torch.linspace(-1, 1, 4, device="cuda")), torch.unique(a), torch.cummax(a, 0).values,
              torch.multinomial(torch.ones(4, device="cuda"), 2), torch.bernoulli(torch.full((3,), 0.5, device="cuda")), a.tril(), a.diag(),
              torch.scatter(torch.zeros_like(a), 0, torch.zeros(4, 4, dtype=torch.long, device="cuda"), a), a.gather(1, a.argsort(1)),
              torch.repeat_interleave(a, 2, 0), torch.meshgrid(a[0], a[1], indexing="ij")[0], torch.tensordot(a, a, 1), a.logsumexp(0),
              torch.block_diag(a, a), a.quantile(0.5, dim=0), a.nanquantile(0.3), torch.nn.functional.pad(a, (1, 1)), torch.complex(a, a).conj().resolve_conj().real,
              a.masked_fill(a > 0, 0.0), a.index_select(0, torch.tensor([0, 2], device="cuda")), a.view(torch.int32), a.to(torch.bfloat16)):
        assert t.is_cuda, t
    assert torch.allclose(torch.linalg.inv(spd) @ spd, torch.eye(4, device="cuda"), atol=1e-3)


def check_accumulated_gradients_and_ema():
    model, ema = nn.Linear(4, 2).cuda(), nn.Linear(4, 2).cuda()
    optimiser = torch.optim.AdamW(model.parameters(), 1e-2)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, 4)
    for step in range(4):
        x, y = torch.randn(8, 4, device="cuda"), torch.randint(2, (8,), device="cuda")
        (nn.functional.cross_entropy(model(x), y) / 2).backward()
        if step % 2:
            optimiser.step()
            schedule.step()
            optimiser.zero_grad(set_to_none=True)
            with torch.no_grad():
                for p, q in zip(ema.parameters(), model.parameters(), strict=True):
                    p.lerp_(q, 0.1)
    state = optimiser.state_dict()
    other = torch.optim.AdamW(model.parameters(), 1e-2)
    other.load_state_dict(state)
    assert all(s["exp_avg"].is_cuda for s in other.state.values())


def check_wrappers():
    model = nn.DataParallel(nn.Linear(4, 2).cuda())
    assert model(torch.randn(3, 4, device="cuda")).is_cuda
    traced = torch.jit.trace(nn.Linear(4, 2).cuda(), torch.randn(3, 4, device="cuda"))
    assert traced(torch.randn(3, 4, device="cuda")).is_cuda
    timer = torch.utils.benchmark.Timer("x + 1", globals={"x": torch.ones(4, device="cuda")})
    assert timer.timeit(3).mean > 0
    swa = torch.optim.swa_utils.AveragedModel(nn.Linear(2, 2).cuda())
    swa.update_parameters(nn.Linear(2, 2).cuda())
    assert next(swa.parameters()).is_cuda


if __name__ == "__main__":
    checks.main(globals())
