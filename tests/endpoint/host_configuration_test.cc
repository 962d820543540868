#include "endpoint/host_configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/endpoint/fake_sys.h"

namespace plumbline::endpoint {
namespace {

using testing::StartsWith;

using HostConfiguration = FakeSys;

TEST_F(HostConfiguration, ReadsWhatThereIs) {
  write("proc/cpuinfo", "processor : 0\nmodel name\t: A Fast One @ 3.00GHz\nmodel name\t: Other\n");
  write("proc/self/status", "Name:\tplumbline\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,6\n");
  for (int cpu = 0; cpu < 12; ++cpu) {
    write("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/scaling_governor",
          "performance\n");
  }
  write("sys/devices/system/cpu/cpufreq/boost", "1\n");
  write("sys/devices/system/node/node0/cpulist", "0-3\n");
  write("sys/devices/system/node/node1/cpulist", "4-7\n");
  write("sys/devices/system/node/online", "0-1\n");
  write("sys/class/iommu/dmar1/intel-iommu/cap", "0\n");
  write("sys/class/iommu/dmar0/intel-iommu/cap", "0\n");
  write("sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "512\n");
  write("sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "500\n");
  write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  auto host = mapOf(hostConfiguration(root()));
  EXPECT_THAT(host["Processor"], StartsWith("A Fast One @ 3.00GHz, "));
  EXPECT_EQ(host["Processors for the bench"], "0-3,6");
  EXPECT_EQ(host["Frequency governor"], "performance");
  EXPECT_EQ(host["NUMA nodes"], "2");
  EXPECT_EQ(host["IOMMU"], "dmar0, dmar1");
  EXPECT_EQ(host["Huge pages"], "500 of 512 free of 2048kB; transparent ones madvise");
  EXPECT_FALSE(host["Kernel"].empty());
  EXPECT_FALSE(host["Limit of locked memory"].empty());
}

// One processor that sleeps spoils a latency as well as all.
TEST_F(HostConfiguration, TellsProcessorsApartWhoseGovernorsDiffer) {
  write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  write("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
  write("sys/devices/system/cpu/cpu10/cpufreq/scaling_governor", "performance\n");
  EXPECT_EQ(mapOf(hostConfiguration(root()))["Frequency governor"],
            "performance of 2 processors, powersave of 1 processors");
}

TEST_F(HostConfiguration, SaysWhyItKnowsNothing) {
  auto host = mapOf(hostConfiguration(root()));
  EXPECT_THAT(host["Processor"], StartsWith("model unknown (/proc/cpuinfo does not name it), "));
  EXPECT_EQ(host["Processors for the bench"], "unknown, /proc/self/status has none");
  EXPECT_THAT(host["Frequency governor"], StartsWith("unknown, no driver of this kernel sets "));
  EXPECT_EQ(host["NUMA nodes"], "unknown, there is no /sys/devices/system/node");
  EXPECT_EQ(host["IOMMU"], "none in use (/sys/class/iommu has none)");
  EXPECT_EQ(host["Huge pages"],
            "unknown, there is no /sys/kernel/mm/hugepages; transparent ones unknown, the kernel "
            "has none");
}

}  // namespace
}  // namespace plumbline::endpoint
