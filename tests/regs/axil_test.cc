// The AXI4-Lite slave under random valid and ready, against a register space in plain memory.
#include <Vplumb_axil.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <random>

#include "tests/regs/clocked.h"

namespace plumbline {
namespace {

constexpr std::uint8_t kOkay = 0;
constexpr std::uint8_t kSlaveError = 2;

// Both sides of the slave: a master per channel with random valid and ready, and a register bus
// that acknowledges after a random time.
class AxilBench {
 public:
  struct Write {
    std::uint32_t address;
    std::uint32_t data;
    std::uint32_t strobe;
  };

  explicit AxilBench(std::uint32_t seed) : random_(seed) {}

  // Percentages: how often a side is willing in a clock.
  int valid_percent = 50;
  int ready_percent = 50;
  int ack_percent = 30;

  std::optional<Write> write;         // to be offered
  std::optional<std::uint32_t> read;  // to be offered
  std::optional<std::uint8_t> write_response;
  std::optional<std::uint8_t> read_response;
  std::uint32_t read_data = 0;

  std::map<std::uint32_t, std::uint32_t> memory;
  int accesses = 0;

  // One clock: decides the pins, notes handshakes, steps.
  void clock() {
    auto& s = *axil_.operator->();
    // A valid that was raised must stay.
    aw_valid_ = write && !aw_done_ && (aw_valid_ || chance(valid_percent));
    w_valid_ = write && !w_done_ && (w_valid_ || chance(valid_percent));
    ar_valid_ = read && !ar_done_ && (ar_valid_ || chance(valid_percent));
    s.s_axil_awvalid_i = aw_valid_;
    s.s_axil_wvalid_i = w_valid_;
    s.s_axil_arvalid_i = ar_valid_;
    s.s_axil_awaddr_i = aw_valid_ ? write->address : random_();
    s.s_axil_wdata_i = w_valid_ ? write->data : random_();
    s.s_axil_wstrb_i = w_valid_ ? write->strobe : random_() & 15;
    s.s_axil_araddr_i = ar_valid_ ? *read : random_();
    s.s_axil_bready_i = chance(ready_percent);
    s.s_axil_rready_i = chance(ready_percent);

    s.reg_ack_i = pending_ && chance(ack_percent);
    s.reg_rdata_i = s.reg_ack_i ? pending_data_ : random_();
    axil_.settle();
    if (s.reg_ack_i) {
      pending_ = false;
    }
    if (s.reg_wen_o || s.reg_ren_o) {
      EXPECT_FALSE(pending_) << "one access at a time";
      ++accesses;
      pending_ = true;
      if (s.reg_wen_o) {
        memory[s.reg_addr_o * 4U] = s.reg_wdata_o;
      }
      pending_data_ = s.reg_ren_o ? memory[s.reg_addr_o * 4U] : 0;
    }

    aw_done_ = aw_done_ || (s.s_axil_awvalid_i && s.s_axil_awready_o);
    w_done_ = w_done_ || (s.s_axil_wvalid_i && s.s_axil_wready_o);
    ar_done_ = ar_done_ || (s.s_axil_arvalid_i && s.s_axil_arready_o);
    if (s.s_axil_bvalid_o && s.s_axil_bready_i) {
      EXPECT_TRUE(aw_done_ && w_done_) << "a response without a request";
      write_response = s.s_axil_bresp_o;
      write.reset();
      aw_done_ = w_done_ = false;
    }
    if (s.s_axil_rvalid_o && s.s_axil_rready_i) {
      EXPECT_TRUE(ar_done_);
      read_response = s.s_axil_rresp_o;
      read_data = s.s_axil_rdata_o;
      read.reset();
      ar_done_ = false;
    }
    axil_.tick();
    ++clocks;
  }

  // Until everything offered is answered; the number of clocks it took.
  int run(int limit = 20'000) {
    const int before = clocks;
    while ((write || read) && clocks - before < limit) {
      clock();
    }
    EXPECT_FALSE(write || read) << "no answer";
    return clocks - before;
  }

  bool chance(int percent) { return static_cast<int>(random_() % 100) < percent; }
  std::uint32_t random() { return static_cast<std::uint32_t>(random_()); }

  int clocks = 0;

