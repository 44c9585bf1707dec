// AccessWords.cpp -- which words loads, stores, atomics and the instructions between threads have:
// what ptxas 13.0 takes is known, and what it refuses is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "Programs.h"
#include "Statements.h"

namespace cutwork::sim {
namespace {

using testing::HasSubstr;

/// Statements whose addresses lead nowhere run with predicates that are false.
std::vector<int> codesUnderGuard(const std::vector<std::string>& statements) {
  std::vector<std::string> guarded;
  guarded.reserve(statements.size());
  for (const std::string& one : statements) {
    guarded.push_back(".shared .align 16 .b8 m[64];\n.local .align 16 .b8 l[64];\n@%p2 " + one);
  }
  return codesOf(guarded, false, "sm_100a");
}

TEST(AccessWords, Known) {
  const std::vector<std::string> statements = {
      "ld.relaxed.gpu.global.u32 %r1, [%d1];",
      "ld.acquire.cluster.shared::cluster.b32 %r1, [%r2];",
      "ld.global.relaxed.sys.u32 %r1, [%d1];",
      "ld.volatile.shared.v2.u32 {%r1, %r3}, [%r2];",
      "ld.weak.global.ca.u32 %r1, [%d1];",
      "ld.mmio.relaxed.sys.global.u32 %r1, [%d1];",
      "ld.global.nc.L1::no_allocate.L2::128B.f32 %f1, [%d1];",
      "ld.global.ca.nc.u32 %r1, [%d1];",
      "ld.global.L2::cache_hint.u32 %r1, [%d1], %d2;",
      "ld.global.L2::evict_last.v8.b32 {%r1, _, %r3, %r4, %r5, %r6, %r7, %r8}, [%d1];",
      "ld.local.cs.u32 %r1, [l];",
      "ldu.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d1];",
      "st.release.gpu.shared.u32 [%r2], %r1;",
      "st.global.wt.u32 [%d1], %r1;",
      "st.global.L1::evict_last.L2::cache_hint.v2.f32 [%d1], {%f1, %f2}, %d2;",
      "st.volatile.u32 [%d1], %r1;",
      "atom.add.gpu.u32 %r1, [%d1], %r2;",
      "atom.acq_rel.cta.shared.cas.b32 %r1, [%r2], %r3, %r4;",
      "atom.global.add.noftz.v4.f16 {%h1, %h2, %h3, %h4}, [%d1], {%h1, %h2, %h3, %h4};",
      "red.global.add.noftz.v8.f16 [%d1], {%h1, %h2, %h3, %h4, %h5, %h6, %h7, %h8};",
      "atom.global.max.noftz.v2.bf16x2 {%r1, %r2}, [%d1], {%r3, %r4};",
      "atom.global.exch.L2::cache_hint.b64 %d1, [%d2], %d3, %d4;",
      "red.release.gpu.global.add.f32 [%d1], %f1;",
      "red.global.add.v4.f32 [%d1], {%f1, %f2, %f3, %f4};",
      "cp.async.ca.shared::cta.global [%r2], [%d1], 4;",
      "vote.sync.uni.pred %p3, %p4, -1;",
      "match.all.sync.b64 %r1|%p3, %d1, -1;",
      "redux.sync.or.b32 %r1, %r2, -1;",
      "activemask.b32 %r1;",
      "mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%r2];",
      "mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r2], 4;",
      "membar.proxy.alias;",
      "cvta.to.shared.u64 %d1, %d2;",
      "mapa.u64 %d1, %d2, 0;",
      "lop3.and.b32 _|%p3, %r1, %r2, %r3, 1, %p4;",
      "setp.eq.f16x2 %p3|%p4, %r1, %r2;",
      "setp.eq.f16 %p3|_, %h1, %h2;",
  };
  const std::vector<int> codes = codesUnderGuard(statements);
  for (std::size_t i = 0; i < statements.size(); ++i) EXPECT_EQ(codes[i], 0) << statements[i];
}

TEST(AccessWords, Refused) {
  const std::vector<std::string> statements = {
      "ld.acquire.global.u32 %r1, [%d1];",
      "ld.relaxed.global.u32 %r1, [%d1];",
      "ld.release.gpu.global.u32 %r1, [%d1];",
      "st.acquire.gpu.global.u32 [%d1], %r1;",
      "ld.acq_rel.gpu.u32 %r1, [%d1];",
      "ld.volatile.relaxed.gpu.u32 %r1, [%d1];",
      "ld.volatile.ca.u32 %r1, [%d1];",
      "ld.gpu.u32 %r1, [%d1];",
      "ld.wb.u32 %r1, [%d1];",
      "st.ca.u32 [%d1], %r1;",
      "ld.shared.nc.u32 %r1, [%r2];",
      "ld.nc.u32 %r1, [%d1];",
      "st.global.nc.u32 [%d1], %r1;",
      "ld.ca.cg.u32 %r1, [%d1];",
      "ld.acquire.gpu.local.u32 %r1, [l];",
      "ld.volatile.local.u32 %r1, [l];",
      "ld.mmio.u32 %r1, [%d1];",
      "ld.mmio.relaxed.gpu.u32 %r1, [%d1];",
      "ld.mmio.relaxed.sys.v2.u32 {%r1, %r2}, [%d1];",
      "ld.async.u32 %r1, [%d1];",
      "ld.uni.u32 %r1, [%d1];",
      "ld.noftz.u32 %r1, [%d1];",
      "ld.fractional.u32 %r1, [%d1];",
      "ld.global.L2::cache_hint.u32 %r1, [%d1];",
      "ld.global.u32 %r1, [%d1], %d2;",
      "st.global.u32 [%d1], %r1, %d2;",
      "ld.shared.L1::evict_last.u32 %r1, [%r2];",
      "ld.global.L2::evict_last.u32 %r1, [%d1];",
      "ldu.shared.u32 %r1, [%r2];",
      "ldu.global.ca.u32 %r1, [%d1];",
      "ld.global.f16 %h1, [%d1];",
      "st.global.bf16x2 [%d1], %r1;",
      "st.const.u32 [%d1], %r1;",
      "mov.f16 %h1, %h2;",
      "mov.bf16x2 %r1, %r2;",
      "atom.global.add.f16 %h1, [%d1], %h2;",
      "atom.global.add.noftz.f32 %f1, [%d1], %f2;",
      "atom.global.min.noftz.f16 %h1, [%d1], %h2;",
      "atom.const.add.u32 %r1, [%d1], %r2;",
      "atom.volatile.add.u32 %r1, [%d1], %r2;",
      "red.acquire.gpu.global.add.u32 [%d1], %r1;",
      "red.global.exch.b32 [%d1], %r1;",
      "atom.global.add.u32 %r1, [%d1], %r2, %r3;",
      "atom.shared.add.v2.f32 {%f1, %f2}, [%r2], {%f3, %f4};",
      "atom.global.add.v2.u32 {%r1, %r2}, [%d1], {%r3, %r4};",
      "atom.global.cas.L2::cache_hint.b32 %r1, [%d1], %r2, %r3, %d2;",
      "atom.weak.add.u32 %r1, [%d1], %r2;",
      "cp.async.ca.shared::cluster.global [%r2], [%d1], 4;",
      "vote.sync.all %p3, %p4, -1;",
      "match.any.sync.u32 %r1, %r2, -1;",
      "redux.sync.add.b32 %r1, %r2, -1;",
      "redux.sync.and.u32 %r1, %r2, -1;",
      "activemask %r1;",
      "bar.red.popc %r1, 0, %p3;",
      "bar.sync.aligned 0;",
      "barrier.cluster.arrive.acquire;",
      "barrier.cluster.wait.relaxed;",
      "exit.uni;",
      "membar.proxy.async;",
      "isspacep.param::func %p3, %d1;",
      "cvta.global.b64 %d1, %d2;",
      "mapa.shared.u32 %r1, %r2, 0;",
      "mapa.shared::cluster.b32 %r1, %r2, 0;",
      "mbarrier.init.shared::cluster.b64 [%r2], 1;",
      "mbarrier.arrive.acquire.cta.b64 %d1, [%d2];",
      "mbarrier.test_wait.release.cta.b64 %p3, [%d2], %d1;",
      "mbarrier.try_wait.shared::cluster.b64 %p3, [%r2], %d1;",
      "lop3.b32 %r1|%p3, %r1, %r2, %r3, 1, %p4;",
      "setp.eq.f16 %p3|%p4, %h1, %h2;",
      "setp.eq.and.bf16 %p3|%p4, %h1, %h2, %p5;",
  };
  const std::vector<int> codes = codesUnderGuard(statements);
  for (std::size_t i = 0; i < statements.size(); ++i) EXPECT_EQ(codes[i], 19) << statements[i];
}

TEST(AccessWords, OperandsThatAreWrong) {
  const std::pair<const char*, const char*> refused[] = {
      {"match.any.sync.b32 %r1|%p3, %r2, -1;", "match.any has no predicate"},
      {"elect.sync %r1, -1;", "elect has a lane and a predicate"},
      {"elect.sync %r1|_, -1;", "elect has a lane and a predicate"},
      {"barrier.cluster.arrive 0;", "barrier.cluster has no operands"},
      {"createpolicy.fractional.L2::evict_last.b64 %rd3, 2.0;", "above 0 and at most 1, not 2"},
      {"mbarrier.arrive.shared.b64 [%r1];", "an arrival has a state, or _ for it"},
      {"mbarrier.arrive.shared::cluster.b64 %rd3, [%r1];", "has _ for a state"},
      {"ld.global.u32 _, [%rd0];", "_ is no destination of a load"},
      {"st.global.v2.u32 [%rd0], {%r1, _};", "_ is no value to store"},
  };
  for (const auto& [statement, problem] : refused) {
    EXPECT_THAT(resultOf(statement), HasSubstr(problem)) << statement;
  }
  EXPECT_THAT(resultOf("ld.relaxed.global.u32 %r9, [%rd0];"),
              HasSubstr("(.relaxed needs a scope: .cta, .cluster, .gpu or .sys)"));
  EXPECT_THAT(resultOf("ld.ca.cg.u32 %r9, [%rd0];"), HasSubstr("(.ca and .cg do not go together)"));
  EXPECT_THAT(resultOf("st.lu.u32 [%rd0], %r9;"), HasSubstr("(st has no .lu)"));
}

}  // namespace
}  // namespace cutwork::sim
