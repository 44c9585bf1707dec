# compatibility_objects.py -- methods and attributes of objects: for each a use of it, which compatibility.py runs; None: there is none.
"""By receiver and name. E: evaluated by Python, outside any trace; K: in a kernel of 32 threads; H: as an argument of a host function.
The names in the texts are those of compatibility.py."""

P, U = "cutlass.pipeline", "cutlass.utils"
SCHEDULER = (f"{U}.StaticPersistentTileScheduler.create({U}.PersistentTileSchedulerParams((4, 4, 1), (1, 1, 1)), cute.arch.block_idx(), "
             "cute.arch.grid_dim())")
GRID = f"{U}.StaticPersistentTileScheduler.get_grid_shape({U}.PersistentTileSchedulerParams((4, 4, 1), (1, 1, 1)), 8)"
SWIZZLED = "cute.make_composed_layout(cute.make_swizzle(2, 0, 3), 0, L)"
MMA, STATE = "cute.make_tiled_mma(FMA)", f"{P}.make_pipeline_state({P}.PipelineUserType.Producer, 2)"
SMEM = f"{U}.SmemAllocator()"
BARRIER = f"{P}.NamedBarrier(1, 32)"
TIMED = "cutlass.testing.JitArguments(A)"
FULL = "p.make_producer().acquire().commit()"


def _all(kind, text, names):
    return {name: (kind, text.format(name)) for name in names.split()}


