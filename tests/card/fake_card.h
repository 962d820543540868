// A card's register file in memory, for testing the driver without any card: identity, tables
// behind TBL_*, histogram cells, snapshot counters, time. Behaves as documented in
// docs/registers.md, with injectable faults.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "card/register_bus.h"
#include "card/registers.h"

namespace plumbline::card {

class FakeCard final : public RegisterBus {
 public:
  // Values of registers, by bus address; missing ones read as 0.
  std::map<std::uint32_t, std::uint32_t> words;
  // Rows by (port, table, row).
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, regs::TableRow> rows;
  // Histogram cells by (port, group, bucket).
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint64_t> cells;
  // Live counters by bus address of their low word; a snapshot copies a port's into `words`.
  std::map<std::uint32_t, std::uint64_t> counters;
  Picoseconds time;
  // Every write in order.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> writes;
  // Changes a row on its way into a table: (port, table, row, data).
  std::function<void(std::uint32_t, std::uint32_t, std::uint32_t, regs::TableRow&)> corrupt;
  bool clear_stuck = false;
  std::uint32_t scratch_mask = 0xFFFFFFFF;  // bits the bus carries to SCRATCH

  explicit FakeCard(std::uint32_t ports = 2) {
    namespace global = regs::global;
    words[global::kId] = 0x504C554D;
    words[global::kVersion] = global::kVersionValue;
    words[global::kMapHash] = global::kMapHashValue;
    // 64 bytes a beat, 2^8 flows, 2^11 rows, 2^4 groups; all features.
    words[global::kCapability] = 0x04B84000 | ports;
    words[global::kFeatures] = 0x3FF;
    words[global::kClockPeriodNum] = 102400;
    words[global::kClockPeriodDen] = 33;
  }

  std::uint32_t read(std::uint32_t offset) override {
    time += nanoseconds(10);
    constexpr std::uint32_t kPortsEnd = regs::port::kBase + regs::port::kSize * regs::port::kCount;
    if (offset < regs::port::kBase || offset >= kPortsEnd) return words[offset];
    const std::uint32_t port = offset / 0x1000 - 1;
    switch (offset % 0x1000) {
      case regs::port::kHistLo:
        return static_cast<std::uint32_t>(cell(port));
      case regs::port::kHistHi: {
        const auto high = static_cast<std::uint32_t>(cell(port) >> 32);
        ++words[regs::port::address(port, regs::port::kHistAddr)];
        return high;
      }
      case regs::port::kPortStatus:
        return (words[offset] & ~1U) | (clear_stuck ? 1 : 0);
      default:
        return words[offset];
    }
  }

  void write(std::uint32_t offset, std::uint32_t value) override {
    time += nanoseconds(10);
    writes.emplace_back(offset, value);
    if (offset < regs::port::kBase) {
      writeGlobal(offset, value);
    } else {
      writePort(offset / 0x1000 - 1, offset % 0x1000, value);
    }
  }

  void wait(Picoseconds duration) override { time += duration; }
  std::vector<CapturedFrame> readCaptured() override { return {}; }

 private:
  // Words of a row with fields, in the writable tables: only these are stored.
  static constexpr std::array<std::uint32_t, 9> kRowWords{16, 14, 4, 0, 0, 0, 2, 3, 11};

  [[nodiscard]] std::uint64_t cell(std::uint32_t port) {
    const std::uint32_t address = words[regs::port::address(port, regs::port::kHistAddr)];
    const auto found = cells.find({port, address >> 16, address & 0xFFFF});
    return found == cells.end() ? 0 : found->second;
  }

  void writeGlobal(std::uint32_t offset, std::uint32_t value) {
    namespace global = regs::global;
    if (offset == global::kControl) {
      if ((value & 4) != 0) {  // latch_time
        words[global::kTimeLo] = static_cast<std::uint32_t>(time.count());
        words[global::kTimeHi] = static_cast<std::uint32_t>(time.count() >> 32);
      }
      return;
    }
    if (offset == global::kSticky) {
      words[offset] &= ~value;
      return;
    }
    words[offset] = offset == global::kScratch ? value & scratch_mask : value;
  }

  void writePort(std::uint32_t port, std::uint32_t offset, std::uint32_t value) {
    const auto word = [&](std::uint32_t o) -> std::uint32_t& {
      return words[regs::port::address(port, o)];
    };
    switch (offset) {
      case regs::port::kPortCommand:
        if ((value & 4) != 0) snapshot(port);
        return;
      case regs::port::kPortSticky:
      case regs::port::kDmgSticky:
      case regs::port::kFcSticky:
        word(offset) &= ~value;
        return;
      case regs::port::kTblCmd: {
        const std::uint32_t table = word(regs::port::kTblAddr) >> 16;
        const std::uint32_t row = word(regs::port::kTblAddr) & 0xFFFF;
        regs::TableRow& stored = rows[{port, table, row}];
        if ((value & 1) != 0) {
          for (std::uint32_t i = 0; i < kRowWords[table]; ++i) {
            stored[i] = word(regs::port::kTblData + 4 * i);
          }
          if (corrupt) corrupt(port, table, row, stored);
        } else {
          for (std::uint32_t i = 0; i < 16; ++i) word(regs::port::kTblData + 4 * i) = stored[i];
        }
        return;
      }
      default:
        word(offset) = value;
    }
  }

  void snapshot(std::uint32_t port) {
    for (const auto& [address, value] : counters) {
      if (address / 0x1000 - 1 != port) continue;
      words[address] = static_cast<std::uint32_t>(value);
      words[address + 4] = static_cast<std::uint32_t>(value >> 32);
    }
  }
};

}  // namespace plumbline::card
