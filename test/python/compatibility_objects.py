# compatibility_objects.py -- methods and attributes of objects: for each a use of it, which compatibility.py runs.
"""By receiver and name, those of api_inventory.txt. E: evaluated by Python, outside any trace; J: in a host function; K: in a kernel of
32 threads; H: as an argument of a host function. The names in the texts are those of compatibility.py."""

P, U = "cutlass.pipeline", "cutlass.utils"
PARAMS = f"{U}.PersistentTileSchedulerParams((4, 4, 1), (1, 1, 1))"
SCHEDULER = f"{U}.StaticPersistentTileScheduler.create({PARAMS}, cute.arch.block_idx(), cute.arch.grid_dim())"
GRID = f"{U}.StaticPersistentTileScheduler.get_grid_shape({PARAMS}, 8)"
GROUPED = f"{U}.GroupedGemmTileSchedulerHelper(1, {PARAMS}, (64, 64, 64), {U}.create_initial_search_state())"
SWIZZLED = "cute.make_composed_layout(cute.make_swizzle(2, 0, 3), 0, L)"
MMA, SQUARE = "cute.make_tiled_mma(FMA)", "cute.make_tensor(x.iterator, cute.make_layout((4, 4)))"
G = "cute.nvgpu.warpgroup"
WGMMA = (f"cute.make_tiled_mma({G}.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (64, 64, 16), {G}.OperandSource.SMEM, "
         f"{G}.OperandMajorMode.K, {G}.OperandMajorMode.K))")
TMA = ("cute.nvgpu.cpasync.make_tiled_tma_atom(cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp(), x, cute.make_layout((8, 16), stride=(16, 1)), "
       "(8, 16))")
TMEM = f"(m := {U}.TmemAllocator(s.iterator, barrier_for_retrieve={P}.NamedBarrier(1, 32))).allocate(32), m.wait_for_alloc()"
MAPS = f"{U}.TensorMapManager({U}.TensorMapUpdateMode.GMEM, 128)"
STATE = f"{P}.make_pipeline_state({P}.PipelineUserType.Producer, 2)"
TAKEN = f"{P}.make_pipeline_state({P}.PipelineUserType.Consumer, 2)"
UMMA = f"{P}.PipelineTmaUmma.create(num_stages=2, producer_group=group, consumer_group=group, tx_count=128)"
ORDER = f"{P}.PipelineOrder.create(depth=1, length=2, group_id=0, producer_group=group)"
SMEM = f"{U}.SmemAllocator()"
BARRIER = f"{P}.NamedBarrier(1, 32)"
TIMED = "cutlass.testing.JitArguments(A)"
FULL = "p.make_producer().acquire().commit()"


def _all(kind, text, names):
    return {name: (kind, text.format(name)) for name in names.split()}


