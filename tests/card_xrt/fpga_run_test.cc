// Scenarios on the bench fpga, by the command: Debian's runtime in its emulation mode, the
// Verilated card with a cable between its ports as the device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>

#include "bench/trial/calibration.h"
#include "bench/trial/trial.h"
#include "emulation.h"
#include "results/store.h"
#include "tests/bench_rtl/untimed_frame.h"
#include "tests/cli/process.h"
#include "tests/paths/paths.h"
#include "tests/results/temp_directory.h"
#include "wire/pcapng.h"

namespace plumbline::card_xrt_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Picoseconds kDelay = nanoseconds(800);

constexpr const char* kScenario = R"(plumbline: 1
name: cable
tests: [T5.1, T5.2]
dut: {topology: {kind: link, host_delay: 800ns}}
traffic: {frame_sizes: [128B, 1518B], pairs: [[0, 1]], direction: bi}
parameters: {duration: 100us, drain: 20us, resolution: 10%, loads: [90%], repetitions: 1}
)";

class FpgaRunTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("LD_PRELOAD", programPath("libno_pauses.so").c_str(), 1); }

  // A host with such cards; the packed card is beside the scenarios.
  void emulate(const std::string& defects = {}) {
    emulation_.reset();
    emulation_ = std::make_unique<Emulation>(kDelay, defects);
    const auto beside = scratch_.path() / "plumbline.xclbin";
    std::filesystem::remove(beside);
    std::filesystem::create_symlink(emulation_->xclbin(), beside);
  }

  // The scenario above with more lines, on a bench.
  Outcome run(const std::string& bench, const std::string& more,
              const std::vector<std::string>& options = {}) {
    return runScenario(kScenario, bench, more, options);
  }

  Outcome runScenario(const char* scenario, const std::string& bench, const std::string& more,
                      const std::vector<std::string>& options = {}) {
    const auto file = scratch_.path() / "cable.yaml";
    std::ofstream(file) << scenario << more;
    std::vector<std::string> arguments{
        "run", file.string(), "--quiet", "--bench", bench, "--results", results(bench).string()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return plumblineCommand(scratch_.path(), arguments);
  }

  static std::string card(const std::string& more = {}) {
    return "fpga: {xclbin: plumbline.xclbin" + more +
           ", tx_delay: " + std::to_string(bench::kTxOffset.count()) +
           "ps, rx_delay: " + std::to_string(-bench::kRxOffset.count()) + "ps}\n";
  }

  [[nodiscard]] std::filesystem::path results(const std::string& bench) const {
    return scratch_.path() / bench;
  }

  std::vector<results::StoredTrial> trials(const std::string& bench) const {
    return results::ResultStore::openExisting(results(bench)).listTrials(1);
  }

  TempDirectory scratch_;
  std::unique_ptr<Emulation> emulation_;
};

void expectSame(const bench::TrialResult& one, const bench::TrialResult& other) {
  EXPECT_EQ(one.faults, other.faults);
  ASSERT_EQ(one.streams.size(), other.streams.size());
  for (std::size_t i = 0; i < one.streams.size(); ++i) {
    EXPECT_GT(one.streams[i].sent_frames, 0U);
    EXPECT_EQ(one.streams[i].sent_frames, other.streams[i].sent_frames);
    EXPECT_EQ(one.streams[i].received_frames, other.streams[i].received_frames);
    EXPECT_EQ(one.streams[i].received_bytes, other.streams[i].received_bytes);
    EXPECT_EQ(one.streams[i].lost, other.streams[i].lost);
    EXPECT_EQ(one.streams[i].out_of_order, other.streams[i].out_of_order);
  }
  ASSERT_EQ(one.ports.size(), other.ports.size());
  for (std::size_t i = 0; i < one.ports.size(); ++i) {
    EXPECT_EQ(one.ports[i].tx_frames, other.ports[i].tx_frames);
    EXPECT_EQ(one.ports[i].tx_bytes, other.ports[i].tx_bytes);
    EXPECT_EQ(one.ports[i].tx_late_max, other.ports[i].tx_late_max);
    EXPECT_EQ(one.ports[i].rx_frames, other.ports[i].rx_frames);
    EXPECT_EQ(one.ports[i].rx_bytes, other.ports[i].rx_bytes);
  }
  ASSERT_EQ(one.latency.size(), other.latency.size());
  for (std::size_t i = 0; i < one.latency.size(); ++i) {
    const stats::Histogram& seen = one.latency[i].histogram;
    const stats::Histogram& expected = other.latency[i].histogram;
    EXPECT_EQ(seen.minimum(), expected.minimum());
    EXPECT_EQ(seen.maximum(), expected.maximum());
    EXPECT_EQ(seen.sumLow(), expected.sumLow());
    const auto cells = seen.cells();
    const auto others = expected.cells();
    ASSERT_EQ(cells.size(), others.size());
    for (std::size_t cell = 0; cell < cells.size(); ++cell) {
      EXPECT_EQ(cells[cell].bucket, others[cell].bucket);
      EXPECT_EQ(cells[cell].count, others[cell].count);
    }
  }
}

