"""The map as a C++ header for the driver and the tests."""

from names import NOTICE, camel, comment, field_camel

HEAD = """\
// {notice}
// The register map of the card in C++: offsets, fields and table rows by name. What each of them
// means is in docs/registers.md.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/error.h"

// clang-format off
namespace plumbline::card::regs {{

// Version of the map that this header was made from, and the first 32 bits of its source's SHA-256.
inline constexpr std::uint32_t kMapMajor = {major};
inline constexpr std::uint32_t kMapMinor = {minor};
inline constexpr std::uint32_t kMapPatch = {patch};
inline constexpr std::uint32_t kMapHash = 0x{hash:08X};

// Bits of a 32-bit register. `offset` [bytes] is from the start of the register's block.
struct Field {{
  std::uint32_t offset = 0;
  std::uint32_t lsb = 0;
  std::uint32_t width = 32;

  // Largest value that fits.
  [[nodiscard]] constexpr std::uint32_t max() const {{ return 0xFFFFFFFFu >> (32 - width); }}
  [[nodiscard]] constexpr std::uint32_t mask() const {{ return max() << lsb; }}
  // The field's value in a register word.
  [[nodiscard]] constexpr std::uint32_t get(std::uint32_t word) const {{
    return (word >> lsb) & max();
  }}
  // `word` with the field replaced. Throws Error(kTester) if the value does not fit.
  [[nodiscard]] constexpr std::uint32_t set(std::uint32_t word, std::uint32_t value) const {{
    if (value > max()) {{
      throw Error(ErrorKind::kTester, "value does not fit the register field");
    }}
    return (word & ~mask()) | (value << lsb);
  }}
  // A register word with only this field set.
  [[nodiscard]] constexpr std::uint32_t of(std::uint32_t value) const {{ return set(0, value); }}
}};

// One row of a table as TBL_DATA carries it, least significant word first.
using TableRow = std::array<std::uint32_t, 16>;

// Bits of a table row; up to 96 wide.
struct TableField {{
  std::uint32_t lsb = 0;
  std::uint32_t width = 0;

  // 64 bits of the field, those from bit 64·part on (part 1: what is above the low 64 bits).
  [[nodiscard]] constexpr std::uint64_t get(const TableRow& row, std::uint32_t part = 0) const {{
    std::uint64_t value = 0;
    for (std::uint32_t i = 64 * part; i < width && i < 64 * part + 64; ++i) {{
      const std::uint32_t bit = lsb + i;
      value |= static_cast<std::uint64_t>((row[bit / 32] >> (bit % 32)) & 1u) << (i % 64);
    }}
    return value;
  }}
  // Replaces the field in `row`. Throws Error(kTester) if the value does not fit.
  constexpr void set(TableRow& row, std::uint64_t value) const {{
    if (width < 64 && (value >> width) != 0) {{
      throw Error(ErrorKind::kTester, "value does not fit the field of the table row");
    }}
    for (std::uint32_t i = 0; i < width; ++i) {{
      const std::uint32_t bit = lsb + i;
      const std::uint32_t one = i < 64 ? static_cast<std::uint32_t>((value >> i) & 1u) : 0u;
      row[bit / 32] = (row[bit / 32] & ~(1u << (bit % 32))) | (one << (bit % 32));
    }}
  }}
}};

enum class Access {{
  kReadOnly,       // value from hardware
  kReadWrite,
  kWriteOnePulse,  // writing one is a command; reads as zero
  kWriteOneClear,  // set by hardware, cleared by writing one
}};

// A register as data, for code that walks over all of them.
struct RegisterInfo {{
  std::string_view name;
  std::uint32_t offset;  // [bytes] from the start of the block
  std::uint32_t count;   // consecutive words
  Access access;
  std::uint32_t mask;    // bits that exist
  std::uint32_t reset;   // kReadWrite: value after reset; constant registers: the value
  bool constant;         // kReadOnly: the value never changes
}};

// 64-bit counters, LO word at `offset`, HI word behind it; `count` of them follow each other.
struct CounterInfo {{
  std::string_view name;
  std::uint32_t offset;
  std::uint32_t count;
}};
"""