OBJECTS = {
    "Tensor, fragment": {
        **_all("K", "x.{}", "shape stride layout element_type iterator memspace leading_dim"), "load": ("K", "r.load()"),
        "store": ("K", "r.store(v)"), "fill": ("K", "r.fill(0.0)"), "mark_layout_dynamic": ("E", "A.mark_layout_dynamic()"),
        "mark_compact_shape_dynamic": ("E", "A.mark_compact_shape_dynamic(mode=0)"), "__getitem__": ("K", "r[0]"),
        "__setitem__": ("K", "r.__setitem__(0, 1.0)")},
    "TensorSSA": {"to": ("K", "v.to(cutlass.Float16)"), "reduce": ("K", "v.reduce(cute.ReductionOp.ADD, 0.0, 0)"),
                  "reshape": ("K", "v.reshape((2, 2))"), "ir_value": ("K", "v.ir_value()"), "broadcast_to": ("K", "v.broadcast_to((4, 2))")},
    "Numeric, its classes": {
        **_all("E", "cutlass.Float32.{}", "width inf is_float is_integer"), "signed": ("E", "cutlass.Int32.signed"),
        "is_same_kind": ("E", "cutlass.Float32.is_same_kind(cutlass.Float16)"), "__c_pointers__": ("E", "cutlass.Int32(3).__c_pointers__()")},
    "Pointer, data in shared memory": {
        "data_ptr": ("K", "D_STRUCT.a.data_ptr()"), "get_tensor": ("K", "D_STRUCT.a.get_tensor(cute.make_layout(4))"),
        "ptr": ("K", "D_STRUCT.b.ptr"), **_all("K", "x.iterator.{}", "llvm_ptr alignment max_alignment value_type dtype"),
        "toint": ("K", "x.iterator.toint()"), "align": ("K", "x.iterator.align(16)")},
    "ComposedLayout, layouts": {**_all("E", SWIZZLED + ".{}", "inner outer offset"), "get_hier_coord": ("E", "L.get_hier_coord(5)"),
                                "get_flat_coord": ("E", "L.get_flat_coord(5)")},
    "kernel calls, compiled functions": {"launch": ("E", "launch(D)"), "jit": ("E", "cute.jit(named)"),
                                         "export_to_c": ("E", "cute.compile(host, A, 2).export_to_c('/dev/null')")},
    "TiledMma, MmaAtom, ThrMma": {
        "get_slice": ("K", f"{MMA}.get_slice(0)"), **{f"partition_{n}": ("K", f"{MMA}.get_slice(0).partition_{n}({SQUARE})") for n in "ABC"},
        **{f"make_fragment_{n}": ("K", f"{MMA}.make_fragment_{n}({MMA}.get_slice(0).partition_{n}({SQUARE}))") for n in "ABC"},
        **{f"partition_shape_{n}": ("K", f"{MMA}.partition_shape_{n}((4, 4))") for n in "AC"},
        **_all("K", MMA + ".{}", "thr_id shape_mnk op tv_layout_A tv_layout_B tv_layout_C thr_layout_vmnk size permutation_mnk"),
        "set": ("K", f"{WGMMA}.set({G}.Field.ACCUMULATE, True)"), "get": ("K", f"{WGMMA}.get({G}.Field.ACCUMULATE)"),
        "_thrfrg_A": ("K", f"{MMA}._thrfrg_A(cute.make_layout((4, 4)))")},
    "TiledCopy, CopyAtom, ThrCopy": {
        **{f"partition_{n}": ("K", f"c.get_slice(t).partition_{n}(cute.make_tensor(x.iterator, cute.make_layout(128)))") for n in "SD"},
        "retile": ("K", "c.get_slice(t).retile(r)")},
    "TmaInfo": _all("J", TMA + ".{}", "atom tma_tensor smem_layout"),
    "SmemAllocator": {"allocate": ("K", f"{SMEM}.allocate(64)"), "size_in_bytes": ("K", "cute.struct(STRUCT).size_in_bytes()"),
                      "allocate_tensor": ("K", f"{SMEM}.allocate_tensor(cutlass.Float32, cute.make_layout(4))"),
                      "allocate_array": ("K", f"{SMEM}.allocate_array(cutlass.Float32, 4)")},
    "TmemAllocator": {"wait_for_alloc": ("K", TMEM), "retrieve_ptr": ("K", f"{TMEM}, m.retrieve_ptr(cutlass.Float32)"),
                      "relinquish_alloc_permit": ("K", f"{TMEM}, m.relinquish_alloc_permit()"),
                      "free": ("K", f"{TMEM}, m.free(m.retrieve_ptr(cutlass.Float32))")},
    "pipelines": {
        "producer_acquire": ("K", f"p.producer_acquire({STATE})"),
        "producer_commit": ("K", f"p.producer_acquire({STATE}), p.producer_commit({STATE})"),
        "producer_try_acquire": ("K", f"p.producer_try_acquire({STATE})"), "producer_get_barrier": ("K", f"p.producer_get_barrier({STATE})"),
        "producer_tail": ("K", f"p.producer_tail({STATE})"),
        **{name: ("K", f"{FULL}, p.{name}({TAKEN})") for name in ("consumer_wait", "consumer_try_wait", "consumer_release")},
        "make_participants": ("K", "p.make_participants()"), "is_leader_cta": ("K", f"{UMMA}.is_leader_cta"),
        **_all("K", "p.{}", "sync_object_empty consumer_mask num_stages")},
    "PipelineState": {**_all("K", STATE + ".{}()", "advance reset_count clone"), **_all("K", STATE + ".{}", "index count phase")},
    "PipelineProducer, PipelineConsumer, their handles": {
        "acquire_and_advance": ("K", "p.make_producer().acquire_and_advance().commit()"), "acquire": ("K", FULL), "commit": ("K", FULL),
        **_all("K", "p.make_producer().{}()", "try_acquire tail reset"), "barrier": ("K", "p.make_producer().acquire().barrier"),
        **dict.fromkeys(("wait_and_advance", "release"), ("K", f"{FULL}, p.make_consumer().wait_and_advance().release()")),
        "try_wait": ("K", f"{FULL}, p.make_consumer().try_wait()")},
    "NamedBarrier, PipelineOrder": {**_all("K", BARRIER + ".{}()", "arrive_and_wait arrive"), "wait": ("K", f"{ORDER}.wait()"),
                                    "num_threads": ("E", f"{BARRIER}.num_threads")},
    "tile schedulers": {
        **_all("K", SCHEDULER + ".{}()", "initial_work_tile_info get_current_work advance_to_next_work"),
        "num_tiles_executed": ("K", f"{SCHEDULER}.num_tiles_executed"), **_all("K", SCHEDULER + ".get_current_work().{}", "tile_idx is_valid_tile"),
        "get_grid_shape": ("E", GRID), "create": ("K", SCHEDULER), "delinearize_z": ("K", f"{GROUPED}.delinearize_z((i, i, i), x)"),
        "_get_current_work_for_linear_idx": ("K", f"{SCHEDULER}._get_current_work_for_linear_idx(i)")},
    "LayoutEnum": _all("E", f"{U}.LayoutEnum.from_tensor(A)" + ".{}()",
                       "mma_major_mode sm90_mma_major_mode is_m_major_a is_n_major_b is_m_major_c is_n_major_c is_k_major_a is_k_major_b"),
    "TensorMapManager": {
        "init_tensormap_from_atom": ("K", f"{MAPS}.init_tensormap_from_atom(a, x.iterator, 0)"),
        "update_tensormap": ("K", f"{MAPS}.update_tensormap((x,), (a,), (x.iterator,), 0, (s.iterator,))"),
        "fence_tensormap_initialization": ("K", f"{MAPS}.fence_tensormap_initialization()"),
        **_all("K", MAPS + ".{}(x.iterator)", "fence_tensormap_update get_tensormap_ptr")},
    "HardwareInfo": {"get_max_active_clusters": ("E", f"{U}.HardwareInfo().get_max_active_clusters(1)"),
                     "get_device_multiprocessor_count": ("E", f"{U}.HardwareInfo().get_device_multiprocessor_count()")},
    "testing.JitArguments": {"add_to_scope": ("E", f"{TIMED}.add_to_scope([A])")},
    "classes of the user's with a protocol": {**_all("H", "Extracted(3)", "__extract_mlir_values__ __new_from_mlir_values__"),
                                              **_all("H", "Passed(3)", "__get_mlir_types__ __c_pointers__")},
    "BaseDSL": {"get_arch_enum": ("E", "cutlass.cutlass_dsl.BaseDSL._get_dsl().get_arch_enum()")},
}
