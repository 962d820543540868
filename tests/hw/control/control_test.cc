// plumb_control by itself: host and processor make accesses together, to blocks core and mac and to
// a card of ours whose clock has any ratio, stops, runs on, and which is reset at any moment. Each
// access has an address of its own, by which ledgers of card and MACs say what became of it.
#include <Vplumb_control.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "card/registers.h"
#include "sim/axi_lite_master.h"
#include "sim/verilated_pins.h"
#include "tests/hw/core/assembler.h"

namespace plumbline::hw_test {
namespace {

namespace core = card::regs::core;
using namespace rv;  // NOLINT(google-build-using-namespace)

constexpr int kHostTimeout = 1'023;  // as CMakeLists.txt has them
constexpr int kCoreTimeout = 1'500;
constexpr int kHostBound = kHostTimeout + 16;
// An access of the processor that its reset has cut short is waited for before the next one.
constexpr int kCoreBound = 2 * kCoreTimeout + 64;
constexpr int kLocalBound = 24;  // behind one of the processor
constexpr std::uint32_t kMacBase = card::regs::mac::kBase;

struct Access {
  bool write = false;
  std::uint32_t address = 0;
  std::uint32_t data = 0;  // of a write; afterwards what a read gave
  bool answered = false;   // false: cut short by the processor's reset
  bool refused = false;
  int clocks = 0;
};

// What card or MACs have carried out.
struct Done {
  bool write;
  std::uint32_t address;
  std::uint32_t data;
};

// Addresses of one master: word `number` of those that it has in the card, or in block mac. Host
// and processor have every other word.
std::uint32_t cardAddress(std::uint32_t number, std::uint32_t master) {
  constexpr std::uint32_t kBlocks[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 13, 14, 15};
  return kBlocks[number / 512 % 14] << 12U | (2 * (number % 512) + master) * 4;
}
std::uint32_t macAddress(std::uint32_t number, std::uint32_t master) {
  return kMacBase | (2 * (number % 512) + master) * 4;
}
constexpr std::uint32_t kHost = 0;
constexpr std::uint32_t kProcessor = 1;

// The card behind plumb_control: it carries out an access when all of it is there, and answers some
// clocks later.
class CardSide {
 public:
  CardSide(Vplumb_control& rtl, std::mt19937& random) : rtl_(rtl), random_(random) {}

  std::uint32_t most_latency = 20;
  bool answers = true;
  std::vector<Done> host_ledger;
  std::vector<Done> core_ledger;

  void reset() {
    host_ = {};
    aw_ = w_ = ar_ = false;
    host_answer_in_.reset();
    core_answer_in_.reset();
    rtl_.m_axil_bvalid_i = rtl_.m_axil_rvalid_i = rtl_.core_ack_i = 0;
  }

  void clock() {
    rtl_.m_axil_awready_i = !aw_ && random_() % 2 == 0;
    rtl_.m_axil_wready_i = !w_ && random_() % 2 == 0;
    rtl_.m_axil_arready_i = !ar_ && random_() % 2 == 0;
    rtl_.eval();
    const bool out_of_reset = rtl_.m_rst_ni != 0;
    const bool aw = rtl_.m_axil_awvalid_o != 0 && rtl_.m_axil_awready_i != 0;
    const bool w = rtl_.m_axil_wvalid_o != 0 && rtl_.m_axil_wready_i != 0;
    const bool ar = rtl_.m_axil_arvalid_o != 0 && rtl_.m_axil_arready_i != 0;
    const bool ended = (rtl_.m_axil_bvalid_i != 0 && rtl_.m_axil_bready_o != 0) ||
                       (rtl_.m_axil_rvalid_i != 0 && rtl_.m_axil_rready_o != 0);
    if (aw || ar) host_ = {aw, aw ? rtl_.m_axil_awaddr_o : rtl_.m_axil_araddr_o, host_.data};
    if (w) host_.data = rtl_.m_axil_wdata_o;
    const bool core_asks = rtl_.core_req_o != 0 && rtl_.core_ack_i == 0;
    const Done asked{rtl_.core_write_o != 0, static_cast<std::uint32_t>(rtl_.core_addr_o) << 2U,
                     rtl_.core_wdata_o};
    rtl_.m_clk_i = 1;
    rtl_.eval();
    if (out_of_reset) {
      aw_ |= aw;
      w_ |= w;
      ar_ |= ar;
      answerHost(ended);
      answerCore(core_asks, asked);
    }
    rtl_.m_clk_i = 0;
    rtl_.eval();
  }

