# streams.py -- checks: streams, events, queries of torch.cuda and CUDA graphs on the simulated GPU.
import checks
import cutlass
import cutlass.cute as cute
import torch
from checks import raises, scale, scale_kernel

CUDA = torch.device("cuda", 0)


@cute.jit
def scale_on(x: cute.Tensor, y: cute.Tensor, factor: cutlass.Float32, stream):
    scale_kernel(x, y, factor).launch(grid=cute.ceil_div(cute.size(x), 128), block=128, stream=stream)


def check_queries():
    cuda = torch.cuda
    assert cuda.is_available() and cuda.device_count() == 1 and cuda.current_device() == 0 and cuda.is_initialized()
    major, minor = cuda.get_device_capability()
    p = cuda.get_device_properties(0)
    assert (p.major, p.minor) == (major, minor) == (9, 0) and p.multi_processor_count > 0 and p.total_memory > 1 << 30
    assert cuda.get_device_name() == p.name and "simulated" in p.name and cuda.get_arch_list() == ["sm_90a"]
    assert cuda.is_bf16_supported() and cuda.mem_get_info()[0] <= cuda.mem_get_info()[1] and torch.accelerator.is_available()
    assert torch.accelerator.current_accelerator().type == "cuda"
    before = cuda.memory_allocated()
    x = torch.empty(1 << 20, dtype=torch.uint8, device="cuda")
    assert cuda.memory_allocated() - before == 1 << 20 and cuda.max_memory_allocated() >= cuda.memory_allocated()
    del x
    assert cuda.memory_allocated() == before and "bytes" in cuda.memory_summary()
    cuda.reset_peak_memory_stats(), cuda.empty_cache(), cuda.synchronize(), cuda.set_device(0)
    with cuda.nvtx.range("part"), cuda.device(0), cuda.device_of(torch.ones(1, device="cuda")):
        cuda.nvtx.mark("here")
    with raises(RuntimeError, "invalid device ordinal"):
        cuda.set_device(1)


def check_streams_and_events():
    s, t = torch.cuda.Stream(), torch.cuda.Stream(priority=-1)
    assert s != t and s.cuda_stream != t.cuda_stream and torch.cuda.current_stream() == torch.cuda.default_stream()
    assert torch.cuda.current_stream().cuda_stream == 0 and torch.cuda.ExternalStream(s.cuda_stream) == s
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    s.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(s):
        assert torch.cuda.current_stream() == s
        start.record()
        x = torch.ones(100, device="cuda")
        y = torch.empty_like(x)
        scale(x, y, 2.0)
        end.record(s)
        with t:
            assert torch.cuda.current_stream() == t
        y.record_stream(t)
    assert torch.cuda.current_stream() == torch.cuda.default_stream()
    t.wait_event(end)
    torch.cuda.current_stream().wait_stream(s)
    event = s.record_event()
    end.synchronize(), s.synchronize(), event.wait(t)
    assert start.elapsed_time(end) > 0 and end.query() and s.query() and y.tolist() == [2.0] * 100
    with raises(ValueError, "enable_timing=True"):
        event.elapsed_time(end)
    import cuda.bindings.driver as driver
    from cutlass.torch import default_stream

    scale_on(x, y, 3.0, default_stream())
    assert y.tolist() == [3.0] * 100
    with raises(ValueError, "give the parameter the type cuda.bindings.driver.CUstream"):
        scale_on(x, y, 3.0, s.cuda_stream)

    @cute.jit
    def typed(x: cute.Tensor, y: cute.Tensor, stream: driver.CUstream):
        scale_kernel(x, y, cutlass.Float32(5.0)).launch(grid=1, block=128, stream=stream)

    typed(x, y, s.cuda_stream)
    assert y.tolist() == [5.0] * 100
    scale_on(x, y, 4.0, driver.CUstream(s.cuda_stream))
    scale_on(y, x, 2.0, t)
    assert x.tolist() == [8.0] * 100


def warmed(work):
    """As torch's documentation has it: once on another stream, before it is captured."""
    s = torch.cuda.Stream()
    s.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(s):
        work()
    torch.cuda.current_stream().wait_stream(s)


