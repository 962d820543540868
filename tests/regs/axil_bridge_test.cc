// The register bridge between two clocks, against a slave of ours: random clocks that stop, run on
// and are reset at any moment. Each access has an address of its own, by which the slave's ledger
// says what became of it.
#include <Vplumb_axil_bridge.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace plumbline {
namespace {

constexpr std::uint8_t kOkay = 0;
constexpr std::uint8_t kSlaveError = 2;
constexpr int kTimeoutClocks = 1'023;  // as tests/regs/CMakeLists.txt has it
constexpr int kBoundClocks = kTimeoutClocks + 8;
constexpr std::uint32_t kLocalBase = 0xB000;

class BridgeBench {
 public:
  struct Access {
    bool write = false;
    std::uint32_t address = 0;
    std::uint32_t data = 0;  // of a write; afterwards what a read gave
    std::uint8_t response = 0xFF;
    int clocks = 0;  // from the last handshake to the response
  };
  // What the slave has carried out.
  struct Done {
    bool write;
    std::uint32_t address;
    std::uint32_t data;
  };

  BridgeBench(std::uint32_t seed, std::int64_t host_period_ps, std::int64_t card_period_ps)
      : random_(seed), host_period_(host_period_ps), card_period_(card_period_ps) {
    bridge_->rst_ni = 0;
    bridge_->m_rst_ni = 0;
    bridge_->eval();
    next_card_ = card_period_ + static_cast<std::int64_t>(random_() % 1'000);
    for (int i = 0; i < 4; ++i) hostClock();
    bridge_->rst_ni = 1;
    bridge_->m_rst_ni = 1;
    bridge_->eval();
  }

  // How the other side behaves from now on.
  bool card_clock_runs = true;
  int most_latency = 20;  // card clocks to an answer
  bool slave_answers = true;
  std::vector<Done> ledger;
  std::map<std::uint32_t, std::uint32_t> local_memory;

  void resetCard(bool in_reset) {
    bridge_->m_rst_ni = in_reset ? 0 : 1;
    bridge_->eval();
    if (in_reset) {
      slave_aw_.reset();
      slave_w_.reset();
      slave_ar_.reset();
      carried_out_ = false;
      answer_in_ = 0;
      bridge_->m_axil_bvalid_i = 0;
      bridge_->m_axil_rvalid_i = 0;
      bridge_->eval();
    }
  }
  [[nodiscard]] bool reachable() const { return bridge_->reachable_o != 0; }
  std::uint32_t random() { return static_cast<std::uint32_t>(random_()); }

  // `what` happens so many clocks of the host from now, in the middle of whatever is under way
  // then.
  void schedule(int clocks, std::function<void()> what) {
    accident_in_ = clocks;
    accident_ = std::move(what);
  }

  // Lets the host's clock run, and with it time.
  void hostClocks(int count) {
    for (int i = 0; i < count; ++i) hostClock();
  }

  // Carries out one access, or a read and a write that wait together, as a host does.
  void run(Access* write, Access* read) {
    auto& s = *bridge_;
    bool aw = write != nullptr;
    bool w = write != nullptr;
    bool ar = read != nullptr;
    bool b = write != nullptr;
    bool r = read != nullptr;
    int since = 0;
    const int limit = 2 * kBoundClocks + 100;
    for (int clock = 0; (b || r) && clock < limit; ++clock) {
      s.s_axil_awvalid_i = aw;
      s.s_axil_wvalid_i = w;
      s.s_axil_arvalid_i = ar;
      if (write != nullptr) {
        s.s_axil_awaddr_i = static_cast<std::uint16_t>(write->address);
        s.s_axil_wdata_i = write->data;
        s.s_axil_wstrb_i = 15;
      }
      if (read != nullptr) s.s_axil_araddr_i = static_cast<std::uint16_t>(read->address);
      s.s_axil_bready_i = 1;
      s.s_axil_rready_i = 1;
      s.eval();
      aw = aw && s.s_axil_awready_o == 0;
      w = w && s.s_axil_wready_o == 0;
      ar = ar && s.s_axil_arready_o == 0;
      if (b && s.s_axil_bvalid_o != 0) {
        b = false;
        write->response = s.s_axil_bresp_o;
        write->clocks = since;
      }
      if (r && s.s_axil_rvalid_o != 0) {
        r = false;
        read->response = s.s_axil_rresp_o;
        read->data = s.s_axil_rdata_o;
        read->clocks = since;
      }
      if (!aw && !w && !ar) ++since;
      hostClock();
    }
    s.s_axil_awvalid_i = s.s_axil_wvalid_i = s.s_axil_arvalid_i = 0;
    ASSERT_FALSE(b || r) << "no answer";
  }

  Access write(std::uint32_t address, std::uint32_t data) {
    Access access{true, address, data};
    run(&access, nullptr);
    return access;
  }
  Access read(std::uint32_t address) {
    Access access{false, address};
    run(nullptr, &access);
    return access;
  }

 private:
  // One period of the host's clock; the card's edges within it come at their own times.
  void hostClock() {
    const std::int64_t edge = now_ + host_period_;
    while (next_card_ < edge) {
      now_ = next_card_;
      next_card_ += card_period_;
      if (card_clock_runs) cardClock();
    }
    now_ = edge;
    if (accident_ && accident_in_-- == 0) std::exchange(accident_, {})();
    auto& s = *bridge_;
    // The local registers, as a generated decoder has them.
    const bool local = s.local_wen_o != 0 || s.local_ren_o != 0;
    const bool local_read = s.local_ren_o != 0;
    const std::uint32_t at = s.local_addr_o * 4U;
    if (s.local_wen_o != 0) local_memory[at] = s.local_wdata_o;
    s.clk_i = 1;
    s.eval();
    s.local_ack_i = local;
    if (local_read) s.local_rdata_i = local_memory[at];
    s.clk_i = 0;
    s.eval();
  }

  void cardClock() {
    auto& s = *bridge_;
    const bool out_of_reset = s.m_rst_ni != 0;
    // Pins of this clock, sampled by both sides at its edge.
    s.m_axil_awready_i = !slave_aw_ && random_() % 2 == 0;
    s.m_axil_wready_i = !slave_w_ && random_() % 2 == 0;
    s.m_axil_arready_i = !slave_ar_ && random_() % 2 == 0;
    s.eval();
    const bool aw = s.m_axil_awvalid_o != 0 && s.m_axil_awready_i != 0;
    const bool w = s.m_axil_wvalid_o != 0 && s.m_axil_wready_i != 0;
    const bool ar = s.m_axil_arvalid_o != 0 && s.m_axil_arready_i != 0;
    const bool b = s.m_axil_bvalid_i != 0 && s.m_axil_bready_o != 0;
    const bool r = s.m_axil_rvalid_i != 0 && s.m_axil_rready_o != 0;
    const std::uint32_t address = aw ? s.m_axil_awaddr_o : s.m_axil_araddr_o;
    const std::uint32_t data = s.m_axil_wdata_o;
    s.m_clk_i = 1;
    s.eval();
    if (out_of_reset) {
      if (b) s.m_axil_bvalid_i = 0;
      if (r) s.m_axil_rvalid_i = 0;
      if (aw) slave_aw_ = address;
      if (w) slave_w_ = data;
      if (ar) slave_ar_ = address;
      answer();
    }
    s.m_clk_i = 0;
    s.eval();
  }

  // The slave: an access is carried out when all of it is there, and answered some clocks later.
  void answer() {
    auto& s = *bridge_;
    if (answer_in_ > 0) {
      --answer_in_;
      return;
    }
    if (!slave_answers || s.m_axil_bvalid_i != 0 || s.m_axil_rvalid_i != 0) return;
    if (!carried_out_ && slave_aw_ && slave_w_) {
      ledger.push_back({true, *slave_aw_, *slave_w_});
      carried_out_ = true;
      answer_in_ = static_cast<int>(random_() % static_cast<std::uint32_t>(most_latency + 1));
    } else if (!carried_out_ && slave_ar_) {
      token_ = static_cast<std::uint32_t>(random_());
      ledger.push_back({false, *slave_ar_, token_});
      carried_out_ = true;
      answer_in_ = static_cast<int>(random_() % static_cast<std::uint32_t>(most_latency + 1));
    } else if (carried_out_ && slave_aw_) {
      slave_aw_.reset();
      slave_w_.reset();
      carried_out_ = false;
      s.m_axil_bvalid_i = 1;
      s.m_axil_bresp_i = kOkay;
    } else if (carried_out_ && slave_ar_) {
      slave_ar_.reset();
      carried_out_ = false;
      s.m_axil_rvalid_i = 1;
      s.m_axil_rresp_i = kOkay;
      s.m_axil_rdata_i = token_;
    }
  }

  std::unique_ptr<VerilatedContext> context_ = std::make_unique<VerilatedContext>();
  std::unique_ptr<Vplumb_axil_bridge> bridge_ =
      std::make_unique<Vplumb_axil_bridge>(context_.get());
  std::mt19937 random_;
  std::int64_t host_period_;
  std::int64_t card_period_;
  std::int64_t now_ = 0;
  std::int64_t next_card_ = 0;
  std::optional<std::uint32_t> slave_aw_;
  std::optional<std::uint32_t> slave_w_;
  std::optional<std::uint32_t> slave_ar_;
  std::uint32_t token_ = 0;
  bool carried_out_ = false;
  int answer_in_ = 0;
  int accident_in_ = 0;
  std::function<void()> accident_;
};

// Periods [ps] of the host's and the card's clock: 10:1 to 1:10, and those of the packed kernel.
struct Clocks {
  std::int64_t host;
  std::int64_t card;
};
constexpr Clocks kClocks[] = {{1'000, 10'000}, {1'000, 3'300},  {3'333, 3'103}, {3'333, 3'334},
                              {3'300, 1'000},  {10'000, 1'000}, {10'000, 3'103}};

// Holds the ledger against what the host was answered.
class Oracle {
 public:
  explicit Oracle(BridgeBench& bench) : bench_(bench) {}