TEST_F(FpgaRunTest, TheSameScenarioOnTheSimulatedCardAndBehindTheRuntimeIsTheSame) {
  emulate();
  const Outcome simulated = run("rtl", card());
  ASSERT_EQ(simulated.exit_code, 0) << simulated.err;
  const Outcome real = run("fpga", card());
  ASSERT_EQ(real.exit_code, 0) << real.err;
  EXPECT_THAT(real.out, HasSubstr("T5.2"));
  const auto expected = trials("rtl");
  const auto seen = trials("fpga");
  ASSERT_EQ(seen.size(), expected.size());
  ASSERT_GE(seen.size(), 8U);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    SCOPED_TRACE(seen[i].label);
    EXPECT_EQ(seen[i].spec_json, expected[i].spec_json);
    expectSame(bench::TrialResult::fromJson(seen[i].result_json),
               bench::TrialResult::fromJson(expected[i].result_json));
  }
}

TEST_F(FpgaRunTest, ACardThatDisappearsLosesOnlyTheTrialInHand) {
  emulate("gone=4");
  const Outcome outcome = run("fpga", card());
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("the card does not answer"));
  ASSERT_EQ(trials("fpga").size(), 3U);
  for (const results::StoredTrial& trial : trials("fpga")) {
    EXPECT_THAT(bench::TrialResult::fromJson(trial.result_json).faults, IsEmpty());
  }

  const auto before = trials("fpga");
  emulation_->setDefects({});  // it is back
  const Outcome resumed = run("fpga", card(), {"--resume"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  const auto after = trials("fpga");
  ASSERT_GT(after.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i].spec_json, before[i].spec_json);
    EXPECT_EQ(after[i].result_json, before[i].result_json);
  }
}

// Two devices, each with a clock of its own and a cable between its two ports.
TEST_F(FpgaRunTest, TwoCardsAreOneTester) {
  emulate();
  const auto file = scratch_.path() / "two.yaml";
  std::ofstream(file) << "plumbline: 1\nname: two\ntest: T5.2\nbench: fpga\n"
                         "dut: {topology: {kind: switch, hosts: 4}}\n"
                         "traffic: {frame_sizes: [512B], pairs: [[0, 1], [3, 2]], direction: uni}\n"
                         "parameters: {duration: 100us, drain: 20us, loads: [50%], "
                         "repetitions: 1}\n"
                      << card(", devices: [0, 1]");
  const Outcome outcome = plumblineCommand(
      scratch_.path(),
      {"run", file.string(), "--quiet", "--tables", "--results", results("fpga").string()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("latency between ports of different cards: not observed, "));
  const auto all = trials("fpga");
  const auto half = std::find_if(all.begin(), all.end(), [](const results::StoredTrial& trial) {
    return trial.label.find("50 % load") != std::string::npos;
  });
  ASSERT_NE(half, all.end());
  const auto seen = bench::TrialResult::fromJson(half->result_json);
  EXPECT_THAT(seen.faults, IsEmpty());
  ASSERT_EQ(seen.streams.size(), 2U);
  for (const bench::StreamResult& stream : seen.streams) {
    // 100 us at half of the line rate, 85.12 ns for each frame.
    EXPECT_NEAR(static_cast<double>(stream.sent_frames), 1174, 1);
    EXPECT_EQ(stream.received_frames, stream.sent_frames);
    EXPECT_EQ(stream.lost, 0U);
  }
  ASSERT_FALSE(seen.latency.empty());
  for (const bench::GroupLatency& group : seen.latency) {
    EXPECT_NEAR(static_cast<double>(group.histogram.minimum()), static_cast<double>(kDelay.count()),
                3104);
  }
}

TEST_F(FpgaRunTest, ACardWithAnotherRegisterMapIsRefused) {
  emulate("version=0x09000000");
  const Outcome outcome = run("fpga", card());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("the card has version 9.0.0 of the register map"));
}

