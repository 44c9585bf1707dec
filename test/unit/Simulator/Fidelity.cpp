// Fidelity.cpp -- every instruction that does not give the H200's bits is named in the report.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "Lines.h"
#include "Observe/Classes.h"
#include "Reader/Parser.h"

namespace cutwork::sim {
namespace {

std::set<Fidelity> fidelitiesOf(const std::string& ptx) {
  const auto module = readModule(ptx, "k.ptx");
  EXPECT_TRUE(module.ok()) << module.error().text();
  std::set<Fidelity> found;
  for (const Function& function : module->functions) {
    for (const Statement& s : function.body) {
      if (s.kind != Statement::Kind::Instruction) continue;
      found.insert(fidelityOf(s.name, s.words, printStatement(function, s)));
    }
  }
  return found;
}

/// What the H200's answers are compared with says which kernels are not exact.
TEST(FidelityReport, NamesWhatTheTablesAllowToDiffer) {
  unsigned tolerant = 0;
  unsigned exact = 0;
  for (const char* name : {"ptx_base", "ptx_matrix", "ptx_async"}) {
    const std::string path = std::string(CUTWORK_SOURCE_DIR) + "/test/data/" + name + ".jsonl.gz";
    for (const std::string& line : readLines(path)) {
      const auto item = nlohmann::json::parse(line);
      bool differs = false;
      for (const auto& argument : item["args"]) {
        differs = differs || (argument.contains("match") && argument["match"].is_object());
      }
      (differs ? tolerant : exact) += 1;
      const bool named =
          fidelitiesOf(item["ptx"].get<std::string>()).contains(Fidelity::Approximated);
      EXPECT_EQ(named, differs) << item["name"];
    }
  }
  EXPECT_GT(tolerant, 20U);
  EXPECT_GT(exact, 1500U);
}

TEST(FidelityReport, SaysOfEachInstruction) {
  using enum Fidelity;
  const std::map<std::string, Fidelity> rows = {
      {"add.f32 %f, %f, %f", Exact},
      {"fma.rn.f64 %d, %d, %d, %d", Exact},
      {"div.rn.f32 %f, %f, %f", Exact},
      {"sqrt.rn.f32 %f, %f", Exact},
      {"rcp.rn.f32 %f, %f", Exact},
      {"cvt.rn.bf16.f32 %h, %f", Exact},
      {"div.approx.f32 %f, %f, %f", Approximated},
      {"div.full.ftz.f32 %f, %f, %f", Approximated},
      {"rcp.approx.ftz.f32 %f, %f", Approximated},
      {"rcp.approx.ftz.f64 %d, %d", Approximated},
      {"sqrt.approx.f32 %f, %f", Approximated},
      {"rsqrt.approx.f32 %f, %f", Approximated},
      {"rsqrt.approx.f64 %d, %d", Approximated},
      {"sin.approx.f32 %f, %f", Approximated},
      {"cos.approx.f32 %f, %f", Approximated},
      {"lg2.approx.f32 %f, %f", Approximated},
      {"ex2.approx.f32 %f, %f", Approximated},
      {"ex2.approx.ftz.bf16 %h, %h", Approximated},
      {"tanh.approx.f32 %f, %f", Approximated},
      {"membar.gl", NoEffect},
      {"fence.acq_rel.gpu", NoEffect},
      {"nanosleep.u32 100", NoEffect},
      {"prefetch.global.L2 [%a]", NoEffect},
      {"mov.u32 %r, %clock", Invented},
      {"mov.u64 %a, %clock64", Invented},
      {"mov.u64 %a, %globaltimer", Invented},
      {"mov.u32 %r, %smid", Invented},
      {"mov.u32 %r, %nsmid", Invented},
      {"mov.u32 %r, %warpid", Invented},
      {"mov.u64 %a, %gridid", Invented},
      {"mov.u32 %r, %tid.x", Exact},
      {"mov.u32 %r, %laneid", Exact},
      {"mbarrier.init.shared.b64 [%a], 1", Invented},
      {"mbarrier.arrive.shared.b64 %a, [%a]", Invented},
      {"mbarrier.test_wait.shared.b64 %p, [%a], %a", Exact},
      {"red.global.add.f32 [%a], %f", Order},
      {"atom.shared.add.f64 %d, [%a], %d", Order},
      {"red.global.add.noftz.f16x2 [%a], %r", Order},
      {"red.global.add.u32 [%a], %r", Exact},
      {"atom.global.max.s32 %r, [%a], %r", Exact},
      {"atom.global.cas.b32 %r, [%a], %r, %r", Exact},
      {"activemask.b32 %r", Order},
  };
  for (const auto& [text, expected] : rows) {
    const std::string ptx =
        ".version 8.4\n.target sm_90\n.address_size 64\n.entry k()\n{\n.reg .f32 %f;\n.reg .f64 "
        "%d;\n.reg .b16 %h;\n.reg .b32 %r;\n.reg .b64 %a;\n.reg .pred %p;\n" +
        text + ";\n}\n";
    const std::set<Fidelity> only = {expected};
    EXPECT_EQ(fidelitiesOf(ptx), only) << text;
  }
}

}  // namespace
}  // namespace cutwork::sim