 private:
  [[nodiscard]] int latency() { return static_cast<int>(random_() % (most_latency + 1)); }

  void answerHost(bool ended) {
    if (ended) {
      rtl_.m_axil_bvalid_i = rtl_.m_axil_rvalid_i = 0;
      aw_ = w_ = ar_ = false;
      host_answer_in_.reset();
      return;
    }
    const bool complete = (aw_ && w_) || ar_;
    if (!complete || !answers) return;
    if (!host_answer_in_) {
      if (!host_.write) host_.data = static_cast<std::uint32_t>(random_());
      host_ledger.push_back(host_);
      host_answer_in_ = latency();
    } else if ((*host_answer_in_)-- <= 0) {
      rtl_.m_axil_bvalid_i = host_.write;
      rtl_.m_axil_rvalid_i = !host_.write;
      rtl_.m_axil_rdata_i = host_.data;
    }
  }

  void answerCore(bool asks, Done asked) {
    rtl_.core_ack_i = 0;
    if (!asks || !answers) return;
    if (!core_answer_in_) {
      if (!asked.write) asked.data = static_cast<std::uint32_t>(random_());
      token_ = asked.data;
      core_ledger.push_back(asked);
      core_answer_in_ = latency();
    } else if ((*core_answer_in_)-- <= 0) {
      rtl_.core_ack_i = 1;
      rtl_.core_rdata_i = token_;
      core_answer_in_.reset();
    }
  }

  Vplumb_control& rtl_;
  std::mt19937& random_;
  Done host_{};
  bool aw_ = false;
  bool w_ = false;
  bool ar_ = false;
  std::optional<int> host_answer_in_;
  std::optional<int> core_answer_in_;
  std::uint32_t token_ = 0;
};

class ControlBench {
 public:
  ControlBench(std::uint32_t seed, std::int64_t period_ps, std::int64_t card_period_ps)
      : random_(seed), period_(period_ps), card_period_(card_period_ps) {
    rtl_->rst_ni = 0;
    rtl_->m_rst_ni = 0;
    next_card_ = card_period_ + static_cast<std::int64_t>(random_() % 1'000);
    clocks(4);
    rtl_->rst_ni = 1;
    rtl_->m_rst_ni = 1;
    rtl_->eval();
    clocks(200);
  }

  bool card_clock_runs = true;
  std::vector<Done> mac_ledger;

  CardSide& card() { return card_; }
  std::uint32_t random() { return static_cast<std::uint32_t>(random_()); }
  std::uint32_t below(std::uint32_t limit) { return random() % limit; }
  [[nodiscard]] bool reachable() const { return rtl_->reachable_o != 0; }

  void resetCard(bool in_reset) {
    rtl_->m_rst_ni = in_reset ? 0 : 1;
    rtl_->eval();
    if (in_reset) card_.reset();
    rtl_->eval();
  }

  // `what` happens so many clocks from now.
  void schedule(int clocks, std::function<void()> what) {
    accident_in_ = clocks;
    accident_ = std::move(what);
  }

  void clocks(int count) {
    for (int i = 0; i < count; ++i) clock();
  }

  Access access(bool write, std::uint32_t address, std::uint32_t data) {
    Access done{write, address, data};
    if (write) {
      axi_.startWrite(static_cast<std::uint16_t>(address), data);
    } else {
      axi_.startRead(static_cast<std::uint16_t>(address));
    }
    while (axi_.busy() && done.clocks < 4 * kHostBound) {
      clock();
      ++done.clocks;
    }
    done.answered = !axi_.busy();
    EXPECT_TRUE(done.answered) << "no answer";
    done.refused = axi_.response() != 0;
    if (!write) done.data = axi_.value();
    return done;
  }
  void write(std::uint32_t offset, std::uint32_t value) {
    EXPECT_FALSE(access(true, offset, value).refused);
  }
  std::uint32_t read(std::uint32_t offset) {
    const Access done = access(false, offset, 0);
    EXPECT_FALSE(done.refused);
    return done.data;
  }

 private:
  // One period of the clock that always runs; the card's edges within it come at their own times.
  void clock() {
    const std::int64_t edge = now_ + period_;
    while (next_card_ < edge) {
      next_card_ += card_period_;
      if (card_clock_runs) card_.clock();
    }
    now_ = edge;
    if (accident_ && accident_in_-- == 0) std::exchange(accident_, {})();
    axi_.sample();
    const std::uint32_t address = kMacBase | static_cast<std::uint32_t>(rtl_->mac_addr_o) << 2U;
    const bool writes = rtl_->mac_wen_o != 0;
    const bool reads = rtl_->mac_ren_o != 0;
    EXPECT_FALSE(writes && reads);
    if (writes) mac_ledger.push_back({true, address, rtl_->mac_wdata_o});
    if (reads) mac_ledger.push_back({false, address, random()});
    rtl_->clk_i = 1;
    rtl_->eval();
    if (reads) rtl_->mac_rdata_i = mac_ledger.back().data;
    axi_.drive();
    rtl_->clk_i = 0;
    rtl_->eval();
  }

  std::unique_ptr<VerilatedContext> context_ = std::make_unique<VerilatedContext>();
  std::unique_ptr<Vplumb_control> rtl_ = std::make_unique<Vplumb_control>(context_.get());
  std::mt19937 random_;
  CardSide card_{*rtl_, random_};
  sim::AxiLiteMaster axi_{sim::axiLitePins(*rtl_)};
  std::int64_t period_;
  std::int64_t card_period_;
  std::int64_t now_ = 0;
  std::int64_t next_card_ = 0;
  int accident_in_ = 0;
  std::function<void()> accident_;
};

// The processor's program carries out a list of accesses in its memory: address, whether it writes,
// data; behind them it puts 1, 2 more if the access faulted, and four times the clocks that it
// took. An access is taken off the list before it begins, so that a reset repeats none.
class AccessProgram {
 public:
  explicit AccessProgram(ControlBench& bench) : bench_(bench) {}