  void judge(const BridgeBench::Access& access, bool alone) {
    ASSERT_LE(access.clocks, alone ? kBoundClocks : 2 * kBoundClocks);
    issued_.push_back(access);
    if (access.response == kOkay) ++okay;
    ASSERT_TRUE(access.response == kOkay || access.response == kSlaveError);
    if (access.response == kSlaveError && !access.write) {
      ASSERT_EQ(access.data, 0U);
    }
  }

  // Everything: what was answered well is in the ledger once, nothing is in it twice, and all of it
  // in the order in which it was issued.
  void finish() {
    std::map<std::uint32_t, std::size_t> place;
    for (std::size_t i = 0; i < issued_.size(); ++i) place[issued_[i].address] = i;
    std::vector<int> times(issued_.size());
    std::size_t last = 0;
    for (const BridgeBench::Done& done : bench_.ledger) {
      ASSERT_TRUE(place.contains(done.address)) << "carried out, but never asked for";
      const std::size_t i = place[done.address];
      ASSERT_EQ(done.write, issued_[i].write);
      if (done.write || issued_[i].response == kOkay) {
        ASSERT_EQ(done.data, issued_[i].data);
      }
      ASSERT_GE(i, last) << "carried out behind a later one";
      last = i;
      ++times[i];
    }
    for (std::size_t i = 0; i < issued_.size(); ++i) {
      ASSERT_LE(times[i], 1) << "doubled: " << i;
      if (issued_[i].response == kOkay) {
        ASSERT_EQ(times[i], 1) << "lost: " << i;
      }
    }
  }

