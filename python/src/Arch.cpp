// Arch.cpp -- indices, barriers, shuffles, votes, atomics, fences and inline PTX for Python.
#include "Convert.h"

namespace cutwork::python {

namespace {

namespace arch = cute::arch;

template <arch::Index3 (*F)(cute::Where)>
void defineIndex(nb::module_& m, const char* name) {
  m.def(name, [] {
    arch::Index3 i = F(cute::Where::current());
    return nb::make_tuple(wrap(i.x), wrap(i.y), wrap(i.z));
  });
}

void bindIndices(nb::module_& m) {
  defineIndex<arch::thread_idx>(m, "thread_idx");
  defineIndex<arch::block_idx>(m, "block_idx");
  defineIndex<arch::block_dim>(m, "block_dim");
  defineIndex<arch::grid_dim>(m, "grid_dim");
  defineIndex<arch::cluster_idx>(m, "cluster_idx");
  defineIndex<arch::cluster_dim>(m, "cluster_dim");
  defineIndex<arch::block_in_cluster_idx>(m, "block_in_cluster_idx");
  defineIndex<arch::block_in_cluster_dim>(m, "block_in_cluster_dim");
  m.def("block_idx_in_cluster", [] { return wrap(arch::block_idx_in_cluster()); });
  m.def("lane_idx", [] { return wrap(arch::lane_idx()); });
  m.def("warp_idx", [] { return wrap(arch::warp_idx()); });
  m.def("make_warp_uniform", [](nb::handle x) { return wrap(arch::make_warp_uniform(toArg(x))); });
}

void bindBarriers(nb::module_& m) {
  m.def("sync_threads", [] { arch::sync_threads(); });
  m.def("barrier", [](nb::handle id, nb::handle n) { arch::barrier(toArg(id), toArg(n)); });
  m.def("barrier_arrive",
        [](nb::handle id, nb::handle n) { arch::barrier_arrive(toArg(id), toArg(n)); });
  m.def("sync_warp", [](nb::handle mask) { arch::sync_warp(toArg(mask)); });
  m.def("map_dsmem_ptr", [](const cute::Pointer& p, nb::handle rank) {
    return arch::map_dsmem_ptr(p, toArg(rank));
  });
  m.def("cluster_arrive", [] { arch::cluster_arrive(); });
  m.def("cluster_arrive_relaxed", [] { arch::cluster_arrive_relaxed(); });
  m.def("cluster_wait", [] { arch::cluster_wait(); });
  m.def("cp_async_commit_group", [] { arch::cp_async_commit_group(); });
  m.def("cp_async_wait_group", [](int pending) { arch::cp_async_wait_group(pending); });
  nb::enum_<arch::Scope>(m, "Scope")
      .value("cta", arch::Scope::cta)
      .value("cluster", arch::Scope::cluster)
      .value("gpu", arch::Scope::gpu)
      .value("sys", arch::Scope::sys);
  nb::enum_<arch::Order>(m, "Order")
      .value("relaxed", arch::Order::relaxed)
      .value("acquire", arch::Order::acquire)
      .value("release", arch::Order::release)
      .value("acq_rel", arch::Order::acq_rel);
  m.def("fence", [](arch::Scope scope) { arch::fence(scope); });
  m.def("elect", [] { return wrap(arch::elect_one()); });
  m.def("trap", [] { arch::trap(); });
}

using Shuffle = cute::Numeric (*)(const cute::Arg&, const cute::Arg&, const cute::Arg&, int);
template <Shuffle F>
void defineShuffle(nb::module_& m, const char* name) {
  m.def(name, [](nb::handle x, nb::handle y, nb::handle mask, int width) {
    return wrap(F(toArg(x), toArg(y), toArg(mask), width));
  });
}

void bindWarp(nb::module_& m) {
  defineShuffle<arch::shuffle_sync>(m, "shuffle_sync");
  defineShuffle<arch::shuffle_sync_up>(m, "shuffle_sync_up");
  defineShuffle<arch::shuffle_sync_down>(m, "shuffle_sync_down");
  defineShuffle<arch::shuffle_sync_bfly>(m, "shuffle_sync_bfly");
  m.def("vote_all_sync",
        [](nb::handle p, nb::handle k) { return wrap(arch::vote_all_sync(toArg(p), toArg(k))); });
  m.def("vote_any_sync",
        [](nb::handle p, nb::handle k) { return wrap(arch::vote_any_sync(toArg(p), toArg(k))); });
  m.def("vote_uni_sync",
        [](nb::handle p, nb::handle k) { return wrap(arch::vote_uni_sync(toArg(p), toArg(k))); });
  m.def("vote_ballot_sync", [](nb::handle p, nb::handle k) {
    return wrap(arch::vote_ballot_sync(toArg(p), toArg(k)));
  });
  m.def("warp_reduction_sum",
        [](nb::handle x, int n) { return wrap(arch::warp_reduction_sum(toArg(x), n)); });
  m.def("warp_reduction_max",
        [](nb::handle x, int n) { return wrap(arch::warp_reduction_max(toArg(x), n)); });
  m.def("warp_redux_sync", [](nb::handle x, const std::string& kind, nb::handle mask) {
    return wrap(arch::warp_redux_sync(toArg(x), kind, toArg(mask)));
  });
  m.def("popc", [](nb::handle x) { return wrap(arch::popc(toArg(x))); });
}

using Atomic = cute::Numeric (*)(const cute::Pointer&, const cute::Arg&, arch::Order, arch::Scope);
template <Atomic F>
void defineAtomic(nb::module_& m, const char* name) {
  m.def(name, [](const cute::Pointer& p, nb::handle x, arch::Order order, arch::Scope scope) {
    return wrap(F(p, toArg(x), order, scope));
  });
}

void bindAtomics(nb::module_& m) {
  defineAtomic<arch::atomic_add>(m, "atomic_add");
  defineAtomic<arch::atomic_max>(m, "atomic_max");
  defineAtomic<arch::atomic_min>(m, "atomic_min");
  defineAtomic<arch::atomic_and>(m, "atomic_and");
  defineAtomic<arch::atomic_or>(m, "atomic_or");
  defineAtomic<arch::atomic_xor>(m, "atomic_xor");
  defineAtomic<arch::atomic_exch>(m, "atomic_exch");
  m.def("atomic_cas", [](const cute::Pointer& p, nb::handle compare, nb::handle value,
                         arch::Order order, arch::Scope scope) {
    return wrap(arch::atomic_cas(p, toArg(compare), toArg(value), order, scope));
  });
  m.def("inline_ptx", [](const std::string& text, nb::list results, nb::list operands) {
    std::vector<cute::DType> types;
    for (nb::handle r : results) types.push_back(toDType(r));
    std::vector<cute::Arg> values;
    for (nb::handle o : operands) values.push_back(toArg(o));
    nb::list made;
    for (const cute::Numeric& n : arch::inline_ptx(text, types, values)) made.append(wrap(n));
    return made;
  });
}

}  // namespace

void bindArch(nb::module_& m) {
  nb::module_ sub = m.def_submodule("arch");
  bindIndices(sub);
  bindBarriers(sub);
  bindWarp(sub);
  bindAtomics(sub);
}

}  // namespace cutwork::python
