// The command on a real device with a real peer, in the guest of verbs_device_test. Its sources are
// linked in this order, and so run in it: the last test here ends the peer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <iostream>

#include "tests/bench_verbs/guest_command.h"

namespace plumbline::bench_verbs {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(VerbsCommandToAPeer, RunsThroughputAndLatency) {
  const CommandOutcome outcome = runCommand(
      {.tests = "T5.1, T5.2",
       .endpoint = "peer: " + peer_address,
       .parameters = "duration: 100ms, drain: 100ms, resolution: 10%, loads: 10%, repetitions: 1"},
      "results");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("Completion latency"), HasSubstr("Hardware counters"),
                                  HasSubstr("rxe0 port 1 sent_pkts")));
}

// At line rate 64 KiB take half a millisecond of the wire that the scenario thinks of, which is
// more than these machines do.
TEST(VerbsCommandToAPeer, TransfersKvCachesByEveryOperation) {
  const std::string peer = "peer: " + peer_address + ", operation: ";
  for (const std::string operation : {"write", "write-immediate", "send", "read"}) {
    SCOPED_TRACE(operation);
    const CommandOutcome outcome =
        runCommand({.tests = "kv-transfer",
                    .endpoint = peer + operation,
                    .parameters = "sizes: [64B, 4KiB, 64KiB], iterations: 10, duration: 200ms, "
                                  "repetitions: 1",
                    .topology = "link: 1G",
                    .traffic = "qps: 2"},
                   "kv-" + operation);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    EXPECT_THAT(outcome.text, AllOf(HasSubstr("Time of a transfer"), HasSubstr("KV bandwidth")));
  }
}

// This machine also has the simulated card. It and the two machines are emulated: the trials are as
// short as those of a card that runs some hundred times slower than usual.
TEST(VerbsCommandToAPeer, ComparesTheCardWithTheDevice) {
  const auto start = std::chrono::steady_clock::now();
  const CommandOutcome outcome =
      runCommand({.tests = "T5.1, T5.2, kv-transfer",
                  .endpoint = "peer: " + peer_address,
                  .parameters = "duration: 500us, drain: 200ms, resolution: 5%, loads: 0.5%, "
                                "repetitions: 1, sizes: [4KiB, 16KiB], iterations: 2",
                  .bench = "compare-verbs",
                  .topology = "link: 100G, host_delay: 500ns",
                  .traffic = "message_sizes: [4KiB], qps: 1"},
                 "compare");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::cout << "COMPARISON took " << took.count() << " s\n";
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("rtl, tester"), HasSubstr("verbs, endpoint software")));
}

// The results of the tests above are read outside.
TEST(VerbsCommandToAPeer, KeepsItsResults) {
  const std::string keep = "tar -c -f /dev/vda -C " + scratch("") +
                           " results kv-write kv-write-immediate kv-send kv-read compare";
  ASSERT_EQ(std::system(keep.c_str()), 0);
}

// The last one: the peer's machine is cut off once it has the target of a trial.
TEST(VerbsCommandAtLast, EndsWithThreeWhenThePeerIsGone) {
  std::cout << "CUT THE PEER" << std::endl;
  const CommandOutcome outcome = runCommand(
      {.tests = "T5.2",
       .endpoint = "peer: " + peer_address,
       .parameters = "duration: 15s, drain: 1s, resolution: 50%, loads: 10%, repetitions: 1"},
      "gone");
  EXPECT_EQ(outcome.exit_code, 3) << outcome.text;
  EXPECT_THAT(outcome.text,
              AllOf(HasSubstr("the peer does not acknowledge"), HasSubstr("--resume")));
}

}  // namespace
}  // namespace plumbline::bench_verbs
