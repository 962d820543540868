// The generated decoders against the register map in the generated C++ header. The positions of
// bits in the structs towards hardware follow from one rule, applied here independently: members
// ascend in map order.
#include <Vplumb_regs_dma.h>
#include <Vplumb_regs_event.h>
#include <Vplumb_regs_global.h>
#include <Vplumb_regs_port.h>
#include <Vplumb_regs_time.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "card/registers.h"
#include "tests/regs/clocked.h"

namespace plumbline {
namespace {

namespace regs = card::regs;
using regs::Access;
using regs::RegisterInfo;
using rtl::bitsOf;
using rtl::setBits;

// Every bit of a Verilated signal that is wider than 64 bits.
template <typename Signal>
void setAll(Signal& signal) {
  for (std::size_t word = 0; word < sizeof(signal) / sizeof(signal[0]); ++word) {
    signal[word] = 0xFFFFFFFF;
  }
}

template <typename Model>
class RegisterFile : public rtl::Clocked<Model> {
 public:
  using rtl::Clocked<Model>::operator->;

  void write(std::uint32_t offset, std::uint32_t value) {
    Model& m = *operator->();
    m.reg_addr_i = offset / 4;
    m.reg_wdata_i = value;
    m.reg_wen_i = 1;
    this->tick();
    m.reg_wen_i = 0;
    this->settle();
  }

  std::uint32_t read(std::uint32_t offset) {
    Model& m = *operator->();
    m.reg_addr_i = offset / 4;
    m.reg_ren_i = 1;
    this->tick();
    m.reg_ren_i = 0;
    this->settle();
    return m.reg_rdata_o;
  }
};

struct GlobalMap {
  using Model = Vplumb_regs_global;
  static constexpr auto kRegisters = regs::global::kRegisters;
  static constexpr std::uint32_t kSize = regs::global::kSize;
};

struct DmaMap {
  using Model = Vplumb_regs_dma;
  static constexpr auto kRegisters = regs::dma::kRegisters;
  static constexpr std::uint32_t kSize = regs::dma::kSize;
};

struct PortMap {
  using Model = Vplumb_regs_port;
  static constexpr auto kRegisters = regs::port::kRegisters;
  static constexpr std::uint32_t kSize = regs::port::kSize;
};

struct TimeMap {
  using Model = Vplumb_regs_time;
  static constexpr auto kRegisters = regs::time::kRegisters;
  static constexpr std::uint32_t kSize = regs::time::kSize;
};

struct EventMap {
  using Model = Vplumb_regs_event;
  static constexpr auto kRegisters = regs::event::kRegisters;
  static constexpr std::uint32_t kSize = regs::event::kSize;
};

// The bits of `word` under `mask`, moved together; and the reverse.
std::uint32_t gather(std::uint32_t word, std::uint32_t mask) {
  std::uint32_t packed = 0;
  std::uint32_t n = 0;
  for (std::uint32_t bit = 0; bit < 32; ++bit) {
    if ((mask >> bit & 1) != 0) {
      packed |= (word >> bit & 1) << n++;
    }
  }
  return packed;
}

std::uint32_t spread(std::uint32_t packed, std::uint32_t mask) {
  std::uint32_t word = 0;
  std::uint32_t n = 0;
  for (std::uint32_t bit = 0; bit < 32; ++bit) {
    if ((mask >> bit & 1) != 0) {
      word |= (packed >> n++ & 1) << bit;
    }
  }
  return word;
}

template <typename Map>
class RegisterFileTest : public testing::Test {
 protected:
  RegisterFile<typename Map::Model> file_;
  std::mt19937 random_{20240611};

  // Calls f(register, offset, first struct bit) for every word of registers of this access.
  template <typename F>
  static void forEachWord(Access access, F f) {
    std::uint32_t position = 0;
    for (const RegisterInfo& info : Map::kRegisters) {
      if (info.access != access || info.constant) {
        continue;
      }
      for (std::uint32_t i = 0; i < info.count; ++i) {
        f(info, info.offset + 4 * i, position);
        position += std::popcount(info.mask);
      }
    }
  }

