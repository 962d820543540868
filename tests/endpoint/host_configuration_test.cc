#include "endpoint/host_configuration.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "tests/results/temp_directory.h"

namespace plumbline::endpoint {
namespace {

namespace fs = std::filesystem;
using bench::HostCounter;

class HostConfiguration : public testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) {
    const fs::path path = fs::path(root()) / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  [[nodiscard]] std::string root() const { return directory_.path().string(); }
  static std::map<std::string, std::string> mapOf(const Configuration& configuration) {
    return {configuration.begin(), configuration.end()};
  }

 private:
  TempDirectory directory_;
};

TEST_F(HostConfiguration, ReadsWhatThereIs) {
  write("proc/cpuinfo", "processor : 0\nmodel name\t: A Fast One @ 3.00GHz\nmodel name\t: Other\n");
  write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  write("sys/devices/system/node/node0/cpulist", "0-3\n");
  write("sys/devices/system/node/node1/cpulist", "4-7\n");
  write("sys/devices/system/node/online", "0-1\n");
  auto host = mapOf(hostConfiguration(root()));
  EXPECT_TRUE(host["Processor"].starts_with("A Fast One @ 3.00GHz, "));
  EXPECT_EQ(host["Frequency governor"], "performance");
  EXPECT_EQ(host["NUMA nodes"], "2");
  EXPECT_FALSE(host["Kernel"].empty());
}

TEST_F(HostConfiguration, SaysWhatItCannotRead) {
  auto host = mapOf(hostConfiguration(root()));
  EXPECT_TRUE(host["Processor"].starts_with("unknown, "));
  EXPECT_EQ(host["Frequency governor"], "unknown");
  EXPECT_EQ(host["NUMA nodes"], "unknown");
  auto device = mapOf(deviceConfiguration("mlx5_0", root()));
  EXPECT_EQ(device["Driver"], "unknown");
  EXPECT_EQ(device["Firmware"], "unknown");
  EXPECT_EQ(device["PCIe link"], "unknown");
}

TEST_F(HostConfiguration, ReadsADevice) {
  write("sys/class/infiniband/mlx5_0/fw_ver", "22.38.1002\n");
  write("sys/class/infiniband/mlx5_0/device/numa_node", "1\n");
  write("sys/class/infiniband/mlx5_0/device/current_link_speed", "16.0 GT/s PCIe\n");
  write("sys/class/infiniband/mlx5_0/device/current_link_width", "16\n");
  fs::create_symlink("/drivers/mlx5_core", root() + "/sys/class/infiniband/mlx5_0/device/driver");
  auto device = mapOf(deviceConfiguration("mlx5_0", root()));
  EXPECT_EQ(device["Firmware"], "22.38.1002");
  EXPECT_EQ(device["Driver"], "mlx5_core");
  EXPECT_EQ(device["NUMA node of the device"], "1");
  EXPECT_EQ(device["PCIe link"], "16.0 GT/s PCIe, x16");
}

// A software device has no hardware of its own.
TEST_F(HostConfiguration, ReadsTheInterfaceBelowSoftRoce) {
  write("sys/class/infiniband/rxe0/parent", "eth3\n");
  write("sys/class/infiniband/rxe0/fw_ver", "\n");
  write("sys/class/net/eth3/device/numa_node", "0\n");
  fs::create_symlink("/drivers/ixgbe", root() + "/sys/class/net/eth3/device/driver");
  auto device = mapOf(deviceConfiguration("rxe0", root()));
  EXPECT_EQ(device["Driver"], "soft-RoCE in the kernel, on eth3 (ixgbe)");
  EXPECT_EQ(device["Firmware"], "unknown");
  EXPECT_EQ(device["NUMA node of the device"], "0");
}

TEST_F(HostConfiguration, ReadsCountersAndLeavesOutWhatIsNone) {
  const std::string port = "sys/class/infiniband/rxe0/ports/1/";
  write(port + "hw_counters/out_of_seq_request", "3\n");
  write(port + "hw_counters/lifespan", "10\n");
  write(port + "counters/port_rcv_data", "18446744073709551615\n");
  write(port + "counters/broken", "N/A (no PMA)\n");
  write(port + "counters/too_large", "18446744073709551616\n");
  write(port + "counters/empty", "");
  EXPECT_EQ(deviceCounters("rxe0", 1, root()),
            (std::vector<HostCounter>{{"rxe0 port 1 out_of_seq_request", 3},
                                      {"rxe0 port 1 port_rcv_data", ~std::uint64_t{0}}}));
  EXPECT_TRUE(deviceCounters("rxe0", 2, root()).empty());
}

TEST(HostCounters, DifferWhereBothAreKnownAndNoneWasReset) {
  EXPECT_EQ(counterDifference({{"a", 5}, {"b", 9}, {"gone", 1}}, {{"a", 8}, {"b", 2}, {"new", 4}}),
            (std::vector<HostCounter>{{"a", 3}}));
}

}  // namespace
}  // namespace plumbline::endpoint
