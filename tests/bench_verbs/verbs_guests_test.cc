// The verbs bench between two virtual machines, each with the kernel's soft-RoCE device: one runs
// plumbline-target, the other one verbs_device_test and the command, whose results are read
// here. The link is a pair of UNIX sockets; no network of this machine is touched.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/json.h"
#include "tests/paths/paths.h"
#include "tests/roce_peer/guest_machine.h"

namespace plumbline::bench_verbs {
namespace {

using roce_peer::GuestMachine;
using roce_peer::MachineOptions;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

constexpr const char* kTargetAddress = "198.18.0.1";
constexpr const char* kInitiatorAddress = "198.18.0.2";
constexpr unsigned kMemory_mb = 640;
constexpr std::chrono::seconds kBootTime{120};
constexpr std::chrono::seconds kTestTime{500};
constexpr std::chrono::seconds kChannelTime{120};

// Runs a command; its output goes to `file`.
int shell(const std::string& command, const std::filesystem::path& file) {
  return std::system((command + " >" + file.string() + " 2>&1").c_str());
}

std::string contentsOf(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

using Configuration = std::map<std::string, std::string>;

Configuration configurationOf(const nlohmann::json& test) {
  Configuration configuration;
  for (const auto& entry : test.at("configuration")) {
    configuration[entry.at(0).get<std::string>()] = entry.at(1).get<std::string>();
  }
  return configuration;
}

// The bench's data on its host and device.
void checkConfiguration(Configuration found) {
  EXPECT_EQ(found["RDMA device"], "rxe0");
  EXPECT_EQ(found["Driver"], "soft-RoCE in the kernel, on eth0 (virtio_net)");
  EXPECT_EQ(found["Firmware"], "unknown, the driver reports no version");
  EXPECT_EQ(found["Board"], "unknown, the driver names none");
  EXPECT_EQ(found["PCIe link"], "unknown, the hardware below has no PCIe link that /sys shows");
  EXPECT_EQ(found["IOMMU group of the device"], "none: its addresses are not translated");
  EXPECT_EQ(found["Port 1"], "4: ACTIVE, Ethernet");
  EXPECT_THAT(found["Port's speed and width"], MatchesRegex("[0-9.]+ Gb/sec .1X [A-Z]DR."));
  EXPECT_THAT(found["GID"], MatchesRegex("index 1: 0000:0000:0000:0000:0000:ffff:c612:0002, "
                                         "RoCE v2"));
  EXPECT_EQ(found["Network interface"], "eth0, MTU 4200 B, speed unknown");
  EXPECT_EQ(found["Path MTU"], "4096 B, or the peer's where that is smaller");
  for (const char* absent : {"ECN as receiver", "ECN as sender", "PFC", "Frequency governor"}) {
    EXPECT_THAT(found[absent], StartsWith("unknown, ")) << absent;
  }
  EXPECT_THAT(found["Kernel"], StartsWith("Linux 6."));
  EXPECT_THAT(found["Processor"], HasSubstr(", 1 usable"));
  EXPECT_EQ(found["Processors for the bench"], "0");
  EXPECT_EQ(found["NUMA nodes"], "1");
  EXPECT_EQ(found["IOMMU"], "none in use (/sys/class/iommu has none)");
  EXPECT_THAT(found["Huge pages"], HasSubstr("0 of 0 free of 2048kB"));
  EXPECT_FALSE(found["Limit of locked memory"].empty());
  EXPECT_EQ(found["Queue pairs"], "RC, connected out of band");
  EXPECT_EQ(found["Where the endpoints are"],
            "initiators on this host, 198.18.0.2, targets on the one at 198.18.0.1");
  EXPECT_THAT(found["Clock"], HasSubstr("a reading takes"));
  EXPECT_THAT(found["Non-fabric overhead"],
              StartsWith("write of 0 B between two endpoints of this host: least "));
}

// Every quantity of one unit in a test's table.
std::vector<double> valuesOf(const nlohmann::json& test, const std::string& title,
                             const std::string& unit) {
  std::vector<double> values;
  for (const auto& table : test.at("tables")) {
    if (table.at("title") != title) continue;
    for (const auto& row : table.at("rows")) {
      for (const auto& cell : row) {
        if (cell.is_object() && cell.at("unit") == unit) values.push_back(cell.at("value"));
      }
    }
  }
  return values;
}

// A run that the guest's command left in a directory, exported by this machine's.
nlohmann::json exportOf(const std::filesystem::path& results) {
  const std::filesystem::path log = results.parent_path() / "log";
  const int status =
      shell(commandPath() + " results export --format json --results " + results.string(), log);
  EXPECT_EQ(status, 0) << contentsOf(log);
  return nlohmann::json::parse(contentsOf(log));
}

// The same run as a page.
std::string reportOf(const std::filesystem::path& results) {
  const std::filesystem::path log = results.parent_path() / "log";
  const std::filesystem::path page = results.parent_path() / "page";
  const int status = shell(
      commandPath() + " report --results " + results.string() + " --report " + page.string(), log);
  EXPECT_EQ(status, 0) << contentsOf(log);
  return contentsOf(page / "report.html");
}

// Values of a figure by its points.
std::map<std::string, double> kpisOf(const nlohmann::json& test, const std::string& name) {
  std::map<std::string, double> values;
  for (const auto& kpi : test.at("kpis")) {
    if (kpi.at("name") == name) {
      values[kpi.at("point").get<std::string>()] = kpi.at("quantity").at("value").get<double>();
    }
  }
  return values;
}

std::vector<std::string> pointsOf(const nlohmann::json& test, const std::string& name) {
  const auto values = kpisOf(test, name);
  std::vector<std::string> points;
  points.reserve(values.size());
  for (const auto& [point, value] : values) points.push_back(point);
  return points;
}

// Trouble counters of soft-RoCE, and missing ones for the rest.
void checkNicFigures(const nlohmann::json& test) {
  EXPECT_THAT(pointsOf(test, "nic_retransmissions"),
              ElementsAre("rxe0 port 1: completer_retry_err + rcvd_rnr_err"));
  EXPECT_THAT(pointsOf(test, "nic_out_of_sequence"),
              ElementsAre("rxe0 port 1: out_of_seq_request"));
  for (const std::string what : {"sent", "handled"}) {
    EXPECT_TRUE(kpisOf(test, "nic_cnps_" + what).empty());
    EXPECT_THAT(
        test.at("deviations").dump(),
        HasSubstr(fmt::format("CNPs {0}: not observed, rxe0 has no counter for CNPs {0}", what)));
  }
}

void checkThroughputAndLatency(const std::filesystem::path& results) {
  const nlohmann::json exported = exportOf(results);
  EXPECT_EQ(exported.at("status"), "done");
  EXPECT_EQ(exported.at("bench"), "verbs");
  ASSERT_EQ(exported.at("tests").size(), 2U);
  for (const auto& test : exported.at("tests")) {
    SCOPED_TRACE(test.at("id").get<std::string>());
    EXPECT_TRUE(test.at("valid"));
    checkConfiguration(configurationOf(test));
    checkNicFigures(test);
    for (const auto& figure : test.at("primary")) {
      EXPECT_EQ(figure.at("observed"), "endpoint-software");
    }
    // The device's own counters: nothing was given up, and frames were sent.
    const std::vector<double> counters = valuesOf(test, "Hardware counters", "");
    ASSERT_FALSE(counters.empty());
    EXPECT_GT(*std::max_element(counters.begin(), counters.end()), 100);
  }
  // There and back between two emulated machines.
  const std::vector<double> latencies =
      valuesOf(exported.at("tests").at(1), "Completion latency", "ns");
  ASSERT_FALSE(latencies.empty());
  EXPECT_GT(*std::min_element(latencies.begin(), latencies.end()), 1e3);
  EXPECT_LT(*std::max_element(latencies.begin(), latencies.end()), 20e9);

  // The fixed part of every latency is in the report too.
  const std::string page = reportOf(results);
  for (const char* stated : {"a reading takes", "write of 0 B between two endpoints of this host",
                             "Errors and retransmissions counted by the NICs", "RoCE v2"}) {
    EXPECT_THAT(page, HasSubstr(stated));
  }
}

void checkTransfers(const std::filesystem::path& results, const std::string& operation) {
  SCOPED_TRACE(operation);
  const nlohmann::json exported = exportOf(results);
  ASSERT_EQ(exported.at("tests").size(), 1U);
  const auto& test = exported.at("tests").at(0);
  EXPECT_TRUE(test.at("valid"));
  EXPECT_THAT(configurationOf(test)["Non-fabric overhead"], StartsWith(operation + " of 0 B "));
  EXPECT_THAT(pointsOf(test, "transfer_p99_us"),
              ElementsAre("4 KiB, 1 QP, one at a time", "64 B, 1 QP, one at a time",
                          "64 KiB, 1 QP, one at a time"));
  for (const auto& [point, min] : kpisOf(test, "transfer_min_us")) EXPECT_GT(min, 1) << point;
  const auto bandwidth = kpisOf(test, "kv_gigabytes_per_s");
  EXPECT_EQ(bandwidth.size(), 3U);
  for (const auto& [point, rate] : bandwidth) EXPECT_GT(rate, 0) << point;
  checkNicFigures(test);
}

// Card and device have run one scenario, and the report has both.
void checkComparison(const std::filesystem::path& results) {
  const nlohmann::json exported = exportOf(results);
  EXPECT_EQ(exported.at("bench"), "compare-verbs");
  ASSERT_EQ(exported.at("tests").size(), 3U);
  for (const auto& test : exported.at("tests")) {
    SCOPED_TRACE(test.at("id").get<std::string>());
    EXPECT_TRUE(test.at("valid"));
    const auto& table = *std::find_if(
        test.at("tables").begin(), test.at("tables").end(),
        [](const nlohmann::json& one) { return one.at("title") == "Both benches side by side"; });
    EXPECT_THAT(table.at("columns").dump(),
                HasSubstr(R"("rtl, tester","verbs, endpoint software")"));
    EXPECT_FALSE(table.at("rows").empty());
    EXPECT_FALSE(kpisOf(test, "discrepancy_percent").empty());
    EXPECT_THAT(configurationOf(test)["Non-fabric overhead (verbs)"], HasSubstr("not subtracted"));
    // Only one of them has a NIC.
    EXPECT_THAT(pointsOf(test, "nic_out_of_sequence"),
                ElementsAre("verbs: rxe0 port 1: out_of_seq_request"));
  }
  // The same message takes longer in software than on the wire.
  const auto& transfers = exported.at("tests").at(2);
  const auto times = kpisOf(transfers, "transfer_min_us");
  for (const std::string message : {"4 KiB", "16 KiB"}) {
    const std::string point = message + ", 1 QP, one at a time";
    ASSERT_TRUE(times.contains("rtl: " + point) && times.contains("verbs: " + point)) << point;
    EXPECT_GT(times.at("rtl: " + point), 0);
    EXPECT_GT(times.at("verbs: " + point), times.at("rtl: " + point));
  }
  const std::string page = reportOf(results);
  EXPECT_THAT(page, HasSubstr("Both benches side by side"));
  EXPECT_THAT(page, HasSubstr("endpoint software against the wire: verbs counts from"));
}

// Until the target program has the target of one more channel, and its messages have begun.
void waitForChannel(GuestMachine& target) {
  target.listen({});  // its earlier output
  const auto deadline = std::chrono::steady_clock::now() + kChannelTime;
  while (std::chrono::steady_clock::now() < deadline) {
    for (const std::string& line : target.listen(std::chrono::milliseconds(100))) {
      if (!line.ends_with("queue pairs")) continue;
      std::this_thread::sleep_for(std::chrono::seconds(1));
      return;
    }
  }
  ADD_FAILURE() << "no channel; the target program says\n" << target.log();
}

TEST(VerbsGuests, TheBenchRunsOnTheKernelsDevice) {
  const std::filesystem::path image = builtPath("roce-guest");
  if (!exists(image / "vmlinuz") || !exists(image / "verbs.img")) {
    GTEST_SKIP() << "no guest in " << image << ": tests/roce_peer/build-guest makes one";
  }
  const roce_peer::SocketDirectory directory;
  const std::filesystem::path disk = directory / "disk";
  std::ofstream(disk).close();
  std::filesystem::resize_file(disk, 8 << 20);

  MachineOptions target;
  target.image = image;
  target.programs = "verbs.img";
  target.memory_mb = kMemory_mb;
  target.mac = "02:00:00:00:00:01";
  target.address = kTargetAddress;
  target.run = {"plumbline-target", "--library",    "verbs",
                "--address",        kTargetAddress, "--no-token"};
  target.socket = directory / "target";
  target.peer_socket = directory / "initiator";
  GuestMachine target_machine(target);

  MachineOptions initiator = target;
  initiator.mac = "02:00:00:00:00:02";
  initiator.address = kInitiatorAddress;
  initiator.run = {"verbs_device_test", "--gtest_color=no", kTargetAddress, kInitiatorAddress};
  initiator.socket = directory / "initiator";
  initiator.peer_socket = directory / "target";
  initiator.disk = disk;
  GuestMachine initiator_machine(initiator);

  EXPECT_THAT(target_machine.waitFor("waiting at", kBootTime), HasSubstr("device rxe0"));
  initiator_machine.waitFor("CUT THE PEER", kTestTime);
  waitForChannel(target_machine);
  target_machine.cut();
  // Every test in the guest passed, and none was left out.
  const std::string end = initiator_machine.waitFor("EXIT ", kTestTime);
  EXPECT_EQ(end, "EXIT 0") << initiator_machine.log() << "\nthe peer:\n" << target_machine.log();
  EXPECT_THAT(initiator_machine.log(), HasSubstr("[  PASSED  ]"));
  EXPECT_THAT(initiator_machine.log(), Not(HasSubstr("[  SKIPPED ]")));
  std::cout << initiator_machine.log();

  const std::filesystem::path log = directory / "log";
  ASSERT_EQ(shell("tar -x -f " + disk.string() + " -C " + disk.parent_path().string(), log), 0)
      << contentsOf(log);
  checkThroughputAndLatency(directory / "results");
  checkTransfers(directory / "kv-write", "write");
  checkTransfers(directory / "kv-write-immediate", "write with immediate");
  checkTransfers(directory / "kv-send", "send");
  checkTransfers(directory / "kv-read", "read");
  checkComparison(directory / "compare");
}

}  // namespace
}  // namespace plumbline::bench_verbs