 private:
  rtl::Clocked<Vplumb_axil> axil_;
  std::mt19937 random_;
  bool aw_valid_ = false, w_valid_ = false, ar_valid_ = false;
  bool aw_done_ = false, w_done_ = false, ar_done_ = false;
  bool pending_ = false;
  std::uint32_t pending_data_ = 0;
};

TEST(Axil, RandomAccessesUnderRandomBackPressure) {
  for (const int percent : {5, 30, 50, 100}) {
    AxilBench bench(percent);
    bench.valid_percent = bench.ready_percent = bench.ack_percent = percent;
    std::map<std::uint32_t, std::uint32_t> expected;
    for (int i = 0; i < 2'000; ++i) {
      const std::uint32_t address = bench.random() % 64 * 1020;  // multiples of 4 all over
      if (bench.chance(50)) {
        const std::uint32_t data = bench.random();
        bench.write = AxilBench::Write{address, data, 15};
        bench.run();
        ASSERT_EQ(bench.write_response, kOkay);
        expected[address] = data;
      } else {
        bench.read = address;
        bench.run();
        ASSERT_EQ(bench.read_response, kOkay);
        ASSERT_EQ(bench.read_data, expected[address]);
      }
    }
    ASSERT_EQ(bench.accesses, 2'000) << "each access exactly once";
  }
}

TEST(Axil, ReadAndWriteTogetherAreBothServedInTurn) {
  AxilBench bench(1);
  bench.valid_percent = bench.ready_percent = bench.ack_percent = 100;
  for (int i = 0; i < 100; ++i) {
    bench.write_response.reset();
    bench.read_response.reset();
    bench.write = AxilBench::Write{0x100, static_cast<std::uint32_t>(i), 15};
    bench.read = 0x200;
    bench.run();
    ASSERT_EQ(bench.write_response, kOkay);
    ASSERT_EQ(bench.read_response, kOkay);
    ASSERT_EQ(bench.memory[0x100], static_cast<std::uint32_t>(i));
  }
  EXPECT_EQ(bench.accesses, 200);
}

TEST(Axil, NeitherKindStarvesTheOther) {
  AxilBench bench(2);
  bench.valid_percent = bench.ready_percent = bench.ack_percent = 100;
  int writes = 0;
  int reads = 0;
  for (int i = 0; i < 2'000; ++i) {
    if (!bench.write) {
      bench.write = AxilBench::Write{0, 0, 15};
      ++writes;
    }
    if (!bench.read) {
      bench.read = 0;
      ++reads;
    }
    bench.clock();
  }
  EXPECT_GT(writes, 100);
  EXPECT_NEAR(writes, reads, 2);
}

TEST(Axil, AnAccessTakesFiveClocksAtBest) {
  AxilBench bench(3);
  bench.valid_percent = bench.ready_percent = bench.ack_percent = 100;
  bench.write = AxilBench::Write{4, 1, 15};
  bench.run();
  bench.read = 4;
  EXPECT_EQ(bench.run(), 5);
}

TEST(Axil, PartialAndMisalignedAccessesAreRefused) {
  AxilBench bench(4);
  for (std::uint32_t strobe = 0; strobe < 15; ++strobe) {
    bench.write = AxilBench::Write{0x100, 0xDEADBEEF, strobe};
    bench.run();
    EXPECT_EQ(bench.write_response, kSlaveError);
  }
  for (std::uint32_t low = 1; low < 4; ++low) {
    bench.write = AxilBench::Write{0x100 + low, 0xDEADBEEF, 15};
    bench.read = 0x100 + low;
    bench.run();
    EXPECT_EQ(bench.write_response, kSlaveError);
    EXPECT_EQ(bench.read_response, kSlaveError);
    EXPECT_EQ(bench.read_data, 0U);
  }
  EXPECT_EQ(bench.accesses, 0);
  bench.read = 0x100;
  bench.run();
  EXPECT_EQ(bench.read_response, kOkay);
  EXPECT_EQ(bench.read_data, 0U);
}

TEST(Axil, AnAccessNobodyAnswersEndsWithAnError) {
  AxilBench bench(5);
  bench.valid_percent = bench.ready_percent = 100;
  bench.ack_percent = 0;
  bench.read = 0x40;
  const int clocks = bench.run();
  EXPECT_EQ(bench.read_response, kSlaveError);
  EXPECT_GT(clocks, 4095);
  EXPECT_LT(clocks, 4110);
}

}  // namespace
}  // namespace plumbline
