// The section `serving`: what is read, and what is refused at its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenario/parse.h"
#include "tests/scenario/messages.h"
#include "tests/scenario/vocabulary.h"

namespace plumbline::scenario {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// The section begins on line 5.
ParseResult parsedServing(const std::string& section) {
  return parseScenario(
      "plumbline: 1\nname: n\ntest: T5.2\n"
      "dut: {topology: {kind: switch, hosts: 64}}\n" +
          section,
      "s", testVocabulary());
}
std::vector<std::string> aboutServing(const std::string& section) {
  return messages(parsedServing(section));
}

TEST(ServingSection, IsReadWithBuiltInProfilesAndChangesToThem) {
  const ParseResult result = parsedServing(
      "serving:\n"
      "  model: {name: cfg-a, layers: 16}\n"
      "  accelerator: h200\n"
      "  efficiency: kernels\n"
      "  servers: {nics: 4, prefill: 2, decode: {workers: 3, dp_attention: 2}}\n"
      "  workload: {arrivals: {rate: 12.5}, prompt: 4096, output: {kind: uniform, low: 1, high: "
      "9}}\n"
      "  slo: {ttft: 1s}\n"
      "  warmup: 3s\n");
  ASSERT_TRUE(result.scenario.serving);
  const ServingSection& section = *result.scenario.serving;
  EXPECT_EQ(section.program.system.model.layers, 16U);
  EXPECT_EQ(section.program.system.model.kv_heads, 8U);  // of CFG A
  EXPECT_EQ(section.program.system.accelerator.memory_bw, 4.8e12);
  EXPECT_EQ(section.program.system.efficiency.flops, 0.7);
  EXPECT_EQ(section.program.system.servers.prefill.workers, 2U);
  EXPECT_EQ(section.program.system.servers.decode.dp_attention, 2U);
  ASSERT_TRUE(section.workload);
  EXPECT_EQ(section.workload->arrivals.rate, 12.5);
  EXPECT_EQ(section.workload->prompt.low, 4096U);
  EXPECT_EQ(section.workload->output.high, 9U);
  EXPECT_EQ(section.slo.ttft, seconds(1));
  EXPECT_EQ(section.warmup, seconds(3));
  EXPECT_THAT(aboutServing("serving: {model: cfg-a}\n"), IsEmpty());
}

// A misspelt name must not select something else.
TEST(ServingSection, UnknownNamesAreRefusedWhereTheyStand) {
  EXPECT_THAT(
      aboutServing("serving: {model: llama-70}\n"),
      ElementsAre(HasSubstr("s:5:18: there is no built-in model \"llama-70\" (one of cfg-a")));
  EXPECT_THAT(aboutServing("serving: {accelerator: H100}\n"),
              ElementsAre(HasSubstr("s:5:24: there is no built-in accelerator \"H100\"")));
  EXPECT_THAT(aboutServing("serving: {efficiency: kernel}\n"),
              ElementsAre(HasSubstr("s:5:23: there is no built-in efficiency \"kernel\"")));
  EXPECT_THAT(aboutServing("serving: {model: {name: mine, layers: 3}}\n"),
              ElementsAre(HasSubstr("hidden")));
}

// A built-in name with an invalid figure is no unknown name; a user-defined name needs all figures.
TEST(ServingSection, FiguresAreRefusedForThemselves) {
  EXPECT_THAT(aboutServing("serving: {accelerator: {name: h100, memory: 0}}\n"),
              ElementsAre(AllOf(HasSubstr("s:5:45: "), HasSubstr("memory is 0"))));
  EXPECT_THAT(aboutServing("serving: {model: {name: cfg-a, layers: 0}}\n"),
              ElementsAre(AllOf(HasSubstr("s:5:40: "), Not(HasSubstr("built-in model")))));
  EXPECT_THAT(aboutServing("serving: {efficiency: {name: served, flops: 0}}\n"),
              ElementsAre(HasSubstr("s:5:45: ")));
  EXPECT_THAT(aboutServing("serving: {efficiency: {name: z, flops: 0.5}}\n"),
              ElementsAre(HasSubstr("there is no built-in efficiency \"z\"")));
  EXPECT_THAT(
      aboutServing("serving: {efficiency: {name: z, flops: 0.5, memory: 0.5, link: 0.5}}\n"),
      IsEmpty());
}

// Several mistakes at once, each at its place; those of a block at the block.
TEST(ServingSection, MistakesStandAtTheirOwnKeys) {
  EXPECT_THAT(aboutServing("serving:\n"
                           "  workload:\n"
                           "    arrivals: {rate: 1.0e-9}\n"
                           "  router: {weight: 1.0e300}\n"),
              ElementsAre(HasSubstr("s:7:22: "), HasSubstr("s:8:20: ")));
  EXPECT_THAT(aboutServing("serving:\n"
                           "  workload:\n"
                           "    prompt: {kind: uniform, low: 100, high: 1}\n"),
              ElementsAre(HasSubstr("s:7:13: ")));
}

// The sum of two of them must also be a valid time.
TEST(ServingSection, TimesAreBounded) {
  EXPECT_THAT(aboutServing("serving: {transfer: {post: 9000000s}}\n"),
              ElementsAre(HasSubstr("s:5:28: ")));
  EXPECT_THAT(aboutServing("serving: {workload: {arrivals: {kind: on-off, on: 9000000s, off: "
                           "9000000s}}}\n"),
              ElementsAre(HasSubstr("s:5:51: "), HasSubstr("s:5:66: ")));
}

// Checking allocates no memory for the pages: these would take 98 TB.
TEST(ServingSection, CachesAreNotBuiltToBeChecked) {
  EXPECT_THAT(aboutServing("serving: {servers: {nics: 1, gpus: 64, prefill: {workers: 8, tp: 64, "
                           "dp_attention: 64}, decode: {workers: 8, tp: 64, dp_attention: 64}}, "
                           "prefill_pages: 4000000000, decode_pages: 4000000000, model: m4}\n"),
              IsEmpty());
}

}  // namespace
}  // namespace plumbline::scenario