  void load(const std::vector<Access>& list) {
    bench_.write(core::kBase + core::kControl, 3);
    store(0, program());
    store(kIndex, {0, static_cast<Word>(list.size())});
    std::vector<Word> words;
    for (const Access& one : list) {
      words.insert(words.end(), {0x8000'0000U | one.address, one.write ? 1U : 0U, one.data, 0});
    }
    store(kTable, words);
    run();
  }
  void run() { bench_.write(core::kBase + core::kControl, 0); }
  void reset() { bench_.write(core::kBase + core::kControl, 2); }
  [[nodiscard]] Word begun() { return fetch(kIndex, 1).front(); }

  void readResults(std::vector<Access>& list) {
    const std::vector<Word> words = fetch(kTable, static_cast<Word>(4 * list.size()));
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Word state = words[4 * i + 3];
      list[i].answered = (state & 1U) != 0;
      list[i].refused = (state & 2U) != 0;
      list[i].clocks = static_cast<int>(state >> 2U);
      if (!list[i].write) list[i].data = words[4 * i + 2];
    }
  }

 private:
  static constexpr Word kIndex = 0x700;
  static constexpr Word kTable = 0x1000;

  static std::vector<Word> program() {
    constexpr Word kMtvec = 0x305;
    constexpr Word kMepc = 0x341;
    constexpr std::int32_t kTrap = 4 * 30;
    return {lui(8, 0x10000), addi(5, 8, kTrap), csrrw(0, kMtvec, 5), lui(9, 0x10001),
            lui(18, 0x40000),
            // 5: loop
            lw(10, 8, kIndex), lw(11, 8, kIndex + 4), bltu(10, 11, 12), kWfi, jal(0, -4),
            slli(12, 10, 4), add(12, 12, 9), addi(13, 10, 1), sw(13, 8, kIndex), lw(14, 12, 0),
            lw(15, 12, 4), lw(16, 12, 8), addi(17, 0, 1), lw(20, 18, 0), bne(15, 0, 12),
            lw(16, 14, 0), jal(0, 8), sw(16, 14, 0),
            // 23: after the access
            lw(21, 18, 0), sub(21, 21, 20), slli(21, 21, 2), add(21, 21, 17), sw(16, 12, 8),
            sw(21, 12, 12), jal(0, -4 * 24),
            // 30: trap
            addi(17, 0, 3), csrrs(22, kMepc, 0), addi(22, 22, 4), csrrw(0, kMepc, 22), kMret};
  }

  void store(Word offset, const std::vector<Word>& words) {
    bench_.write(core::kBase + core::kMemAddress, offset);
    for (const Word word : words) bench_.write(core::kBase + core::kMemWrite, word);
  }
  std::vector<Word> fetch(Word offset, Word count) {
    bench_.write(core::kBase + core::kMemAddress, offset);
    std::vector<Word> words;
    for (Word i = 0; i < count; ++i) words.push_back(bench_.read(core::kBase + core::kMemRead));
    return words;
  }

  ControlBench& bench_;
};

// What was answered well is in the ledger once, with its data; what was refused or cut short at
// most once; nothing else is in it, and all of it in the order in which it was issued.
void judge(const std::vector<Access>& issued, const std::vector<Done>& ledger,
           std::uint32_t master) {
  std::map<std::uint32_t, std::size_t> place;
  for (std::size_t i = 0; i < issued.size(); ++i) place[issued[i].address] = i;
  std::vector<int> times(issued.size());
  std::size_t last = 0;
  for (const Done& done : ledger) {
    if ((done.address >> 2U & 1U) != master) continue;
    ASSERT_TRUE(place.contains(done.address)) << std::hex << done.address << " never asked for";
    const std::size_t i = place[done.address];
    ASSERT_EQ(done.write, issued[i].write);
    if (done.write || (issued[i].answered && !issued[i].refused)) {
      ASSERT_EQ(done.data, issued[i].data) << std::hex << done.address;
    }
    ASSERT_GE(i, last) << "carried out behind a later one";
    last = i;
    ++times[i];
  }
  for (std::size_t i = 0; i < issued.size(); ++i) {
    ASSERT_LE(times[i], 1) << "carried out twice: " << i;
    if (issued[i].answered && !issued[i].refused) {
      ASSERT_EQ(times[i], 1) << "lost: " << i;
    }
  }
}

// Accesses of the processor: to the card, to block mac, and now and then to what it must not reach.
std::vector<Access> drawList(ControlBench& bench, std::uint32_t count) {
  std::vector<Access> list;
  for (std::uint32_t n = 0; n < count; ++n) {
    const std::uint32_t kind = bench.below(8);
    std::uint32_t address = cardAddress(n, kProcessor);
    if (kind < 2) address = macAddress(n, kProcessor);
    if (kind == 2) address = core::kBase | (address & 0xFFCU);
    if (kind == 3 && bench.below(4) == 0) address |= 0x1'0000U;  // beyond the map
    list.push_back({bench.below(2) == 0, address, bench.random()});
  }
  return list;
}
bool isForbidden(const Access& one) { return one.address >> 12U == 9 || one.address >= 0x1'0000; }
bool isMac(const Access& one) { return one.address >> 12U == 0xB; }

struct Clocks {
  std::int64_t control;
  std::int64_t card;
};
constexpr Clocks kClocks[] = {{1'000, 10'000}, {3'333, 3'103}, {3'333, 3'334}, {10'000, 1'000}};

// Host and processor at once; what the host does beside its accesses is in `meanwhile`.
struct Course {
  std::vector<Access> host;
  std::vector<Access> processor;
};
Course runTogether(ControlBench& bench, std::uint32_t count,
                   const std::function<void(AccessProgram&)>& meanwhile) {
  AccessProgram program(bench);
  Course course{{}, drawList(bench, count)};
  program.load(course.processor);
  std::uint32_t number = 0;
  for (int rounds = 0; number < count && rounds < 40'000; ++rounds) {
    meanwhile(program);
    const std::uint32_t kind = bench.below(8);
    const bool write = bench.below(2) == 0;
    if (kind == 0) {
      const std::uint32_t value = bench.random();
      bench.write(core::kBase + core::kDebugData, value);
      EXPECT_EQ(bench.read(core::kBase + core::kDebugData), value);
    } else {
      const std::uint32_t n = number++;
      const std::uint32_t at = kind < 3 ? macAddress(n, kHost) : cardAddress(n, kHost);
      course.host.push_back(bench.access(write, at, bench.random()));
    }
    if (bench.below(4) == 0) bench.clocks(static_cast<int>(bench.below(60)));
    if (::testing::Test::HasFatalFailure()) return course;
  }
  for (int waits = 0; waits < 4'000 && program.begun() < count; ++waits) {
    meanwhile(program);
    bench.clocks(500);
  }
  EXPECT_EQ(program.begun(), count) << "the processor hangs";
  bench.schedule(0, {});
  bench.card_clock_runs = true;
  bench.card().answers = true;
  bench.resetCard(false);
  program.run();
  bench.clocks(3 * kCoreTimeout);
  program.readResults(course.processor);
  return course;
}

void judgeAll(ControlBench& bench, const Course& course) {
  for (const Access& one : course.host) {
    ASSERT_LE(one.clocks, isMac(one) ? kLocalBound : kHostBound);
    ASSERT_FALSE(isMac(one) && one.refused);
  }
  for (const Access& one : course.processor) {
    if (!one.answered) continue;
    ASSERT_LE(one.clocks, kCoreBound) << std::hex << one.address;
    if (isMac(one)) {
      ASSERT_FALSE(one.refused);
    }
    if (isForbidden(one)) {
      ASSERT_TRUE(one.refused) << std::hex << one.address;
    }
  }
  const auto of = [](const std::vector<Access>& all, bool mac) {
    std::vector<Access> some;
    std::ranges::copy_if(all, std::back_inserter(some),
                         [&](const Access& one) { return isMac(one) == mac && !isForbidden(one); });
    return some;
  };
  judge(of(course.host, false), bench.card().host_ledger, kHost);
  judge(of(course.processor, false), bench.card().core_ledger, kProcessor);
  judge(of(course.host, true), bench.mac_ledger, kHost);
  judge(of(course.processor, true), bench.mac_ledger, kProcessor);
}

TEST(Control, WithClocksThatRunNothingIsLostOrDoubled) {
  std::uint32_t seed = 1;
  for (const Clocks& clocks : kClocks) {
    ControlBench bench(seed++, clocks.control, clocks.card);
    const Course course = runTogether(bench, 500, [](AccessProgram&) {});
    judgeAll(bench, course);
    for (const Access& one : course.host) ASSERT_FALSE(one.refused);
    for (const Access& one : course.processor) {
      ASSERT_TRUE(one.answered);
      ASSERT_EQ(one.refused, isForbidden(one)) << std::hex << one.address;
    }
  }
}

TEST(Control, ADeadClockCostsOneBoundAndTheProcessorGoesOn) {
  for (const Clocks& clocks : kClocks) {
    ControlBench bench(20, clocks.control, clocks.card);
    bench.card_clock_runs = false;
    AccessProgram program(bench);
    std::vector<Access> list;
    for (std::uint32_t n = 0; n < 20; ++n) list.push_back({n % 2 == 0, cardAddress(n, kProcessor)});
    for (std::uint32_t n = 0; n < 4; ++n) list.push_back({n % 2 == 0, macAddress(n, kProcessor)});
    program.load(list);
    bench.clocks(kCoreTimeout + 24 * 120);
    program.readResults(list);
    EXPECT_GE(list[0].clocks, kCoreTimeout);
    for (std::size_t i = 0; i < list.size(); ++i) {
      EXPECT_TRUE(list[i].answered);
      EXPECT_EQ(list[i].refused, i < 20);
      if (i > 0) {
        EXPECT_LE(list[i].clocks, 40);
      }
    }
    // The clock comes back, and with it the card.
    bench.card_clock_runs = true;
    bench.clocks(500);
    list = {{true, cardAddress(30, kProcessor), 7}};
    program.load(list);
    bench.clocks(1'000);
    program.readResults(list);
    EXPECT_TRUE(list[0].answered);
    EXPECT_FALSE(list[0].refused);
    EXPECT_EQ(bench.card().core_ledger.back().data, 7U);
  }
}

// Clocks that stop and run on, a card that does not answer, resets of card and processor, all at
// random moments.
TEST(Control, AnythingAtAnyMoment) {
  std::uint32_t seed = 100;
  for (const Clocks& clocks : kClocks) {
    for (int round = 0; round < 3; ++round) {
      ControlBench bench(seed++, clocks.control, clocks.card);
      const std::function<void()> accidents[] = {
          [&] { bench.card_clock_runs = false; },
          [&] {
            bench.resetCard(true);
            bench.resetCard(false);
          },
          [&] { bench.card().answers = false; },
          [&] { bench.resetCard(true); },
          [&] {
            bench.card_clock_runs = true;
            bench.card().answers = true;
            bench.resetCard(false);
          },
      };
      const Course course = runTogether(bench, 500, [&](AccessProgram& program) {
        if (bench.below(8) == 0) {
          const std::size_t kind = std::min(bench.below(8), 4U);
          bench.schedule(static_cast<int>(bench.below(300)), accidents[kind]);
        }
        if (bench.below(40) != 0) return;
        program.reset();
        bench.clocks(static_cast<int>(bench.below(12)));
        program.run();
      });
      judgeAll(bench, course);
      if (::testing::Test::HasFatalFailure()) return;
      EXPECT_TRUE(bench.reachable());
      const auto well = [](const Access& one) { return one.answered && !one.refused; };
      EXPECT_GT(std::ranges::count_if(course.host, well), 100);
      EXPECT_GT(std::ranges::count_if(course.processor, well), 100);
      const auto cut = [](const Access& one) { return !one.answered; };
      EXPECT_GT(std::ranges::count_if(course.processor, cut), 0);
    }
  }
}

}  // namespace
}  // namespace plumbline::hw_test