  int okay = 0;

 private:
  BridgeBench& bench_;
  std::vector<BridgeBench::Access> issued_;
};

// Addresses of accesses to the other side: each once, none of the local block.
std::uint32_t addressOf(int number) { return static_cast<std::uint32_t>(number) * 4; }
constexpr int kAddresses = static_cast<int>(kLocalBase / 4);

TEST(AxilBridge, WithClocksThatRunNothingIsLostOrDoubled) {
  std::uint32_t seed = 1;
  for (const Clocks& clocks : kClocks) {
    BridgeBench bench(seed++, clocks.host, clocks.card);
    Oracle oracle(bench);
    bench.hostClocks(200);
    ASSERT_TRUE(bench.reachable());
    for (int n = 0; n < 2'000; ++n) {
      const bool write = bench.random() % 2 == 0;
      BridgeBench::Access access =
          write ? bench.write(addressOf(n), bench.random()) : bench.read(addressOf(n));
      ASSERT_EQ(access.response, kOkay) << clocks.host << ":" << clocks.card;
      oracle.judge(access, true);
    }
    oracle.finish();
    EXPECT_EQ(oracle.okay, 2'000);
  }
}

TEST(AxilBridge, ReadAndWriteTogetherAreBothServed) {
  BridgeBench bench(9, 3'333, 3'103);
  Oracle oracle(bench);
  bench.hostClocks(200);
  for (int n = 0; n < 500; ++n) {
    BridgeBench::Access write{true, addressOf(2 * n), bench.random()};
    BridgeBench::Access read{false, addressOf(2 * n + 1)};
    bench.run(&write, &read);
    ASSERT_EQ(write.response, kOkay);
    ASSERT_EQ(read.response, kOkay);
    oracle.judge(write, false);
    oracle.judge(read, false);
  }
  oracle.finish();
}

TEST(AxilBridge, ADeadClockIsAnsweredWithinTheBoundAndThenAtOnce) {
  for (const Clocks& clocks : kClocks) {
    BridgeBench bench(20, clocks.host, clocks.card);
    bench.hostClocks(200);
    bench.card_clock_runs = false;
    const BridgeBench::Access first = bench.write(0x100, 1);
    EXPECT_EQ(first.response, kSlaveError);
    EXPECT_GE(first.clocks, kTimeoutClocks);
    EXPECT_LE(first.clocks, kBoundClocks);
    for (int i = 0; i < 20; ++i) {
      const BridgeBench::Access next = bench.read(0x104);
      EXPECT_EQ(next.response, kSlaveError);
      EXPECT_EQ(next.data, 0U);
      EXPECT_LE(next.clocks, 8);
    }
    EXPECT_FALSE(bench.reachable());
    // The clock comes back, and with it the other side; what was given up is not made up for.
    bench.card_clock_runs = true;
    bench.hostClocks(200);
    EXPECT_TRUE(bench.reachable());
    EXPECT_EQ(bench.write(0x108, 7).response, kOkay);
    for (const BridgeBench::Done& done : bench.ledger) EXPECT_NE(done.address, 0x104U);
    EXPECT_EQ(bench.ledger.back().address, 0x108U);
  }
}

TEST(AxilBridge, ASideInResetIsAnsweredAtOnce) {
  for (const Clocks& clocks : kClocks) {
    BridgeBench bench(30, clocks.host, clocks.card);
    bench.hostClocks(200);
    bench.resetCard(true);
    bench.hostClocks(4);
    const BridgeBench::Access access = bench.read(0x100);
    EXPECT_EQ(access.response, kSlaveError);
    EXPECT_LE(access.clocks, 8);
    bench.resetCard(false);
    bench.hostClocks(200);
    EXPECT_EQ(bench.read(0x104).response, kOkay);
  }
}

TEST(AxilBridge, ASlaveThatNeverAnswersCostsOneBoundAndAReset) {
  BridgeBench bench(40, 3'333, 3'103);
  bench.hostClocks(200);
  bench.slave_answers = false;
  EXPECT_EQ(bench.write(0x100, 1).response, kSlaveError);
  bench.hostClocks(200);
  EXPECT_FALSE(bench.reachable()) << "the access is still under way";
  bench.slave_answers = true;
  bench.hostClocks(200);
  EXPECT_TRUE(bench.reachable());
  EXPECT_EQ(bench.write(0x104, 2).response, kOkay);
  ASSERT_EQ(bench.ledger.size(), 2U);
  EXPECT_EQ(bench.ledger[0].address, 0x100U) << "finished before the next one";
}

TEST(AxilBridge, LocalRegistersAnswerWhateverTheOtherSideDoes) {
  BridgeBench bench(50, 3'333, 3'103);
  for (const bool runs : {true, false, true}) {
    bench.card_clock_runs = runs;
    for (std::uint32_t i = 0; i < 200; ++i) {
      const std::uint32_t value = bench.random();
      const BridgeBench::Access write = bench.write(kLocalBase + 4 * i, value);
      const BridgeBench::Access read = bench.read(kLocalBase + 4 * i);
      ASSERT_EQ(write.response, kOkay);
      ASSERT_EQ(read.response, kOkay);
      ASSERT_EQ(read.data, value);
      ASSERT_LE(std::max(write.clocks, read.clocks), 8);
    }
  }
  EXPECT_TRUE(bench.ledger.empty());
}

TEST(AxilBridge, PartialAndMisalignedAccessesAreRefused) {
  BridgeBench bench(60, 3'333, 3'103);
  bench.hostClocks(200);
  for (const std::uint32_t base : {0x100U, kLocalBase}) {
    EXPECT_EQ(bench.read(base + 2).response, kSlaveError);
    EXPECT_EQ(bench.write(base + 1, 5).response, kSlaveError);
  }
  EXPECT_TRUE(bench.ledger.empty());
  EXPECT_TRUE(bench.local_memory.empty());
}

// Clocks that stop and run on, sides that are reset, all at random moments, between and within
// accesses.
TEST(AxilBridge, ClocksThatStopAtAnyMoment) {
  std::uint32_t seed = 100;
  for (int round = 0; round < 5; ++round) {
    for (const Clocks& clocks : kClocks) {
      BridgeBench bench(seed++, clocks.host, clocks.card);
      Oracle oracle(bench);
      const std::function<void()> accidents[] = {
          [&] { bench.card_clock_runs = false; },
          [&] {
            bench.resetCard(true);
            bench.resetCard(false);
          },
          [&] { bench.slave_answers = false; },
          [&] { bench.resetCard(true); },
          [&] {
            bench.card_clock_runs = true;
            bench.slave_answers = true;
            bench.resetCard(false);
          },
      };
      for (int n = 0; n < 2'000 && n < kAddresses; ++n) {
        if (bench.random() % 4 == 0) {
          const std::size_t kind = std::min<std::size_t>(bench.random() % 7, 4);
          bench.schedule(static_cast<int>(bench.random() % 300), accidents[kind]);
        }
        if (bench.random() % 4 == 0) bench.hostClocks(static_cast<int>(bench.random() % 300));
        const BridgeBench::Access access = bench.random() % 2 == 0
                                               ? bench.write(addressOf(n), bench.random())
                                               : bench.read(addressOf(n));
        oracle.judge(access, true);
        if (::testing::Test::HasFatalFailure()) return;
      }
      bench.schedule(0, {});
      bench.card_clock_runs = true;
      bench.slave_answers = true;
      bench.resetCard(false);
      bench.hostClocks(2'000);
      EXPECT_TRUE(bench.reachable()) << clocks.host << ":" << clocks.card;
      oracle.finish();
      EXPECT_GT(oracle.okay, 200) << clocks.host << ":" << clocks.card;
    }
  }
}

}  // namespace
}  // namespace plumbline
