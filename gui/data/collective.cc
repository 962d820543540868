// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/data/collective.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace plumbline::gui {
namespace {

std::optional<std::uint32_t> wholeNumber(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Bus bandwidth over algorithm bandwidth, as the methodology and the common benchmarks define it.
std::optional<double> busFactor(std::string_view collective, std::uint32_t ranks) {
  if (ranks < 2) return std::nullopt;
  const double share = static_cast<double>(ranks - 1) / static_cast<double>(ranks);
  if (collective == "AllReduce") return 2 * share;
  static constexpr std::array<std::string_view, 3> kOnce = {"AllGather", "ReduceScatter",
                                                            "AlltoAll"};
  if (std::find(kOnce.begin(), kOnce.end(), collective) != kOnce.end()) return share;
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> parseSize(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, std::uint64_t>, 7> kUnits = {
      {{" KiB", 1ULL << 10},
       {" MiB", 1ULL << 20},
       {" GiB", 1ULL << 30},
       {" KB", 1'000},
       {" MB", 1'000'000},
       {" GB", 1'000'000'000},
       {" B", 1}}};
  for (const auto& [suffix, factor] : kUnits) {
    if (!text.ends_with(suffix)) continue;
    const std::optional<std::uint32_t> number =
        wholeNumber(text.substr(0, text.size() - suffix.size()));
    if (!number) return std::nullopt;
    return *number * factor;
  }
  return std::nullopt;
}

std::vector<CollectivePoint> collectivePoints(const StoredTest& test) {
  std::vector<CollectivePoint> points;
  for (const StoredTable& table : test.tables) {
    const auto collective = columnOf(table, "Collective");
    const auto buffer = columnOf(table, "Buffer");
    const auto ranks = columnOf(table, "Ranks");
    const auto carried_by = columnOf(table, "Carried by");
    const auto busbw = columnOf(table, "BusBW mean");
    const auto efficiency = columnOf(table, "Efficiency");
    if (!collective || !buffer || !ranks || !carried_by || !busbw) continue;
    for (const std::vector<StoredCell>& row : table.rows) {
      const std::optional<std::uint64_t> bytes = parseSize(row[*buffer].text);
      const std::optional<std::uint32_t> count = wholeNumber(row[*ranks].text);
      const std::optional<StoredQuantity>& value = row[*busbw].quantity;
      if (!bytes || !count || !value || value->unit != "Gb/s") continue;
      CollectivePoint point{row[*collective].text, row[*buffer].text, *bytes,       *count,
                            row[*carried_by].text, value->value,      std::nullopt, std::nullopt};
      if (efficiency && row[*efficiency].quantity) {
        point.ideal_percent = row[*efficiency].quantity->value;
      }
      if (const auto factor = busFactor(point.collective, point.ranks)) {
        point.algbw_gbps = point.busbw_gbps / *factor;
      }
      points.push_back(std::move(point));
    }
  }
  return points;
}

}  // namespace plumbline::gui
