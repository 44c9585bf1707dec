# training.py -- checks: modules, autograd, optimisers, mixed precision and operators of programs on the simulated GPU.
import copy

import checks
import torch
from checks import raises, scale
from torch import nn

CUDA = torch.device("cuda", 0)


class Scaled(torch.autograd.Function):
    """A function of a program, forward and backward by kernels."""

    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        y = torch.empty_like(x)
        scale(x.detach().reshape(-1), y.reshape(-1), factor)
        return y

    @staticmethod
    def backward(ctx, gradient):
        assert gradient.is_cuda and torch.zeros(1, device="cuda").is_cuda and not torch.zeros(1).is_cuda
        made = torch.empty_like(gradient)
        scale(gradient.contiguous().reshape(-1), made.reshape(-1), ctx.factor)
        return made, None


def trained(device, optimiser, amp=False, steps=8):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3))
    x, y = torch.randn(32, 8), torch.randint(3, (32,))
    model.to(device)
    x, y = x.to(device), y.to(device)
    optimiser = optimiser(model.parameters())
    scaler = torch.amp.GradScaler(device, enabled=amp)
    for _ in range(steps):
        optimiser.zero_grad()
        with torch.autocast(device, torch.bfloat16, enabled=amp):
            loss = nn.functional.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimiser)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimiser)
        scaler.update()
    return loss.item(), model, optimiser


def check_training_is_that_of_the_host():
    for optimiser in (lambda p: torch.optim.SGD(p, 0.1, momentum=0.9), lambda p: torch.optim.Adam(p, 0.01),
                      lambda p: torch.optim.AdamW(p, 0.01, fused=True), lambda p: torch.optim.RMSprop(p, 0.01)):
        (one, there, state), (other, here, _) = trained("cuda", optimiser), trained("cpu", optimiser)
        assert abs(one - other) < 1e-4, (one, other)
        for a, b in zip(there.parameters(), here.parameters(), strict=True):
            assert a.is_cuda and a.grad.is_cuda and not b.is_cuda and torch.allclose(a.cpu(), b, atol=1e-4)
        assert all(t.is_cuda for s in state.state.values() for k, t in s.items() if k != "step" and torch.is_tensor(t))


def check_mixed_precision():
    loss, model, _ = trained("cuda", lambda p: torch.optim.SGD(p, 0.1), amp=True)
    assert loss < 1.2 and next(model.parameters()).dtype == torch.float32
    with torch.autocast("cuda", torch.bfloat16):
        assert (torch.ones(2, 2, device="cuda") @ torch.ones(2, 2, device="cuda")).dtype == torch.bfloat16
    with torch.cuda.amp.autocast():
        assert nn.Linear(2, 2).cuda()(torch.ones(1, 2, device="cuda")).dtype == torch.float16


def check_modules_move():
    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout())
    first = next(model.parameters())
    optimiser = torch.optim.SGD(model.parameters(), 0.1)
    assert model.cuda() is model and next(model.parameters()) is first and first.is_cuda and model[1].running_mean.is_cuda
    assert isinstance(first, nn.Parameter) and optimiser.param_groups[0]["params"][0] is first
    assert model.to("cuda") is model and model.half()[0].weight.dtype == torch.float16 and model.float()[0].weight.is_cuda
    other = copy.deepcopy(model)
    other.load_state_dict(model.state_dict())
    assert next(other.parameters()).is_cuda and all(v.is_cuda for v in model.state_dict().values())
    assert not next(model.cpu().parameters()).is_cuda and nn.Linear(2, 2, device="cuda").bias.is_cuda
    assert nn.Linear(2, 2, device="meta").to_empty(device="cuda").weight.is_cuda
    with raises(RuntimeError, "found at least two devices"):
        nn.Linear(4, 4)(torch.ones(1, 4, device="cuda"))


def check_gradients_cross_devices():
    x = torch.ones(3, requires_grad=True)
    y = torch.ones(3, device="cuda", requires_grad=True)
    (x.cuda() * 2).sum().backward()
    (y.cpu() * 3).sum().backward()
    assert not x.grad.is_cuda and y.grad.is_cuda and x.grad.tolist() == [2.0] * 3 and y.grad.tolist() == [3.0] * 3
    z = torch.zeros(3)
    z.copy_(y)
    z.sum().backward()
    assert y.grad.is_cuda and y.grad.tolist() == [4.0] * 3
    seen = []
    w = torch.ones(3, device="cuda", requires_grad=True)
    w.register_hook(lambda g: seen.append(g.is_cuda))
    torch.autograd.grad((w[1:] ** 2).sum(), w, create_graph=True)[0].sum().backward()
    assert seen == [True, True] and w.grad.is_cuda


