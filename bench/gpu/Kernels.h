// Kernels.h -- hand-written PTX for the check of the runtime on a real GPU.
#pragma once

#include <string>

namespace cutwork::gpu {

inline constexpr const char* kKernels = R"(.version 8.0
.target sm_90
.address_size 64
.global .align 8 .b8 table[64];

.visible .entry vadd(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
  .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %d<8>; .reg .f32 %f<4>;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r1, %r1, %r2, %r3;
  ld.param.u32 %r4, [n];
  setp.ge.u32 %p, %r1, %r4;
  @%p ret;
  ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u64 %d3, [c];
  mul.wide.u32 %d4, %r1, 4;
  add.u64 %d1, %d1, %d4; add.u64 %d2, %d2, %d4; add.u64 %d3, %d3, %d4;
  ld.global.f32 %f1, [%d1]; ld.global.f32 %f2, [%d2];
  add.f32 %f1, %f1, %f2;
  st.global.f32 [%d3], %f1;
  ret;
}

.visible .entry spin(.param .u64 nanoseconds, .param .u64 out, .param .u32 value)
{
  .reg .pred %p; .reg .b32 %r<2>; .reg .b64 %d<6>;
  ld.param.u64 %d1, [nanoseconds]; ld.param.u64 %d2, [out]; ld.param.u32 %r1, [value];
  mov.u64 %d3, %globaltimer;
WAIT:
  mov.u64 %d4, %globaltimer;
  sub.u64 %d4, %d4, %d3;
  setp.lt.u64 %p, %d4, %d1;
  @%p bra WAIT;
  st.global.u32 [%d2], %r1;
  ret;
}

.visible .entry store(.param .u64 out, .param .u32 value)
{
  .reg .b32 %r<2>; .reg .b64 %d<2>;
  ld.param.u64 %d1, [out]; ld.param.u32 %r1, [value];
  st.global.u32 [%d1], %r1;
  ret;
}

.visible .entry increment(.param .u64 data)
{
  .reg .b64 %d<2>;
  ld.param.u64 %d1, [data];
  red.global.add.u32 [%d1], 1;
  ret;
}

.visible .entry clusters(.param .u64 out)
{
  .reg .b32 %r<5>; .reg .b64 %d<3>;
  ld.param.u64 %d1, [out];
  mov.u32 %r1, %cluster_nctarank; mov.u32 %r2, %cluster_ctarank; mov.u32 %r3, %ctaid.x;
  mad.lo.u32 %r1, %r1, 1000, %r2;
  mul.wide.u32 %d2, %r3, 4;
  add.u64 %d1, %d1, %d2;
  st.global.u32 [%d1], %r1;
  ret;
}

.visible .entry paired(.param .u64 out) .reqnctapercluster 2, 1, 1
{
  .reg .b32 %r<2>; .reg .b64 %d<2>;
  ld.param.u64 %d1, [out];
  mov.u32 %r1, %cluster_nctarank;
  st.global.u32 [%d1], %r1;
  ret;
}

.extern .shared .align 16 .b8 dynamic[];
.visible .entry large(.param .u64 out, .param .u32 last)
{
  .reg .b32 %r<4>; .reg .b64 %d<2>;
  ld.param.u64 %d1, [out]; ld.param.u32 %r1, [last];
  mov.u32 %r2, dynamic;
  add.u32 %r2, %r2, %r1;
  st.shared.u32 [%r2], 77;
  ld.shared.u32 %r3, [%r2];
  st.global.u32 [%d1], %r3;
  ret;
}

.visible .entry tma(.param .align 64 .b8 in[128], .param .align 64 .b8 out[128], .param .u32 x,
                    .param .u32 y)
{
  .reg .pred %p, %q; .reg .b32 %r<8>; .reg .b64 %d<8>; .reg .f32 %f<5>;
  .shared .align 1024 .b8 tile[4096];
  .shared .align 8 .b8 bar[8];
  mov.b64 %d1, in; cvta.param.u64 %d1, %d1;
  mov.b64 %d2, out; cvta.param.u64 %d2, %d2;
  ld.param.u32 %r1, [x]; ld.param.u32 %r2, [y];
  mov.u32 %r3, %tid.x; mov.u32 %r4, tile; mov.u32 %r5, bar;
  setp.ne.u32 %q, %r3, 0;
  @%q bra READY;
  mbarrier.init.shared::cta.b64 [%r5], 1;
  fence.mbarrier_init.release.cluster;
READY:
  bar.sync 0;
  @%q bra WAIT;
  mbarrier.arrive.expect_tx.shared::cta.b64 %d3, [%r5], 4096;
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes
    [%r4], [%d1, {%r1, %r2}], [%r5];
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [%r5], 0;
  @!%p bra WAIT;
  shl.b32 %r6, %r3, 4;
  add.u32 %r6, %r6, %r4;
  ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r6];
  add.f32 %f1, %f1, 0f3f800000; add.f32 %f2, %f2, 0f3f800000;
  add.f32 %f3, %f3, 0f3f800000; add.f32 %f4, %f4, 0f3f800000;
  st.shared.v4.f32 [%r6], {%f1, %f2, %f3, %f4};
  fence.proxy.async.shared::cta;
  bar.sync 0;
  @%q ret;
  cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%d2, {%r1, %r2}], [%r4];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  ret;
}
)";

/// Empty kernels with 0, 9 and 19 parameters of 8 bytes.
inline std::string emptyKernels() {
  std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n";
  for (const int count : {0, 9, 19}) {
    text += ".visible .entry empty" + std::to_string(count) + "(";
    for (int i = 0; i < count; ++i) {
      text += (i == 0 ? ".param .u64 p" : ", .param .u64 p") + std::to_string(i);
    }
    text += ") { ret; }\n";
  }
  return text;
}

/// setmaxnreg: 168 registers at entry if it is honoured.
inline constexpr const char* kSetMaxNReg = R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry roles(.param .u64 out) .maxntid 384,1,1 .minnctapersm 1
{
  .reg .b64 %d<3>; .reg .b32 %r<3>; .reg .pred %p<3>;
  ld.param.u64 %d2,[out];
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 128;
  @%p1 bra A;
  setmaxnreg.inc.sync.aligned.u32 240;
  st.global.u32 [%d2], %r1;
  ret;
A:
  setmaxnreg.dec.sync.aligned.u32 24;
  st.global.u32 [%d2+4], %r1;
  ret;
}
)";

}  // namespace cutwork::gpu
