#include "endpoint/device_configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/endpoint/fake_sys.h"

namespace plumbline::endpoint {
namespace {

using testing::Each;
using testing::Pair;
using testing::StartsWith;

class DeviceConfiguration : public FakeSys {
 protected:
  void writeNic() {
    const std::string device = "sys/class/infiniband/mlx5_0/";
    write(device + "fw_ver", "22.38.1002\n");
    write(device + "board_id", "MT_0000000359\n");
    write(device + "device/numa_node", "1\n");
    write(device + "device/current_link_speed", "8.0 GT/s PCIe\n");
    write(device + "device/current_link_width", "8\n");
    write(device + "device/max_link_speed", "16.0 GT/s PCIe\n");
    write(device + "device/max_link_width", "16\n");
    link(device + "device/driver", "mlx5_core");
    link(device + "device/iommu_group", "42");
    write("sys/kernel/iommu_groups/42/type", "identity\n");
    const std::string port = device + "ports/1/";
    write(port + "state", "4: ACTIVE\n");
    write(port + "link_layer", "Ethernet\n");
    write(port + "rate", "100 Gb/sec (4X EDR)\n");
    write(port + "gids/3", "0000:0000:0000:0000:0000:ffff:c612:0002\n");
    write(port + "gid_attrs/types/3", "RoCE v2\n");
    write(port + "gid_attrs/ndevs/3", "ens1\n");
    write("sys/class/net/ens1/mtu", "9000\n");
    write("sys/class/net/ens1/speed", "100000\n");
  }
};

TEST_F(DeviceConfiguration, ReadsANic) {
  writeNic();
  auto device = mapOf(deviceConfiguration({"mlx5_0", 1, 3}, root()));
  EXPECT_EQ(device["Driver"], "mlx5_core");
  EXPECT_EQ(driverOf("mlx5_0", root()), "mlx5_core");
  EXPECT_EQ(device["Firmware"], "22.38.1002");
  EXPECT_EQ(device["Board"], "MT_0000000359");
  EXPECT_EQ(device["NUMA node of the device"], "1");
  EXPECT_EQ(device["PCIe link"], "8.0 GT/s PCIe, x8; the device can 16.0 GT/s PCIe, x16");
  EXPECT_EQ(device["IOMMU group of the device"], "42, identity");
  EXPECT_EQ(device["Port 1"], "4: ACTIVE, Ethernet");
  EXPECT_EQ(device["Port's speed and width"], "100 Gb/sec (4X EDR)");
  EXPECT_EQ(device["GID"], "index 3: 0000:0000:0000:0000:0000:ffff:c612:0002, RoCE v2");
  EXPECT_EQ(device["Network interface"], "ens1, MTU 9000 B, 100000 Mb/s");
  EXPECT_EQ(device["ECN as receiver"],
            "unknown, the driver has no /sys/class/net/ens1/ecn/roce_np");
  EXPECT_EQ(device["ECN as sender"], "unknown, the driver has no /sys/class/net/ens1/ecn/roce_rp");
  EXPECT_EQ(device["PFC"],
            "unknown, drivers do not show it under /sys; `dcb pfc show dev ens1` does");
}

TEST_F(DeviceConfiguration, SaysALinkIsAllThatTheDeviceCan) {
  writeNic();
  write("sys/class/infiniband/mlx5_0/device/current_link_speed", "16.0 GT/s PCIe\n");
  write("sys/class/infiniband/mlx5_0/device/current_link_width", "16\n");
  EXPECT_EQ(mapOf(deviceConfiguration({"mlx5_0", 1, 3}, root()))["PCIe link"],
            "16.0 GT/s PCIe, x16");
}

TEST_F(DeviceConfiguration, ReadsWhatADriverShowsOfCongestionControl) {
  writeNic();
  const std::string notification = "sys/class/net/ens1/ecn/roce_np/";
  const std::string reaction = "sys/class/net/ens1/ecn/roce_rp/";
  for (int priority = 0; priority < 8; ++priority) {
    const std::string enabled = "enable/" + std::to_string(priority);
    write(notification + enabled, priority == 3 || priority == 5 ? "1\n" : "0\n");
    write(reaction + enabled, "0\n");
  }
  write(notification + "cnp_dscp", "48\n");
  write(notification + "cnp_802p_prio", "6\n");
  write(notification + "min_time_between_cnps", "4\n");
  auto device = mapOf(deviceConfiguration({"mlx5_0", 1, 3}, root()));
  EXPECT_EQ(device["ECN as receiver"],
            "on for priority 3, 5; cnp_dscp 48; cnp_802p_prio 6; min_time_between_cnps 4");
  EXPECT_EQ(device["ECN as sender"], "off for all priorities");
}

// A software device has no hardware of its own.
TEST_F(DeviceConfiguration, ReadsTheInterfaceBelowSoftRoce) {
  write("sys/class/infiniband/rxe0/parent", "eth3\n");
  write("sys/class/infiniband/rxe0/fw_ver", "\n");
  write("sys/class/net/eth3/device/numa_node", "-1\n");
  write("sys/class/net/eth3/mtu", "4200\n");
  write("sys/class/net/eth3/speed", "-1\n");
  link("sys/class/net/eth3/device/driver", "ixgbe");
  auto device = mapOf(deviceConfiguration({"rxe0", 1, 1}, root()));
  EXPECT_EQ(device["Driver"], "soft-RoCE in the kernel, on eth3 (ixgbe)");
  EXPECT_EQ(driverOf("rxe0", root()), "rdma_rxe");
  EXPECT_EQ(device["Firmware"], "unknown, the driver reports no version");
  EXPECT_EQ(device["NUMA node of the device"], "none that the firmware names");
  EXPECT_EQ(device["Network interface"], "eth3, MTU 4200 B, speed unknown");
}

TEST_F(DeviceConfiguration, SaysWhyItKnowsNothing) {
  const Configuration all = deviceConfiguration({"mlx5_0", 2, 7}, root());
  EXPECT_EQ(driverOf("mlx5_0", root()), "");
  auto device = mapOf(all);
  EXPECT_EQ(device["RDMA device"], "mlx5_0");
  EXPECT_EQ(device["GID"], "index 7: unknown, the port has none of this index");
  EXPECT_EQ(device["IOMMU group of the device"], "none: its addresses are not translated");
  for (const char* told : {"RDMA device", "GID", "IOMMU group of the device"}) device.erase(told);
  EXPECT_THAT(device, Each(Pair(testing::_, StartsWith("unknown, "))));
  EXPECT_EQ(device.size() + 3, all.size());
}

}  // namespace
}  // namespace plumbline::endpoint
