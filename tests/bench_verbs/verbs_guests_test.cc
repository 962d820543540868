// The verbs bench between two virtual machines, each with the kernel's soft-RoCE device: one runs
// plumbline-verbs-target, the other one verbs_device_test and the command, whose results are read
// here. The link is a pair of UNIX sockets; no network of this machine is touched.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/roce_peer/guest_machine.h"

namespace plumbline::bench_verbs {
namespace {

using roce_peer::GuestMachine;
using roce_peer::MachineOptions;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kTargetAddress = "198.18.0.1";
constexpr const char* kInitiatorAddress = "198.18.0.2";
constexpr unsigned kMemory_mb = 640;
constexpr std::chrono::seconds kBootTime{120};
constexpr std::chrono::seconds kTestTime{200};

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

// What the bench found of the host and the device that it ran on.
void checkConfiguration(Configuration found) {
  EXPECT_EQ(found["RDMA device"], "rxe0");
  EXPECT_EQ(found["Driver"], "soft-RoCE in the kernel, on eth0 (virtio_net)");
  EXPECT_EQ(found["Firmware"], "unknown");   // the kernel's device has none
  EXPECT_EQ(found["PCIe link"], "unknown");  // nor has the emulated machine a link with a speed
  EXPECT_THAT(found["Kernel"], StartsWith("Linux 6."));
  EXPECT_THAT(found["Processor"], HasSubstr(", 1 usable"));
  EXPECT_EQ(found["Frequency governor"], "unknown");
  EXPECT_EQ(found["NUMA nodes"], "1");
  EXPECT_FALSE(found["Limit of locked memory"].empty());
  EXPECT_EQ(found["Queue pairs"], "RC, connected out of band");
  EXPECT_EQ(found["Where the endpoints are"],
            "initiators on this host, targets on the one at 198.18.0.1");
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

TEST(VerbsGuests, TheBenchRunsOnTheKernelsDevice) {
  const std::filesystem::path image = PLUMBLINE_ROCE_GUEST;
  if (!exists(image / "vmlinuz") || !exists(image / "verbs.img")) {
    GTEST_SKIP() << "no guest in " PLUMBLINE_ROCE_GUEST ": tests/roce_peer/build-guest makes one";
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
  target.run = {"plumbline-verbs-target", "--address", kTargetAddress};
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
  target_machine.cut();
  // Every test of the guest by itself passed, and none was left out.
  const std::string end = initiator_machine.waitFor("EXIT ", kTestTime);
  EXPECT_EQ(end, "EXIT 0") << initiator_machine.log() << "\nthe peer:\n" << target_machine.log();
  EXPECT_THAT(initiator_machine.log(), HasSubstr("[  PASSED  ]"));
  EXPECT_THAT(initiator_machine.log(), testing::Not(HasSubstr("[  SKIPPED ]")));
  std::cout << initiator_machine.log();

  // The results that the guest's command left, read by this machine's.
  const std::filesystem::path log = directory / "log";
  ASSERT_EQ(shell("tar -x -f " + disk.string() + " -C " + disk.parent_path().string(), log), 0)
      << contentsOf(log);
  ASSERT_EQ(shell(std::string(PLUMBLINE_COMMAND) + " results export --format json --results " +
                      (directory / "results").string(),
                  log),
            0)
      << contentsOf(log);
  const nlohmann::json exported = nlohmann::json::parse(contentsOf(log));
  EXPECT_EQ(exported.at("status"), "done");
  EXPECT_EQ(exported.at("bench"), "verbs");
  ASSERT_EQ(exported.at("tests").size(), 2U);
  for (const auto& test : exported.at("tests")) {
    SCOPED_TRACE(test.at("id").get<std::string>());
    EXPECT_TRUE(test.at("valid"));
    checkConfiguration(configurationOf(test));
    for (const auto& figure : test.at("primary")) {
      EXPECT_EQ(figure.at("observed"), "endpoint-software");
    }
    // The device's own counters: that nothing was given up, and that frames went out.
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
}

}  // namespace
}  // namespace plumbline::bench_verbs