OBJECTS = {
    "Tensor, fragment": {
        **_all("K", "x.{}", "shape stride layout element_type iterator memspace leading_dim"), "load": ("K", "r.load()"), "store": ("K", "r.store(v)"),
        "fill": ("K", "r.fill(0.0)"), "mark_layout_dynamic": ("E", "A.mark_layout_dynamic()"),
        "mark_compact_shape_dynamic": ("E", "A.mark_compact_shape_dynamic(mode=0)"), "__getitem__": ("K", "r[0]"), "__setitem__": ("K", "r.__setitem__(0, 1.0)")},
    "TensorSSA": {"to": ("K", "v.to(cutlass.Float16)"), "reduce": ("K", "v.reduce(cute.ReductionOp.ADD, 0.0, 0)"), "reshape": ("K", "v.reshape((2, 2))"),
                  "ir_value": ("K", "v.ir_value()"), "broadcast_to": ("K", "v.broadcast_to((4, 2))")},
    "Numeric, its classes": {
        **_all("E", "cutlass.Float32.{}", "width inf is_float is_integer"), "signed": ("E", "cutlass.Int32.signed"),
        "is_same_kind": ("E", "cutlass.Float32.is_same_kind(cutlass.Float16)"), "__c_pointers__": ("E", "cutlass.Int32(3).__c_pointers__()")},
    "Pointer, data in shared memory": {
        "data_ptr": ("K", "D_STRUCT.a.data_ptr()"), "get_tensor": ("K", "D_STRUCT.a.get_tensor(cute.make_layout(4))"), "ptr": ("K", "D_STRUCT.b.ptr"),
        **_all("K", "x.iterator.{}", "llvm_ptr alignment max_alignment value_type dtype"), "toint": ("K", "x.iterator.toint()"), "align": ("K", "x.iterator.align(16)")},
    "ComposedLayout, layouts": {**_all("E", SWIZZLED + ".{}", "inner outer offset"), "get_hier_coord": ("E", "L.get_hier_coord(5)"),
                                "get_flat_coord": ("E", "L.get_flat_coord(5)")},
    "kernel calls, compiled functions": {"launch": ("E", "launch(D)"), "jit": ("E", "cute.jit(named)"),
                                         "export_to_c": ("E", "cute.compile(host, A, 2).export_to_c('/dev/null')")},
    "TiledMma, MmaAtom, ThrMma": {
        "get_slice": ("K", f"{MMA}.get_slice(0)"), **{f"partition_{n}": ("K", f"{MMA}.get_slice(0).partition_{n}(cute.make_tensor(x.iterator, cute.make_layout((4, 4))))") for n in "ABC"},
        **{f"make_fragment_{n}": ("K", f"{MMA}.make_fragment_{n}({MMA}.get_slice(0).partition_{n}(cute.make_tensor(x.iterator, cute.make_layout((4, 4)))))") for n in "ABC"},
        "partition_shape_A": ("K", f"{MMA}.partition_shape_A((4, 4))"), "partition_shape_C": ("K", f"{MMA}.partition_shape_C((4, 4))"),
        **_all("K", MMA + ".{}", "thr_id shape_mnk op tv_layout_A tv_layout_B tv_layout_C thr_layout_vmnk size permutation_mnk"),
        "set": ("K", f"{MMA}.set(0, True)"), "get": ("K", f"{MMA}.get(0)"), "_thrfrg_A": ("K", f"{MMA}._thrfrg_A(cute.make_layout((4, 4)))")},
    "TiledCopy, CopyAtom, ThrCopy": {**{f"partition_{n}": ("K", f"c.get_slice(t).partition_{n}(cute.make_tensor(x.iterator, cute.make_layout(128)))") for n in "SD"},
                                     "retile": ("K", "c.get_slice(t).retile(r)")},
    "TmaInfo": {"atom": None, "tma_tensor": None, "smem_layout": None},
    "SmemAllocator": {"allocate": ("K", f"{SMEM}.allocate(64)"), "allocate_tensor": ("K", f"{SMEM}.allocate_tensor(cutlass.Float32, cute.make_layout(4))"),
                      "allocate_array": ("K", f"{SMEM}.allocate_array(cutlass.Float32, 4)"), "size_in_bytes": ("K", "cute.struct(STRUCT).size_in_bytes()")},
    "TmemAllocator": dict.fromkeys("wait_for_alloc retrieve_ptr relinquish_alloc_permit free".split()),
    "pipelines": {
        "producer_acquire": ("K", f"p.producer_acquire({STATE})"), "producer_commit": ("K", f"p.producer_acquire({STATE}), p.producer_commit({STATE})"),
        "producer_try_acquire": ("K", f"p.producer_try_acquire({STATE})"), "producer_get_barrier": ("K", f"p.producer_get_barrier({STATE})"),
        "producer_tail": ("K", f"p.producer_tail({STATE})"), "consumer_wait": ("K", f"{FULL}, p.consumer_wait({P}.make_pipeline_state({P}.PipelineUserType.Consumer, 2))"),
        "consumer_try_wait": ("K", f"{FULL}, p.consumer_try_wait({P}.make_pipeline_state({P}.PipelineUserType.Consumer, 2))"),
        "consumer_release": ("K", f"{FULL}, p.consumer_release({P}.make_pipeline_state({P}.PipelineUserType.Consumer, 2))"),
        "make_participants": ("K", "p.make_participants()"), **_all("K", "p.{}", "sync_object_empty is_leader_cta consumer_mask num_stages")},
    "PipelineState": {"advance": ("K", f"{STATE}.advance()"), **_all("K", STATE + ".{}", "index count phase"), "reset_count": ("K", f"{STATE}.reset_count()"),
                      "clone": ("K", f"{STATE}.clone()")},
    "PipelineProducer, PipelineConsumer, their handles": {
        "acquire_and_advance": ("K", "p.make_producer().acquire_and_advance().commit()"), "acquire": ("K", FULL), "commit": ("K", FULL),
        "try_acquire": ("K", "p.make_producer().try_acquire()"), "tail": ("K", "p.make_producer().tail()"), "reset": ("K", "p.make_producer().reset()"),
        "wait_and_advance": ("K", f"{FULL}, p.make_consumer().wait_and_advance().release()"), "release": ("K", f"{FULL}, p.make_consumer().wait_and_advance().release()"),
        "try_wait": ("K", f"{FULL}, p.make_consumer().try_wait()"), "barrier": ("K", "p.make_producer().acquire().barrier")},
    "NamedBarrier, PipelineOrder": {"arrive_and_wait": ("K", f"{BARRIER}.arrive_and_wait()"), "arrive": ("K", f"{BARRIER}.arrive()"),
                                    "wait": ("K", f"{P}.PipelineOrder.create(depth=1, length=2, group_id=0, producer_group=group).wait()"),
                                    "num_threads": ("E", f"{BARRIER}.num_threads")},
    "tile schedulers": {**_all("K", SCHEDULER + ".{}()", "initial_work_tile_info get_current_work advance_to_next_work"), "num_tiles_executed": ("K", f"{SCHEDULER}.num_tiles_executed"),
                        "tile_idx": ("K", f"{SCHEDULER}.get_current_work().tile_idx"), "is_valid_tile": ("K", f"{SCHEDULER}.get_current_work().is_valid_tile"),
                        "get_grid_shape": ("E", GRID), "create": ("K", SCHEDULER), "delinearize_z": None, "_get_current_work_for_linear_idx": ("K", f"{SCHEDULER}._get_current_work_for_linear_idx(i)")},
    "LayoutEnum": {**_all("E", f"{U}.LayoutEnum.from_tensor(A)" + ".{}()",
                          "mma_major_mode sm90_mma_major_mode is_m_major_a is_n_major_b is_m_major_c is_n_major_c is_k_major_a is_k_major_b")},
    "TensorMapManager": dict.fromkeys("init_tensormap_from_atom update_tensormap fence_tensormap_initialization fence_tensormap_update get_tensormap_ptr".split()),
    "HardwareInfo": {"get_max_active_clusters": ("E", f"{U}.HardwareInfo().get_max_active_clusters(1)"),
                     "get_device_multiprocessor_count": ("E", f"{U}.HardwareInfo().get_device_multiprocessor_count()")},
    "testing.JitArguments": {"add_to_scope": ("E", f"{TIMED}.add_to_scope([A])")},
    "classes of the user's with a protocol": {"__extract_mlir_values__": ("H", "Extracted(3)"), "__new_from_mlir_values__": ("H", "Extracted(3)"),
                                              "__get_mlir_types__": ("H", "Passed(3)"), "__c_pointers__": ("H", "Passed(3)")},
    "BaseDSL": {"get_arch_enum": ("E", "cutlass.cutlass_dsl.BaseDSL._get_dsl().get_arch_enum()")},
}