def check_a_graph_of_kernels_and_operations():
    x, y, count = torch.ones(64, device="cuda"), torch.zeros(64, device="cuda"), torch.zeros(1, device="cuda")

    def work():
        scale(x, y, 3.0)
        count.add_(1)
        return (y + 1).sum()

    warmed(work)
    y.zero_(), count.zero_()
    graph = torch.cuda.CUDAGraph()
    assert not torch.cuda.is_current_stream_capturing()
    with torch.cuda.graph(graph):
        assert torch.cuda.is_current_stream_capturing()
        total = work()
    assert y.sum().item() == 0 and count.item() == 0, "nothing is done while it is captured"
    graph.replay()
    assert total.item() == 64 * 4 and count.item() == 1
    x.fill_(2.0)
    graph.replay()
    torch.cuda.synchronize()
    assert y.tolist() == [6.0] * 64 and total.item() == 64 * 7 and count.item() == 2
    graph.reset()
    with raises(RuntimeError, "without a preceding successful capture"):
        graph.replay()


def check_compiled_functions_in_a_graph():
    x, y = torch.ones(64, device="cuda"), torch.zeros(64, device="cuda")
    import cuda.bindings.driver as driver

    s = torch.cuda.Stream()
    compiled = cute.compile(scale_on, x, y, cutlass.Float32(2.0), driver.CUstream(s.cuda_stream))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=s):
        for factor in (2.0, 5.0):
            compiled(x, y, factor, driver.CUstream(torch.cuda.current_stream().cuda_stream))
            compiled(y, x, 1.0, driver.CUstream(s.cuda_stream))
    assert x.sum().item() == 64 and y.sum().item() == 0
    graph.replay()
    assert x.tolist() == [10.0] * 64
    for _ in range(2):
        graph.replay()
    assert x.tolist() == [1000.0] * 64


def check_streams_join_a_capture():
    x, y, z = (torch.ones(8, device="cuda") for _ in range(3))
    side, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        main = torch.cuda.current_stream()
        side.wait_stream(main)
        with torch.cuda.stream(side):
            y.add_(x)
            scale(y, z, 10.0)
        main.wait_stream(side)
        x.mul_(2)
    assert z.tolist() == [1.0] * 8
    graph.replay()
    assert z.tolist() == [20.0] * 8 and x.tolist() == [2.0] * 8 and y.tolist() == [2.0] * 8


def check_what_a_capture_refuses():
    x = torch.ones(4, device="cuda")
    for work in (lambda: x.sum().item(), torch.cuda.synchronize, lambda: x.cpu(), lambda: torch.cuda.current_stream().synchronize(),
                 lambda: torch.equal(x, x)):
        graph = torch.cuda.CUDAGraph()
        with raises(RuntimeError, "operation not permitted when stream is capturing"), torch.cuda.graph(graph):
            work()
    with raises(RuntimeError, "captured on a non-default stream"):
        torch.cuda.CUDAGraph().capture_begin()
    assert not torch.cuda.is_current_stream_capturing()


def check_begin_end_and_pools():
    x = torch.ones(4, device="cuda")
    one, two, pool = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph(), torch.cuda.graph_pool_handle()
    with torch.cuda.stream(torch.cuda.Stream()):
        one.capture_begin(pool=pool)
        y = x * 2
        one.capture_end()
        two.capture_begin(pool=one.pool())
        z = y + 1
        two.capture_end()
    assert one.pool() == two.pool() == pool
    x.fill_(4.0)
    one.replay(), two.replay()
    assert z.tolist() == [9.0] * 4


def check_a_training_step_in_a_graph():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1)).cuda()
    optimiser = torch.optim.SGD(model.parameters(), 0.05)
    x, y = torch.randn(16, 4, device="cuda"), torch.randn(16, 1, device="cuda")

    def step():
        optimiser.zero_grad(set_to_none=False)
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimiser.step()
        return loss

    warmed(step)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = step()
    losses = []
    for _ in range(5):
        graph.replay()
        losses.append(loss.item())
    assert losses == sorted(losses, reverse=True) and losses[0] > losses[-1], losses


def check_graphed_callables():
    model = torch.nn.Linear(4, 4).cuda()
    x = torch.randn(2, 4, device="cuda", requires_grad=True)
    plain = torch.nn.functional.linear(x, model.weight, model.bias)
    graphed = torch.cuda.make_graphed_callables(model, (torch.randn(2, 4, device="cuda", requires_grad=True),))
    out = graphed(x)
    out.sum().backward()
    assert torch.allclose(out, plain, atol=1e-5) and x.grad.is_cuda
    assert torch.allclose(x.grad, torch.ones(2, 4, device="cuda") @ model.weight, atol=1e-5)


if __name__ == "__main__":
    checks.main(globals())