def check_a_programs_function_of_autograd():
    x = torch.randn(3, 5, device="cuda", requires_grad=True)
    y = Scaled.apply(x, 2.5)
    (y * y).sum().backward()
    assert y.is_cuda and torch.allclose(y, x * 2.5) and torch.allclose(x.grad, 2 * 2.5 * y.detach())
    model = nn.Linear(5, 5).cuda()
    Scaled.apply(model(x), 3.0).sum().backward()
    assert model.weight.grad.is_cuda
    torch.utils.checkpoint.checkpoint(lambda t: Scaled.apply(t, 2.0), x, use_reentrant=False).sum().backward()


def check_functional_transforms():
    x = torch.randn(4, 3, device="cuda")
    assert torch.func.grad(lambda t: (t ** 2).sum())(x).is_cuda
    assert torch.func.vmap(lambda t: t * 2)(x).is_cuda and torch.allclose(torch.func.vmap(torch.sum)(x), x.sum(1))
    assert torch.func.jacrev(lambda t: t.sin())(x[0]).is_cuda
    with torch.inference_mode():
        assert (torch.ones(2, device="cuda") + x[0, :2]).is_cuda and torch.tensor([1.0], device="cuda").is_cuda


def check_operators_of_a_program():
    @torch.library.custom_op("simulated_checks::twice", mutates_args=(), device_types="cuda")
    def twice(x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        assert y.is_cuda and torch.zeros(2, device="cuda").is_cuda
        scale(x, y, 2.0)
        return y

    twice.register_fake(lambda x: torch.empty_like(x))
    twice.register_autograd(lambda ctx, gradient: twice(gradient))
    x = torch.ones(5, device="cuda", requires_grad=True)
    twice(x).sum().backward()
    assert x.grad.tolist() == [2.0] * 5


def check_compile_runs_eagerly():
    compiled = torch.compile(lambda t: torch.relu(t) + 1)
    x = torch.randn(8, device="cuda")
    assert compiled(x).is_cuda and torch.equal(compiled(x), torch.relu(x) + 1)
    model = torch.compile(nn.Linear(8, 2).cuda())
    model(x).sum().backward()


def check_layers():
    x = torch.randn(2, 3, 8, 8, device="cuda")
    model = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.GroupNorm(2, 4), nn.GELU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64, 8)).cuda()
    assert model(x).is_cuda
    attention = nn.MultiheadAttention(8, 2, batch_first=True).cuda()
    t = torch.randn(2, 5, 8, device="cuda")
    assert attention(t, t, t)[0].is_cuda and nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).cuda().eval()(t).is_cuda
    rnn = nn.LSTM(8, 4, batch_first=True).cuda()
    out, (h, _) = rnn(t)
    out.sum().backward()
    assert h.is_cuda and rnn.weight_ih_l0.grad.is_cuda
    assert nn.Embedding(10, 4).cuda()(torch.tensor([1, 2], device="cuda")).is_cuda
    q = torch.randn(1, 2, 4, 8, device="cuda")
    assert nn.functional.scaled_dot_product_attention(q, q, q, is_causal=True).is_cuda
    assert nn.functional.interpolate(x, scale_factor=2).is_cuda and nn.functional.dropout(x).is_cuda


def check_forward_derivatives():
    def cubes(x):
        return (x ** 3).sum() + torch.zeros_like(x).sum()

    for device in ("cpu", CUDA):
        x, ones = torch.arange(1.0, 4.0, device=device), torch.ones(3, device=device)
        value, tangent = torch.func.jvp(torch.sin, (x,), (ones,))
        assert tangent.device == x.device and torch.allclose(value, x.sin()) and torch.allclose(tangent, x.cos())
        assert torch.allclose(torch.func.jacfwd(torch.sin)(x), x.cos().diag())
        assert torch.allclose(torch.func.hessian(cubes)(x), (6 * x).diag())

    @torch.jit.script
    def scripted(x: torch.Tensor):
        return x + torch.ones_like(x) + torch.full([3], 2.0)

    assert scripted(torch.zeros(3)).tolist() == [3.0] * 3


if __name__ == "__main__":
    checks.main(globals())