TEST_F(FpgaRunTest, AnXclbinWithoutTheCardIsRefused) {
  emulate();
  const Outcome outcome =
      run("fpga", "fpga: {xclbin: " + emulation_->foreignXclbin().string() + "}\n");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("the xclbin holds no Plumbline card"));
}

TEST_F(FpgaRunTest, AnXclbinThatIsNotThereIsRefused) {
  emulate();
  const Outcome outcome = run("fpga", "fpga: {xclbin: nothing.xclbin}\n");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr((scratch_.path() / "nothing.xclbin").string()));
}

TEST_F(FpgaRunTest, AScenarioThatNamesNoCardIsRefused) {
  emulate();
  const Outcome outcome = run("fpga", "");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("the scenario does not name a card"));
  EXPECT_THAT(outcome.err, HasSubstr("fpga: {xclbin: FILE}"));
}

TEST_F(FpgaRunTest, WithoutTheRuntimeItSaysWhatToDo) {
  emulate();
  unsetenv("XILINX_XRT");
  const Outcome outcome = run("fpga", card());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("the Xilinx Runtime is not set up"));
  EXPECT_THAT(outcome.err, HasSubstr("setup.sh"));
  const Outcome ports = plumblineCommand(scratch_.path(), {"ports"});
  EXPECT_EQ(ports.exit_code, 0);
  EXPECT_THAT(ports.out, HasSubstr("absent"));
  EXPECT_THAT(ports.err, HasSubstr("the Xilinx Runtime is not set up"));
}

TEST_F(FpgaRunTest, WithoutADeviceItSaysWhatToDo) {
  emulate();
  unsetenv("XCL_EMULATION_MODE");
  const Outcome outcome = run("fpga", card());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no card: "));
  EXPECT_THAT(outcome.err, HasSubstr("xbutil examine"));
}

// The frames of every trial of a capture file, in a form in which runs can be compared.
std::vector<std::vector<bench::UntimedFrame>> framesIn(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  wire::PcapngReader reader({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  std::vector<std::vector<card::CapturedFrame>> trials;
  while (const auto packet = reader.next()) {
    if (!packet->comment.empty()) trials.emplace_back();
    trials.back().push_back({.port = packet->interface,
                             .sent = packet->direction == wire::PacketDirection::kOutbound,
                             .timestamp = packet->timestamp,
                             .bytes = {packet->bytes.begin(), packet->bytes.end()}});
  }
  EXPECT_EQ(reader.error(), wire::PcapngError::kNone);
  std::vector<std::vector<bench::UntimedFrame>> all;
  std::transform(trials.begin(), trials.end(), std::back_inserter(all), bench::untimed);
  return all;
}

// Few frames, one way: the card can write the received frames to its memory at line rate.
constexpr const char* kShort = R"(plumbline: 1
name: capture
test: T5.2
dut: {topology: {kind: link, host_delay: 800ns}}
traffic: {frame_sizes: [512B], pairs: [[0, 1]], direction: uni}
parameters: {duration: 20us, drain: 20us, loads: [30%], repetitions: 1}
)";

// Both ways at line rate: more than it can write.
constexpr const char* kTooMuch = R"(plumbline: 1
name: too much
test: T5.2
dut: {topology: {kind: link, host_delay: 800ns}}
traffic: {frame_sizes: [512B], pairs: [[0, 1]], direction: bi}
parameters: {duration: 20us, drain: 20us, loads: [100%], repetitions: 1}
)";