FREESTANDING_HEAD = """\
// {notice}
// The register map of the card for firmware: offsets and fields by name, and nothing that needs a
// library. What each of them means is in docs/registers.md.
#pragma once

#include <stdint.h>

// clang-format off
namespace plumbline::firmware::regs {{

// Version of the map that this header was made from.
inline constexpr uint32_t kMapMajor = {major};
inline constexpr uint32_t kMapMinor = {minor};
inline constexpr uint32_t kMapPatch = {patch};

// Bits of a 32-bit register. `offset` [bytes] is from the start of the register's block.
struct Field {{
  uint32_t offset;
  uint32_t lsb;
  uint32_t width;

  [[nodiscard]] constexpr uint32_t max() const {{ return 0xFFFFFFFFu >> (32 - width); }}
  [[nodiscard]] constexpr uint32_t mask() const {{ return max() << lsb; }}
  // The field's value in a register word.
  [[nodiscard]] constexpr uint32_t get(uint32_t word) const {{ return (word >> lsb) & max(); }}
  // A register word with only this field set; what of `value` does not fit is lost.
  [[nodiscard]] constexpr uint32_t of(uint32_t value) const {{ return (value & max()) << lsb; }}
}};
"""

ACCESS = {"ro": "kReadOnly", "rw": "kReadWrite", "w1p": "kWriteOnePulse", "w1c": "kWriteOneClear"}


def _constants(block, word):
    """Offsets and fields of a block, in its namespace; `word` is the type of a 32-bit number."""
    out = ["", *comment(block.description), f"namespace {block.name} {{", "",
           f"inline constexpr {word} kBase = 0x{block.base:04X};",
           f"inline constexpr {word} kSize = 0x{block.size:04X};",
           f"inline constexpr {word} kCount = {block.count};"]
    if block.count > 1:
        out += ["// Bus address of a register of instance `index`.",
                f"constexpr {word} address({word} index, {word} offset) {{",
                "  return kBase + kSize * index + offset;", "}"]
    out.append("")
    for register in block.registers:
        name = camel(register.name)
        out.append(f"inline constexpr {word} k{name} = 0x{register.offset:03X};")
        if register.count > 1:
            out.append(f"inline constexpr {word} k{name}Count = {register.count};")
        if register.constant is not None:
            out.append(f"inline constexpr {word} k{name}Value = 0x{register.constant:08X};")
        for field in register.fields:
            if not register.whole:
                out.append(f"inline constexpr Field k{field_camel(register, field)}"
                           f"{{k{name}, {field.lsb}, {field.width}}};")
    if block.counters:
        out += ["", *comment("Counters: 64 bits, LO word here and HI word behind it. "
                             "Those per priority p at + 8·p.")]
        for counter in block.counters:
            out.append(f"inline constexpr {word} k{camel(counter.name)} = "
                       f"0x{counter.offset:03X};")
    return out


def _end(name):
    return ["", f"}}  // namespace {name}"]


def _block(block):
    out = _constants(block, "std::uint32_t")
    out += ["", f"inline constexpr std::array<RegisterInfo, {len(block.registers)}> kRegisters{{{{"]
    for r in block.registers:
        value = r.constant if r.constant is not None else r.reset
        constant = "true" if r.constant is not None else "false"
        out.append(f'    {{"{r.name}", 0x{r.offset:03X}, {r.count}, Access::{ACCESS[r.access]}, '
                   f"0x{r.mask:08X}, 0x{value:08X}, {constant}}},")
    out.append("}};")
    if block.counters:
        count = len(block.counters)
        out += ["", f"inline constexpr std::array<CounterInfo, {count}> kCounters{{{{"]
        out += [f'    {{"{c.name}", 0x{c.offset:03X}, {c.count}}},' for c in block.counters]
        out.append("}};")
    return out + _end(block.name)


def _table(table):
    out = ["", *comment(table.description), f"namespace {table.name}_table {{", "",
           f"inline constexpr std::uint32_t kNumber = {table.number};"]
    out += [f"inline constexpr TableField k{camel(f.name)}{{{f.lsb}, {f.width}}};"
            for f in table.fields]
    return out + ["", f"}}  // namespace {table.name}_table"]


def freestanding(regmap):
    """Constants only, for firmware: without a standard library and without tables."""
    major, minor, patch = regmap.version
    out = [FREESTANDING_HEAD.format(notice=NOTICE, major=major, minor=minor, patch=patch)
           .rstrip("\n")]
    for block in regmap.blocks:
        out += _constants(block, "uint32_t") + _end(block.name)
    out += ["", "}  // namespace plumbline::firmware::regs", "// clang-format on", ""]
    return "\n".join(out)


def header(regmap):
    major, minor, patch = regmap.version
    out = [HEAD.format(notice=NOTICE, major=major, minor=minor, patch=patch, hash=regmap.hash)
           .rstrip("\n")]
    for block in regmap.blocks:
        out += _block(block)
    for table in regmap.tables:
        out += _table(table)
    out += ["", "}  // namespace plumbline::card::regs", "// clang-format on", ""]
    return "\n".join(out)
