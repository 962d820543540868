#include "endpoint/device_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "bench/sim/nic_figures.h"
#include "tests/endpoint/fake_sys.h"

namespace plumbline::endpoint {
namespace {

using bench::HostCounter;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class DeviceCounters : public FakeSys {
 protected:
  // Counters of the device's port, all of them 1.
  void count(const std::string& device, const std::vector<std::string>& names) {
    const std::string directory = "sys/class/infiniband/" + device + "/ports/1/hw_counters/";
    for (const std::string& name : names) write(directory + name, "1\n");
  }
  // Figures that the device does not count, with their reasons.
  std::map<std::string, std::string> uncounted(const std::string& device,
                                               const std::string& driver) {
    std::map<std::string, std::string> reasons;
    for (const auto& [what, why] :
         uncountedFigures(device, driver, deviceCounters(device, 1, root()))) {
      reasons[what] = why;
    }
    return reasons;
  }
  static std::vector<std::string> namesOf(const std::map<std::string, std::string>& reasons) {
    std::vector<std::string> names;
    names.reserve(reasons.size());
    for (const auto& [name, why] : reasons) names.push_back(name);
    return names;
  }
};

TEST_F(DeviceCounters, AreReadAndWhatIsNoneIsLeftOut) {
  const std::string port = "sys/class/infiniband/rxe0/ports/1/";
  write(port + "hw_counters/out_of_seq_request", "3\n");
  write(port + "hw_counters/lifespan", "10\n");
  write(port + "counters/port_rcv_data", "18446744073709551615\n");
  write(port + "counters/broken", "N/A (no PMA)\n");
  write(port + "counters/too_large", "18446744073709551616\n");
  write(port + "counters/empty", "");
  write("sys/class/infiniband/rxe0/hw_counters/of_the_device", "7\n");
  EXPECT_THAT(deviceCounters("rxe0", 1, root()),
              ElementsAre(HostCounter{"rxe0 of_the_device", 7},
                          HostCounter{"rxe0 port 1 out_of_seq_request", 3},
                          HostCounter{"rxe0 port 1 port_rcv_data", ~std::uint64_t{0}}));
  EXPECT_THAT(deviceCounters("rxe1", 1, root()), IsEmpty());
}

TEST(CounterDifference, IsOfWhatIsKnownTwiceAndWasNotReset) {
  EXPECT_THAT(
      counterDifference({{"a", 5}, {"b", 9}, {"gone", 1}}, {{"a", 8}, {"b", 2}, {"new", 4}}),
      ElementsAre(HostCounter{"a", 3}));
}

// The names of a ConnectX, with those of unrelated counters between them.
TEST_F(DeviceCounters, OfAConnectXHaveEveryFigure) {
  count("mlx5_0",
        {"out_of_buffer", "out_of_sequence", "duplicate_request", "rnr_nak_retry_err",
         "packet_seq_err", "implied_nak_seq_err", "local_ack_timeout_err", "rp_cnp_ignored",
         "rp_cnp_handled", "np_ecn_marked_roce_packets", "np_cnp_sent"});
  EXPECT_THAT(uncounted("mlx5_0", "mlx5_core"), IsEmpty());
}

TEST_F(DeviceCounters, OfOlderFirmwareSayWhatIsNotShown) {
  count("mlx5_0", {"packet_seq_err", "out_of_sequence"});
  const auto reasons = uncounted("mlx5_0", "mlx5_core");
  EXPECT_THAT(namesOf(reasons), ElementsAre("CNPs handled", "CNPs sent"));
  EXPECT_THAT(reasons.at("CNPs sent"), HasSubstr("mlx5_0 does not show np_cnp_sent"));
}

TEST_F(DeviceCounters, OfOtherDriversHaveWhatTheyHave) {
  count("mlx4_0", {"sq_num_oos", "sq_num_to", "rq_num_oos"});
  EXPECT_THAT(namesOf(uncounted("mlx4_0", "mlx4_core")), ElementsAre("CNPs handled", "CNPs sent"));
  count("bnxt_re0", {"to_retransmits", "seq_err_naks_rcvd", "rnr_naks_rcvd", "oos_drop_count",
                     "tx_cnp_pkts", "rx_cnp_pkts"});
  EXPECT_THAT(uncounted("bnxt_re0", "bnxt_en"), IsEmpty());
  count("irdma0", {"RetransSegs", "cnpSent", "cnpHandled", "cnpIgnored"});
  EXPECT_THAT(namesOf(uncounted("irdma0", "ice")), ElementsAre("packets out of sequence"));
  count("rdmap0s6", {"retrans_pkts", "retrans_bytes", "rx_drops"});
  EXPECT_THAT(namesOf(uncounted("rdmap0s6", "efa")),
              ElementsAre("CNPs handled", "CNPs sent", "packets out of sequence"));
  count("mana_0", {"requester_timeout", "responder_oos", "received_cnps"});
  write("sys/class/infiniband/mana_0/hw_counters/sent_cnps", "1\n");
  EXPECT_THAT(uncounted("mana_0", "mana"), IsEmpty());
}

TEST_F(DeviceCounters, OfSoftRoceHaveNoneForCnps) {
  count("rxe0", {"completer_retry_err", "rcvd_rnr_err", "out_of_seq_request", "sent_pkts"});
  const auto reasons = uncounted("rxe0", "rdma_rxe");
  EXPECT_THAT(namesOf(reasons), ElementsAre("CNPs handled", "CNPs sent"));
  EXPECT_EQ(reasons.at("CNPs sent"),
            "rxe0 has no counter for CNPs sent: its driver rdma_rxe has none");
}

TEST_F(DeviceCounters, OfAnUnknownDriverSayThatTheirNamesAreNotKnown) {
  count("new0", {"cnps"});
  EXPECT_THAT(uncounted("new0", "newdrv").at("CNPs sent"),
              HasSubstr("what the driver newdrv of new0 calls them is not known"));
  EXPECT_THAT(uncounted("new0", "").at("retransmissions"),
              HasSubstr("/sys does not name the driver of new0"));
}

// Every name of the table means the same figure for every driver.
TEST(NicFigures, AreToldByTheNamesOfTheirCounters) {
  for (const char* driver :
       {"mlx5_core", "mlx4_core", "bnxt_en", "ice", "efa", "mana", "rdma_rxe"}) {
    EXPECT_TRUE(bench::isKnownNicDriver(driver)) << driver;
    for (const bench::NicFigure figure : bench::kNicFigures) {
      for (const std::string_view name : bench::countersOf(driver, figure)) {
        EXPECT_EQ(bench::figureOfCounter(name), figure) << name;
      }
    }
  }
  EXPECT_FALSE(bench::figureOfCounter("rp_cnp_ignored"));
  EXPECT_EQ(bench::counterOf({"mlx5_0 port 1 out_of_sequence", 0}), "out_of_sequence");
  EXPECT_EQ(bench::counterOwner({"mlx5_0 port 1 out_of_sequence", 0}), "mlx5_0 port 1");
  EXPECT_EQ(bench::counterOwner({"alone", 0}), "");
}

}  // namespace
}  // namespace plumbline::endpoint
