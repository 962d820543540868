// Legal but probably unintended settings. Expected sizes are computed by hand from the closed forms
// of docs/scenarios.md; 100 Gb/s are 12.5 B/ns.
#include "scenario/warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenario/messages.h"
#include "tests/scenario/vocabulary.h"

namespace plumbline::scenario {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::vector<std::string> warnings(const std::string& text) {
  const ParseResult parsed = parseScenario(text, "s", simVocabulary());
  EXPECT_THAT(messages(parsed), IsEmpty());
  std::vector<std::string> all;
  if (!parsed.ok()) return all;
  for (const Problem& one : warningsOf(parsed.scenario, simVocabulary())) {
    all.push_back(one.text("s"));
  }
  return all;
}

// Lines 2 to 4 are the DUT's topology, the rest of the DUT, and the rest.
std::string file(const std::string& topology, const std::string& dut, const std::string& rest) {
  return "{plumbline: 1, name: n, test: free, dut: {topology:\n" + topology + ",\n" + dut + "},\n" +
         rest + "}\n";
}
const std::string kClos = "{kind: clos2, link: 100G, host_delay: 50ns, fabric_delay: 250ns}";
const std::string kRoce = "transport: {kind: roce}, workload: {kind: pairs}";

TEST(Warnings, AreNoneWhereThereIsNothingToSay) {
  EXPECT_THAT(warnings(file(kClos, "switch: {}", kRoce)), IsEmpty());
  EXPECT_THAT(warnings(file(kClos, "switch: {pfc: {}, ecn: {}}", kRoce)), IsEmpty());
  EXPECT_THAT(warnings(file("{kind: link}", "identification: {vendor: x}", kRoce)), IsEmpty());
}

// Twice a frame of 4096 + 78 B with its gap, a PAUSE of 64 + 20 B, and 12.5 B/ns for 2·d + 600 ns.
TEST(Warnings, HeadroomBelowWhatALinkNeeds) {
  constexpr int kFrames = 2 * (4096 + 78 + 20) + 84;
  const std::string graph =
      "{kind: graph, hosts: [h1, h2], switches: [s3, s4], cables: [{a: h1, b: s3, rate: 100G, "
      "delay: 50ns}, {a: s3, b: s4, rate: 100G, delay: 5us}, {a: h2, b: s4, rate: 100G, delay: "
      "50ns}]}";
  constexpr int kNeed = kFrames + 125 * (2 * 5000 + 600) / 10;  // 140,972 B
  EXPECT_THAT(warnings(file(graph, "switch: {pfc: {}}", kRoce)),
              ElementsAre("s:3:15: headroom 100 KB is below the 141 KB that s3-s4 needs; 2 of 4 "
                          "links into switches need more than they have (at least " +
                          std::to_string(kNeed) + "B)"));
  EXPECT_THAT(
      warnings(file(graph, "switch: {pfc: {headroom: " + std::to_string(kNeed) + "B}}", kRoce)),
      IsEmpty());
  // Over 250 ns: 8,472 + 13,750 B.
  EXPECT_THAT(warnings(file(kClos, "switch: {pfc: {\nheadroom: 1KB}}", kRoce)),
              ElementsAre(AllOf(StartsWith("s:4:11: headroom 1 KB is below the 22.22 KB that "),
                                HasSubstr("12 of 12 links"))));
}

TEST(Warnings, BuffersBelowWhatPfcCounts) {
  // 4 priorities of 100 + 100 KB.
  EXPECT_THAT(
      warnings(file(kClos, "switch: {buffer: 500KB, pfc: {priorities: [0, 1, 2, 3]}}", kRoce)),
      ElementsAre(AllOf(StartsWith("s:3:18: the buffer of a port, 500 KB, is smaller than xoff and "
                                   "headroom of its lossless priorities, 800 KB"),
                        HasSubstr("(at least 800000B)"))));
  // 4 ports: 500 KB - 4 · 100 KB.
  EXPECT_THAT(
      warnings(file(kClos, "switch: {shared_buffer: {total: 500KB}, pfc: {xoff: 150KB}}", kRoce)),
      ElementsAre(StartsWith("s:3:53: no input can reach xoff of 150 KB: headrooms and "
                             "reserves leave 100 KB of the shared buffer")));
}

// A frame of 4096 + 78 B takes (4174 + 20) / 64 = 65.5 quanta, half of a pause of 131.1.
TEST(Warnings, PausesThatEndBeforeTheyAreRenewed) {
  EXPECT_THAT(warnings(file(kClos, "switch: {pfc: {quanta: 131}}", kRoce)),
              ElementsAre("s:3:24: a pause of 131 x 512 bit times may end before it is renewed: "
                          "the PAUSE frame is repeated after half of that, and may wait for a "
                          "frame of 4.174 KB (at least 132)"));
  EXPECT_THAT(warnings(file(kClos, "switch: {pfc: {quanta: 132}}", kRoce)), IsEmpty());
}

TEST(Warnings, EcnThatNeverMarksOrThatPfcForestalls) {
  EXPECT_THAT(
      warnings(file(kClos, "switch: {buffer: 400KB, ecn: {kmin: 400KB, kmax: 1MB}}", kRoce)),
      ElementsAre("s:3:37: ECN never marks: kmin of 400 KB is not below the 400 KB that a "
                  "queue can hold (below 400000B)"));
  // alpha 1: half of the buffer.
  EXPECT_THAT(
      warnings(
          file(kClos, "switch: {shared_buffer: {total: 4MB}, ecn: {kmin: 2MB, kmax: 3MB}}", kRoce)),
      ElementsAre(HasSubstr("not below the 2 MB that a queue can hold")));
  // Priorities other than the data's are ignored.
  EXPECT_THAT(warnings(file(kClos,
                            "switch: {buffer: 400KB, ecn: [{priorities: 3}, {kmin: 400KB, kmax: "
                            "1MB}]}",
                            kRoce)),
              IsEmpty());
  EXPECT_THAT(warnings(file(kClos, "switch: {pfc: {xoff: 150KB}, ecn: {kmin: 200KB}}", kRoce)),
              ElementsAre(AllOf(HasSubstr("PFC acts before ECN"), HasSubstr("xoff of 150 KB"),
                                HasSubstr("kmin of 200 KB"))));
  EXPECT_THAT(warnings(file(kClos, "switch: {pfc: {xoff: 200KB}, ecn: {kmin: 200KB}}", kRoce)),
              IsEmpty());
}

TEST(Warnings, PrioritiesThatNothingProtects) {
  const std::string on3 = "switch: {pfc: {priorities: 3}, ecn: {priorities: 3}}";
  EXPECT_THAT(
      warnings(
          file(kClos, on3, "workload: {kind: pairs}, transport: {kind: roce,\n data_priority: 4}")),
      ElementsAre("s:5:17: data packets of the transport have priority 4, for which there "
                  "is neither PFC, CBFC nor ECN; priority 3 has (one of these priorities)"));
  EXPECT_THAT(warnings(file(kClos, "switch: {pfc: {priorities: 3}, ecn: {priorities: [3, 4]}}",
                            "workload: {kind: pairs}, transport: {kind: roce, data_priority: 4}")),
              IsEmpty());
  EXPECT_THAT(warnings(file(kClos, "switch: {}",
                            "workload: {kind: pairs}, transport: {kind: roce, data_priority: 4}")),
              IsEmpty());
}

// A full packet of 4096 + 78 B takes 33 credits of 128 B, one of 1 KiB fewer than ten.
TEST(Warnings, CreditsBelowThoseOfTheLongestFrame) {
  const auto withCredits = [](const std::string& cbfc, const std::string& rest) {
    return warnings(file(kClos, "switch: {cbfc: " + cbfc + "}", rest));
  };
  const std::string mixed =
      "transport: {kind: roce}, workload: [{kind: pairs, ranks: 2}, "
      "{kind: pairs, ranks: 2, size: 1KiB}]";
  EXPECT_THAT(
      withCredits("{credits: 32}", mixed),
      ElementsAre("s:3:26: a frame of 4174 B needs more than 32 credits to leave: it stands "
                  "for ever, with all behind it (at least 33)"));
  EXPECT_THAT(withCredits("{credits: 32}", kRoce), testing::SizeIs(1)) << "but for 78 B";
  EXPECT_THAT(withCredits("{credits: 33}", mixed), IsEmpty());
  EXPECT_THAT(withCredits("{credits: 33, packet_overhead: 51}", kRoce), testing::SizeIs(1));
  EXPECT_THAT(withCredits("{credits: 33, channels: [3, 4], virtual_channels: "
                          "[{priorities: 4, credits: 10}]}",
                          mixed),
              IsEmpty());
  EXPECT_THAT(withCredits("{credits: 10}",
                          "transport: {kind: roce}, workload: {kind: allreduce, size: 1KiB}"),
              testing::SizeIs(1));
}

TEST(Warnings, RatesAboveTheLink) {
  const auto withDcqcn = [](const std::string& dcqcn) {
    return warnings(
        file(kClos, "switch: {}",
             "workload: {kind: pairs}, transport: {kind: roce, dcqcn:\n" + dcqcn + "}"));
  };
  EXPECT_THAT(withDcqcn("{min_rate: 900G, max_rate: 1T}"),
              ElementsAre(AllOf(StartsWith("s:5:12: min_rate of 900 Gb/s is above the 100 Gb/s of "
                                           "the link of host0"),
                                HasSubstr("never slowed down")),
                          StartsWith("s:5:28: max_rate of 1000 Gb/s is above the 100 Gb/s")));
  EXPECT_THAT(withDcqcn("{min_rate: 100G, max_rate: 100G}"), IsEmpty());
  EXPECT_THAT(withDcqcn("nvidia"), IsEmpty());
}

TEST(Warnings, MessagesThatALinkCannotCarry) {
  const auto withJob = [](const std::string& job) {
    return warnings(file(kClos, "switch: {}", "transport: {kind: roce}, workload:\n" + job));
  };
  // 1 MB every 50 us are 160 Gb/s; every 100 us 80 Gb/s.
  EXPECT_THAT(withJob("{kind: pairs, size: 1MB, interval: 50us}"),
              ElementsAre(AllOf(StartsWith("s:5:36: job 'pairs1': host0 posts 160 Gb/s"),
                                HasSubstr("above the 100 Gb/s of its link"))));
  EXPECT_THAT(withJob("{kind: pairs, size: 1MB, interval: 100us}"), IsEmpty());
  EXPECT_THAT(withJob("{kind: pairs, size: 1MB, load: 100%}"), IsEmpty());
  EXPECT_THAT(withJob("{kind: pairs, size: 64B, load: 100%}"), IsEmpty());
  // For half of the time it is 80 Gb/s; rank 0 of an incast may receive more than its link carries.
  EXPECT_THAT(withJob("{kind: pairs, size: 1MB, interval: 50us, on: 1ms, off: 1ms}"), IsEmpty());
  EXPECT_THAT(withJob("{kind: incast, size: 1MB, load: 100%}"), IsEmpty());
  // Two pairs of one rank.
  EXPECT_THAT(withJob("{kind: messages, pairs: [[0, 1], [0, 2]], size: 1MB, load: 60%}"),
              ElementsAre(HasSubstr("host0 posts 120 Gb/s")));
}

TEST(Warnings, ReorderingWithGoBackN) {
  const auto sprayed = [](const std::string& transport, const std::string& dut) {
    return warnings(
        file(kClos, dut, "workload: {kind: pairs}, transport: {kind: roce, " + transport + "}"));
  };
  EXPECT_THAT(sprayed("service: rc", "load_balancing: spray-random"),
              ElementsAre(AllOf(StartsWith("s:3:17: "), HasSubstr("recovery is go-back-n"))));
  EXPECT_THAT(sprayed("spray: true, recovery: selective-repeat", "switch: {}"),
              ElementsAre(HasSubstr("reorder_tolerance is 0")));
  EXPECT_THAT(
      sprayed("spray: true, recovery: selective-repeat, reorder_tolerance: 64", "switch: {}"),
      IsEmpty());
  EXPECT_THAT(sprayed("service: uc, spray: true", "switch: {}"), IsEmpty());
  // One path: no overtaking.
  EXPECT_THAT(warnings(file("{kind: switch, hosts: 4}", "load_balancing: spray-random", kRoce)),
              IsEmpty());
}

// The tests of the drafts choose RC's recovery; `free` uses the file's.
// A ROD target takes packets in order only; RUD takes them in any.
TEST(Warnings, SprayThatRodTakesForLoss) {
  const auto sprayed = [](const std::string& service, const std::string& dut) {
    return warnings(file(
        kClos, dut, "transport: {kind: uet, service: " + service + "}, workload: {kind: pairs}"));
  };
  EXPECT_THAT(
      sprayed("rod", "load_balancing: spray-random"),
      ElementsAre(HasSubstr("s:3:17: packets of a flow take several paths, and a ROD target "
                            "discards each that overtakes another")));
  EXPECT_THAT(sprayed("rod", "load_balancing: ecmp"), IsEmpty());
  EXPECT_THAT(sprayed("rud", "load_balancing: spray-random"), IsEmpty());
}

// Two cables of 300 us and a switch of 0.6 us each way are 1201.2 us. To these come 4,174 B and the
// ACK of 66 B at two senders with 12.5 B/ns each: 0.68 us.
TEST(Warnings, TimeoutBelowTheRoundTrip) {
  const std::string far = "{kind: switch, hosts: 2, link: 100G, host_delay: 300us}";
  const auto given = [&](const std::string& transport) {
    return warnings(
        file(far, "switch: {}", "transport: {" + transport + "}, workload: {kind: pairs}"));
  };
  EXPECT_THAT(given("kind: roce, ack_timeout: 1ms"),
              ElementsAre(AllOf(HasSubstr("the timeout of 1ms is below the idle round trip of 1202 "
                                          "us: packets are sent again while their ACK is on its "
                                          "way (at least 1202us)"))));
  EXPECT_THAT(given("kind: uet, rto: 1ms"), ElementsAre(HasSubstr("idle round trip of 1202 us")));
  EXPECT_THAT(given("kind: roce, ack_timeout: 1203us"), IsEmpty());
  EXPECT_THAT(given("kind: roce, service: uc, ack_timeout: 1ms"), IsEmpty());
  EXPECT_THAT(given("kind: uet, service: uud, rto: 1ms"), IsEmpty());
  EXPECT_THAT(given("kind: roce"), IsEmpty());
  EXPECT_THAT(given("kind: uet"), IsEmpty());
}

TEST(Warnings, ReorderingConcernsFreeAlone) {
  ParseResult parsed =
      parseScenario(file(kClos, "load_balancing: spray-random", kRoce), "s", simVocabulary());
  EXPECT_EQ(warningsOf(parsed.scenario, simVocabulary()).size(), 1U);
  parsed.scenario.tests = {"T9.1"};
  EXPECT_TRUE(warningsOf(parsed.scenario, simVocabulary()).empty());
}

TEST(Warnings, TwoJobsOfOneName) {
  EXPECT_THAT(
      warnings(file(kClos, "switch: {}",
                    "transport: {kind: roce}, workload: [{kind: pairs, name: a, ranks: 2},\n"
                    "{kind: pairs, name: a, ranks: 2}]")),
      ElementsAre("s:5:21: two jobs have the name 'a': their results would be indistinguishable "
                  "(a name for each)"));
}

TEST(Warnings, TrafficThatIsNotSent) {
  EXPECT_THAT(warnings(file(kClos, "switch: {}", kRoce + ",\ntraffic: {frame_sizes: 1500B}")),
              testing::Contains(testing::HasSubstr(
                  "the test free sends no frames of this: its hosts run the workload alone")));
}

TEST(Warnings, OfASweepAreThoseOfItsPoints) {
  EXPECT_THAT(warnings(file(kClos, "switch: {pfc: {}}",
                            kRoce + ",\nsweep: {dut.switch.pfc.headroom: "
                                    "[100KB, 2KB, 1KB]}")),
              ElementsAre(HasSubstr("headroom 2 KB"), HasSubstr("headroom 1 KB")));
}

}  // namespace
}  // namespace plumbline::scenario
