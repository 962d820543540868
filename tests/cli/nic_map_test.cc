// The map of ranks to NICs that `plan` shows, against the flows that the parallelism means.
#include "cli/nic_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumbline::cli {
namespace {

using ::testing::HasSubstr;

serving::ServingProgram programOf(const char* model, std::uint32_t prefill_tp,
                                  std::uint32_t decode_tp) {
  serving::ServingProgram program;
  program.system.model = *serving::builtInModel(model);
  program.system.accelerator = *serving::builtInAccelerator("h100");
  program.system.servers.prefill.tp = prefill_tp;
  program.system.servers.decode.tp = decode_tp;
  program.workload.prompt.low = 4096;
  return program;
}

// Eight prefill ranks, four decode ranks: two flows into each of four NICs. 2·80·8·128·2 bytes a
// token of CFG B.
TEST(NicMap, TwoRanksMeetAtOneNic) {
  const std::string text = nicMapText(programOf("cfg-b", 8, 4));
  EXPECT_THAT(text, HasSubstr("a request of 4096 tokens: 1342177280 B in 8 flows"));
  EXPECT_THAT(text, HasSubstr("prefill rank  5, NIC   5, host   5 -> decode rank  2, NIC  10, host "
                              " 10: 167772160 B"));
  EXPECT_THAT(text, HasSubstr("8 sending, 4 receiving NICs; the busiest receiver: 2 flows, 2 "
                              "times the bytes"));
}

TEST(NicMap, EqualParallelismIsOneFlowPerNic) {
  serving::ServingProgram program = programOf("cfg-b", 8, 8);
  for (std::uint32_t i = 0; i < 16; ++i) program.hosts.push_back(100 + i);
  const std::string text = nicMapText(program);
  EXPECT_THAT(text, HasSubstr("prefill rank  7, NIC   7, host 107 -> decode rank  7, NIC  15, host "
                              "115: 167772160 B"));
  EXPECT_THAT(text, HasSubstr("8 sending, 8 receiving NICs; the busiest receiver: 1 flows, 1 "
                              "times the bytes"));
}

}  // namespace
}  // namespace plumbline::cli