TEST_F(FpgaRunTest, CapturesAreThoseOfTheSimulatedCard) {
  emulate();
  const auto capture = [&](const std::string& bench) {
    const auto file = scratch_.path() / (bench + ".pcapng");
    const Outcome outcome =
        runScenario(kShort, bench, card(), {"--capture", file.string(), "--capture-port", "1"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return framesIn(file);
  };
  const auto expected = capture("rtl");
  const auto seen = capture("fpga");
  ASSERT_EQ(seen.size(), trials("fpga").size());
  ASSERT_EQ(seen.size(), expected.size());
  std::size_t frames = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    SCOPED_TRACE(trials("fpga")[i].label);
    ASSERT_EQ(seen[i].size(), expected[i].size());
    for (std::size_t frame = 0; frame < seen[i].size(); ++frame) {
      EXPECT_TRUE(seen[i][frame].intact);
      ASSERT_EQ(seen[i][frame], expected[i][frame]) << frame;
    }
    frames += seen[i].size();
  }
  EXPECT_GT(frames, 500U);
}

TEST_F(FpgaRunTest, CapturesThatTheCardCannotWriteMakeATrialInvalid) {
  emulate();
  const auto file = scratch_.path() / "frames.pcapng";
  const Outcome outcome = runScenario(kTooMuch, "fpga", card(), {"--capture", file.string()});
  EXPECT_EQ(outcome.exit_code, 4);
  std::vector<std::string> faults;
  for (const results::StoredTrial& trial : trials("fpga")) {
    const auto result = bench::TrialResult::fromJson(trial.result_json);
    faults.insert(faults.end(), result.faults.begin(), result.faults.end());
  }
  EXPECT_THAT(faults, testing::Contains(HasSubstr("port 0: capture lost ")));
  // The frames in the file are correct.
  for (const auto& frames : framesIn(file)) {
    EXPECT_GT(frames.size(), 0U);
    for (const bench::UntimedFrame& frame : frames) EXPECT_TRUE(frame.intact);
  }
}

TEST_F(FpgaRunTest, WithoutMemoryForCapturesItSaysWhatToDo) {
  emulate();
  const std::vector<std::string> capture{"--capture", (scratch_.path() / "frames.pcapng").string()};
  const std::string small = "fpga: {xclbin: " + emulation_->smallXclbin().string() + "}\n";
  const Outcome outcome = runScenario(kShort, "fpga", small, capture);
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("no memory for a buffer of 65536 KiB"));
  EXPECT_THAT(outcome.err, HasSubstr("small.xclbin, memory bank 0"));
  EXPECT_THAT(outcome.err, HasSubstr("xbutil examine"));
  EXPECT_EQ(runScenario(kShort, "fpga", small).exit_code, 0) << "there is enough for lists";
}

TEST_F(FpgaRunTest, WithoutAConnectionToMemoryItSaysWhatToDo) {
  emulate();
  const Outcome outcome = runScenario(
      kShort, "fpga", "fpga: {xclbin: " + emulation_->unconnectedXclbin().string() + "}\n");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("the xclbin connects the card to no memory"));
}

TEST_F(FpgaRunTest, MemoryThatFailsIsTold) {
  emulate("fails=0x100000");  // start of the captures; lists are before them
  const Outcome capture = runScenario(kShort, "fpga", card(),
                                      {"--capture", (scratch_.path() / "frames.pcapng").string()});
  EXPECT_EQ(capture.exit_code, 3);
  EXPECT_THAT(capture.err, HasSubstr("the card could not write captured frames to its memory"));
  emulate("fails=0");
  const Outcome lists = runScenario(kShort, "fpga", card());
  EXPECT_EQ(lists.exit_code, 3);
  EXPECT_THAT(lists.err,
              HasSubstr("the card could not carry out a list of register accesses: 0 of"));
}

TEST_F(FpgaRunTest, PortsShowsTheDevice) {
  emulate();
  const Outcome ports = plumblineCommand(scratch_.path(), {"ports"});
  EXPECT_EQ(ports.exit_code, 0) << ports.err;
  EXPECT_THAT(ports.out, HasSubstr("rtl/0"));
  EXPECT_THAT(ports.out, testing::ContainsRegex("fpga +100 Gb/s +free +device 0"));
}

}  // namespace
}  // namespace plumbline::card_xrt_test