  std::uint32_t random() { return static_cast<std::uint32_t>(random_()); }
};

using Maps = testing::Types<DmaMap, EventMap, GlobalMap, PortMap, TimeMap>;
TYPED_TEST_SUITE(RegisterFileTest, Maps);

TYPED_TEST(RegisterFileTest, ResetValues) {
  for (const RegisterInfo& info : TypeParam::kRegisters) {
    for (std::uint32_t i = 0; i < info.count; ++i) {
      const std::uint32_t value = this->file_.read(info.offset + 4 * i);
      EXPECT_EQ(value, info.reset) << info.name;  // zero for all but rw and constants
    }
  }
}

TYPED_TEST(RegisterFileTest, ReadWriteFieldsReadBackAndReachHardware) {
  std::map<std::uint32_t, std::uint32_t> expected;
  this->forEachWord(Access::kReadWrite, [&](const RegisterInfo& info, std::uint32_t offset, auto) {
    expected[offset] = info.reset;
  });
  for (int round = 0; round < 4; ++round) {
    this->forEachWord(Access::kReadWrite, [&](const RegisterInfo& info, std::uint32_t offset,
                                              std::uint32_t position) {
      const std::uint32_t value = round == 0 ? 0xFFFFFFFF : this->random();
      this->file_.write(offset, value);
      expected[offset] = value & info.mask;
      EXPECT_EQ(bitsOf(this->file_->config_o, position, std::popcount(info.mask)),
                gather(value, info.mask))
          << info.name;
      // Nothing else has changed.
      for (const auto& [other, want] : expected) {
        ASSERT_EQ(this->file_.read(other), want) << info.name << " and offset " << other;
      }
    });
  }
}

TYPED_TEST(RegisterFileTest, ReadOnlyShowsHardwareAndIgnoresWrites) {
  for (int round = 0; round < 4; ++round) {
    this->forEachWord(Access::kReadOnly, [&](const RegisterInfo& info, std::uint32_t offset,
                                             std::uint32_t position) {
      const auto width = static_cast<std::uint32_t>(std::popcount(info.mask));
      const std::uint32_t packed = gather(this->random() | this->random(), info.mask);
      setBits(this->file_->status_i, position, width, packed);
      EXPECT_EQ(this->file_.read(offset), spread(packed, info.mask)) << info.name;
      this->file_.write(offset, ~spread(packed, info.mask));
      EXPECT_EQ(this->file_.read(offset), spread(packed, info.mask)) << info.name;
    });
  }
}

TYPED_TEST(RegisterFileTest, ConstantsIgnoreWrites) {
  for (const RegisterInfo& info : TypeParam::kRegisters) {
    if (info.constant) {
      this->file_.write(info.offset, ~info.reset);
      EXPECT_EQ(this->file_.read(info.offset), info.reset) << info.name;
    }
  }
}

TYPED_TEST(RegisterFileTest, CommandsPulseForOneClockAndReadAsZero) {
  this->forEachWord(Access::kWriteOnePulse, [&](const RegisterInfo& info, std::uint32_t offset,
                                                std::uint32_t position) {
    for (std::uint32_t bit = 0; bit < 32; ++bit) {
      const std::uint32_t word = 1U << bit;
      this->file_.write(offset, word);
      const std::uint64_t pulse = std::uint64_t{gather(word, info.mask)} << position;
      EXPECT_EQ(this->file_->pulse_o, pulse) << info.name << " bit " << bit;
      this->file_.tick();
      EXPECT_EQ(this->file_->pulse_o, 0) << info.name;
      EXPECT_EQ(this->file_.read(offset), 0U) << info.name;
    }
  });
}

// Of the blocks that have faults.
template <typename Map>
class FaultFileTest : public RegisterFileTest<Map> {};
using FaultMaps = testing::Types<DmaMap, GlobalMap, PortMap>;
TYPED_TEST_SUITE(FaultFileTest, FaultMaps);

TYPED_TEST(FaultFileTest, FaultsStayUntilClearedOneByOne) {
  this->forEachWord(Access::kWriteOneClear, [&](const RegisterInfo& info, std::uint32_t offset,
                                                std::uint32_t position) {
    const std::uint32_t count = std::popcount(info.mask);
    for (std::uint32_t i = 0; i < count; ++i) {
      setBits(this->file_->fault_i, position, count, 1U << i);
      this->file_.tick();
      setBits(this->file_->fault_i, position, count, 0);
      EXPECT_EQ(this->file_.read(offset), spread((1U << (i + 1)) - 1, info.mask)) << info.name;
    }
    this->file_.write(offset, 0);
    EXPECT_EQ(this->file_.read(offset), info.mask);
    for (std::uint32_t i = 0; i < count; ++i) {
      this->file_.write(offset, spread(1U << i, info.mask));
      EXPECT_EQ(this->file_.read(offset), spread(~0U << (i + 1), info.mask)) << info.name;
    }
    // Set and cleared in the same clock: the fault is not lost.
    setBits(this->file_->fault_i, position, count, 1);
    this->file_.write(offset, 0xFFFFFFFF);
    setBits(this->file_->fault_i, position, count, 0);
    EXPECT_EQ(this->file_.read(offset), spread(1, info.mask));
  });
}

TYPED_TEST(RegisterFileTest, OffsetsWithoutRegisterReadZeroAndChangeNothing) {
  std::map<std::uint32_t, std::uint32_t> before;
  for (std::uint32_t offset = 0; offset < TypeParam::kSize; offset += 4) {
    before[offset] = this->file_.read(offset);
  }
  std::map<std::uint32_t, bool> known;
  for (const RegisterInfo& info : TypeParam::kRegisters) {
    for (std::uint32_t i = 0; i < info.count; ++i) {
      known[info.offset + 4 * i] = true;
    }
  }
  for (std::uint32_t offset = 0; offset < TypeParam::kSize; offset += 4) {
    if (!known[offset]) {
      EXPECT_EQ(before[offset], 0U) << offset;
      this->file_.write(offset, 0xFFFFFFFF);
      EXPECT_EQ(this->file_->pulse_o, 0) << offset;
    }
  }
  for (const auto& [offset, value] : before) {
    EXPECT_EQ(this->file_.read(offset), value) << offset;
  }
}

// The promises of the map that its users rely on, in figures rather than through the header.
TEST(RegisterMap, Figures) {
  RegisterFile<Vplumb_regs_global> global;
  EXPECT_EQ(global.read(0x010), 0x504C554DU);
  EXPECT_EQ(global.read(0x014), 0x01060000U);
  EXPECT_EQ(global.read(0x018), regs::kMapHash);
  RegisterFile<Vplumb_regs_port> port;
  EXPECT_EQ(port.read(0x010), 80U);
  EXPECT_EQ(port.read(0x01C), 10000U);
  EXPECT_EQ(regs::port::address(7, regs::port::kTblData), 0x8040U);
}

// A register as hw/regs/plumbline.toml has it: the bits that its fields are in, and its reset
// value.
struct Figure {
  std::uint32_t offset;
  std::uint32_t mask;
  std::uint32_t reset;
};

template <typename Model>
void expectReadWrite(RegisterFile<Model>& file, const std::vector<Figure>& figures) {
  for (const Figure& figure : figures) {
    SCOPED_TRACE(figure.offset);
    EXPECT_EQ(file.read(figure.offset), figure.reset);
    for (const std::uint32_t value : {0xFFFFFFFFU, 0x5A5A5A5AU, 0xA5A5A5A5U, 0U}) {
      file.write(figure.offset, value);
      EXPECT_EQ(file.read(figure.offset), value & figure.mask);
    }
  }
}

template <typename Model>
void expectReadOnly(RegisterFile<Model>& file, const std::vector<Figure>& figures) {
  for (const Figure& figure : figures) EXPECT_EQ(file.read(figure.offset), 0U) << figure.offset;
  setAll(file->status_i);
  for (const Figure& figure : figures) {
    file.write(figure.offset, 0);
    EXPECT_EQ(file.read(figure.offset), figure.mask) << figure.offset;
  }
}

TEST(RegisterMap, FiguresOfBlockTime) {
  EXPECT_EQ(regs::time::kBase, 0xC000U);
  RegisterFile<Vplumb_regs_time> file;
  EXPECT_EQ(file.read(0x000), 0x504C544DU);  // PLTM
  expectReadWrite(file, {
                            {0x008, 0xFFFFFFFF, 0},           // RATE_LO
                            {0x00C, 0x000000FF, 0},           // RATE_HI
                            {0x010, 0xFFFFFFFF, 0},           // STEP_LO
                            {0x014, 0xFFFFFFFF, 0},           // STEP_HI
                            {0x018, 0xFFFFFFFF, 0},           // SLEW
                            {0x01C, 0xFFFF03FF, 0x00010001},  // SLEW_LIMIT
                            {0x044, 0x0000FF07, 0x00000300},  // PPS_CONTROL
                            {0x048, 0x0FFFFFFF, 3'222'656},   // PPS_WIDTH
                        });
  std::vector<Figure> read_only{{0x020, 0xFFFFFFFF, 0}};  // SLEW_LEFT
  for (std::uint32_t offset = 0x028; offset <= 0x040; offset += 4) {
    read_only.push_back({offset, 0xFFFFFFFF, 0});  // NOW, LOCAL, OFFSET and its fraction
  }
  for (std::uint32_t offset = 0x04C; offset <= 0x060; offset += 4) {
    read_only.push_back({offset, 0xFFFFFFFF, 0});  // PPS_COUNT to PPS_OUT_COUNT
  }
  expectReadOnly(file, read_only);
}

TEST(RegisterMap, FiguresOfBlockEvent) {
  EXPECT_EQ(regs::event::address(0, 0), 0xD000U);
  EXPECT_EQ(regs::event::address(7, 0x048), 0xDE48U);
  RegisterFile<Vplumb_regs_event> file;
  EXPECT_EQ(file.read(0x000), 0x504C4556U);  // PLEV
  expectReadWrite(file, {
                            {0x004, 0x00000003, 0},  // EVENT_CONTROL
                            {0x030, 0xFFFFFFFF, 0},  // EVENT_TX_DATA
                            {0x034, 0x000000FF, 0},  // EVENT_TX_SEND
                        });
  std::vector<Figure> read_only{{0x00C, 0x00000307, 0},   // EVENT_STATUS
                                {0x010, 0x00003FFF, 0}};  // EVENT_RX_LENGTH
  for (std::uint32_t offset = 0x014; offset <= 0x02C; offset += 4) {
    read_only.push_back({offset, 0xFFFFFFFF, 0});  // EVENT_RX_DATA to EVENT_RX_LOST
  }
  for (std::uint32_t offset = 0x038; offset <= 0x048; offset += 4) {
    read_only.push_back({offset, 0xFFFFFFFF, 0});  // EVENT_TX_SENT to EVENT_TX_LOCAL_HI
  }
  expectReadOnly(file, read_only);
}

// Accesses that hardware hears of, behind the commands in map order.
TEST(RegisterMap, AccessPulsesOfBlockTime) {
  RegisterFile<Vplumb_regs_time> file;
  const std::map<std::uint32_t, std::uint32_t> pulses{
      {0x00C, 1U << 2}, {0x014, 1U << 3}, {0x018, 1U << 4}};  // RATE_HI, STEP_HI, SLEW
  for (std::uint32_t offset = 0x008; offset <= 0x060; offset += 4) {
    file.write(offset, 1);
    EXPECT_EQ(file->pulse_o, pulses.contains(offset) ? pulses.at(offset) : 0U) << offset;
    file.read(offset);
    EXPECT_EQ(file->pulse_o, 0U) << offset;
  }
}

TEST(RegisterMap, AccessPulsesOfBlockEvent) {
  RegisterFile<Vplumb_regs_event> file;
  const std::map<std::uint32_t, std::uint32_t> written{
      {0x030, 1U << 5}, {0x034, 1U << 6}};  // EVENT_TX_DATA, EVENT_TX_SEND
  for (std::uint32_t offset = 0x00C; offset <= 0x048; offset += 4) {
    file.write(offset, 1);
    EXPECT_EQ(file->pulse_o, written.contains(offset) ? written.at(offset) : 0U) << offset;
    file.read(offset);
    EXPECT_EQ(file->pulse_o, offset == 0x014 ? 1U << 4 : 0U) << offset;  // EVENT_RX_DATA
  }
}

class PortFile : public testing::Test {
 protected:
  RegisterFile<Vplumb_regs_port> file_;
};

TEST_F(PortFile, AccessPulses) {
  constexpr std::uint64_t kWritten = 1U << 11;  // behind the eleven commands
  constexpr std::uint64_t kRead = 1U << 12;
  file_.write(regs::port::kHistAddr, 0x000F1234);
  EXPECT_EQ(file_->pulse_o, kWritten);
  file_.read(regs::port::kHistAddr);
  EXPECT_EQ(file_->pulse_o, 0);
  file_.read(regs::port::kHistLo);
  EXPECT_EQ(file_->pulse_o, 0);
  file_.read(regs::port::kHistHi);
  EXPECT_EQ(file_->pulse_o, kRead);
  file_.tick();
  EXPECT_EQ(file_->pulse_o, 0);
}

TEST_F(PortFile, HardwareLoadsAndWins) {
  // Members ascend in map order: bucket, group, retry, hist_addr_we, tbl_data, tbl_data_we.
  setBits(file_->update_i, 0, 22, 0x3F0BCD);
  setBits(file_->update_i, 22, 1, 1);
  file_.write(regs::port::kHistAddr, 0);
  file_->update_i[0] = 0;
  EXPECT_EQ(file_.read(regs::port::kHistAddr), 0x003F0BCDU);

  for (std::uint32_t i = 0; i < 16; ++i) {
    setBits(file_->update_i, 23 + 32 * i, 32, 0x1000 + i);
  }
  file_.tick();
  EXPECT_EQ(file_.read(regs::port::kTblData), 0U);
  setBits(file_->update_i, 23 + 512, 1, 1);
  file_.tick();
  setBits(file_->update_i, 23 + 512, 1, 0);
  for (std::uint32_t i = 0; i < 16; ++i) {
    EXPECT_EQ(file_.read(regs::port::kTblData + 4 * i), 0x1000 + i);
  }
}

TEST_F(PortFile, SnapshotIsAtomicUnderChangingCounters) {
  std::uint32_t counters = 0;
  for (const regs::CounterInfo& info : regs::port::kCounters) {
    counters += info.count;
  }
  ASSERT_EQ(counters, 120U);
  // Every counter has another value in every clock, both halves changing.
  std::uint64_t clock = 0;
  const auto value = [](std::uint64_t at, std::uint32_t counter) {
    return (at * 0x9E3779B97F4A7C15ULL) ^ (std::uint64_t{counter} << 56) ^ counter;
  };
  const auto step = [&] {
    ++clock;
    for (std::uint32_t i = 0; i < counters; ++i) {
      setBits(file_->counters_i, 64 * i, 64, value(clock, i));
    }
  };
  for (int round = 0; round < 3; ++round) {
    step();
    file_.write(regs::port::kPortCommand, regs::port::kPortCommandSnapshot.mask());
    step();
    const std::uint64_t latched = clock;  // the edge that ends the clock of the pulse
    file_.tick();
    std::uint32_t i = 0;
    for (const regs::CounterInfo& info : regs::port::kCounters) {
      for (std::uint32_t n = 0; n < info.count; ++n, ++i) {
        step();
        const std::uint64_t low = file_.read(info.offset + 8 * n);
        step();
        const std::uint64_t high = file_.read(info.offset + 8 * n + 4);
        EXPECT_EQ(high << 32 | low, value(latched, i)) << info.name << " " << n;
      }
    }
  }
}

}  // namespace
}  // namespace plumbline
