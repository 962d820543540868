#include "suite/framework/link_health.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace plumbline::suite {
namespace {

// Upper end of the 95 % interval of a Poisson count of zero: -ln 0.05.
const double kNoneCounted = -std::log(0.05);

results::Quantity count(std::uint64_t value) {
  results::Quantity quantity;
  quantity.value = static_cast<double>(value);
  return quantity;
}

// Ratio of errors to `of`; text for what cannot be a number.
results::Cell ratio(std::uint64_t errors, double of) {
  if (of <= 0) return std::string("–");
  if (errors == 0) return fmt::format("below {:.2g}", kNoneCounted / of);
  results::Quantity quantity;
  quantity.value = static_cast<double>(errors) / of;
  return quantity;
}

std::uint64_t largest(const auto& lanes) { return *std::max_element(lanes.begin(), lanes.end()); }

void accumulate(card::MacCounters& sum, const card::MacCounters& one) {
  sum.fec_codewords += one.fec_codewords;
  sum.fec_corrected += one.fec_corrected;
  sum.fec_uncorrected += one.fec_uncorrected;
  for (std::size_t i = 0; i < sum.fec_symbol_errors.size(); ++i) {
    sum.fec_symbol_errors[i] += one.fec_symbol_errors[i];
  }
  for (std::size_t i = 0; i < sum.bip_errors.size(); ++i) sum.bip_errors[i] += one.bip_errors[i];
  sum.bad_codes += one.bad_codes;
  sum.alignment_losses += one.alignment_losses;
  sum.hi_ber_events += one.hi_ber_events;
  sum.local_faults += one.local_faults;
  sum.remote_faults += one.remote_faults;
  sum.saturated = sum.saturated || one.saturated;
}

}  // namespace

void LinkHealthSums::add(const bench::TrialResult& trial) {
  for (std::uint32_t port = 0; port < trial.ports.size(); ++port) {
    const std::optional<bench::LinkHealth>& seen = trial.ports[port].link;
    if (!seen) continue;
    const auto [place, first] = links_.try_emplace(port);
    Link& link = place->second;
    link.fec_changed = link.fec_changed || (!first && link.rs_fec != seen->rs_fec);
    link.rs_fec = seen->rs_fec;
    accumulate(link.counted, seen->counted);
  }
}

void LinkHealthSums::report(results::TestResult& result) const {
  if (links_.empty()) return;
  results::Table table{
      "link_health",
      "Health of the tester's links",
      "Counted by the MACs of the cards during the trials, of what they received. Bit error ratio "
      "before correction: corrected symbols over received bits, at least; without RS-FEC it is not "
      "known. A codeword that cannot be corrected costs the frames in it. Where none was counted, "
      "the upper end of the 95 % interval is given.",
      {"Port", "FEC", "Codewords", "Corrected", "Uncorrected", "Ratio of uncorrected",
       "Bit error ratio before correction", "Symbol errors, worst lane", "BIP errors, worst lane",
       "Bad codes", "Alignment losses", "Faults"},
      {}};
  for (const auto& [port, link] : links_) {
    const card::MacCounters& seen = link.counted;
    const auto codewords = static_cast<double>(seen.fec_codewords);
    table.rows.push_back(
        {std::to_string(port),
         std::string(link.fec_changed ? "changed"
                     : link.rs_fec    ? "RS"
                                      : "none"),
         count(seen.fec_codewords), count(seen.fec_corrected), count(seen.fec_uncorrected),
         ratio(seen.fec_uncorrected, codewords),
         ratio(seen.symbolErrors(), codewords * card::kFecSymbols * card::kFecSymbolBits),
         count(largest(seen.fec_symbol_errors)), count(largest(seen.bip_errors)),
         count(seen.bad_codes), count(seen.alignment_losses),
         count(seen.local_faults + seen.remote_faults)});
    if (seen.fec_uncorrected + seen.bad_codes > 0) {
      result.anomalies.push_back(
          {fmt::format("the link lost {} codewords and had {} bad codes: frames may have been lost "
                       "on the cable, and not in the device under test",
                       seen.fec_uncorrected, seen.bad_codes),
           fmt::format("port {}", port)});
    }
    if (seen.saturated) {
      result.anomalies.push_back(
          {"a counter of the MAC has reached its highest value: the link's errors are lower bounds",
           fmt::format("port {}", port)});
    }
  }
  result.tables.push_back(std::move(table));
}

}  // namespace plumbline::suite
