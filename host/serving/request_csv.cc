#include "serving/request_csv.h"

#include <fmt/format.h>

#include <iterator>
#include <set>
#include <string>

#include "serving/metrics.h"

namespace plumbline::serving {
namespace {

constexpr const char* kCsvHeader =
    "request,outcome,measured,prompt,output,generated,cached,arrival_us,routed_us,prefill_start_us,"
    "prefill_end_us,first_post_us,last_arrival_us,decode_start_us,first_token_us,"
    "first_decode_token_us,done_us,longest_gap_us,kv_bytes,resent_bytes,preemptions,"
    "prefill_worker,prefill_group,decode_worker,decode_group,ranks,prefill_nics,decode_nics,"
    "within_limits";

const char* nameOf(Outcome outcome) {
  switch (outcome) {
    case Outcome::kUnfinished:
      return "unfinished";
    case Outcome::kDone:
      return "done";
    case Outcome::kRejected:
      return "rejected";
    case Outcome::kFailed:
      return "failed";
  }
  return "";
}

std::string microsecondsText(Picoseconds time) {
  if (time == kNever) return {};
  constexpr std::int64_t kPerMicrosecond = 1'000'000;
  return fmt::format("{}.{:06}", time.count() / kPerMicrosecond, time.count() % kPerMicrosecond);
}

template <typename Numbers>
std::string joined(const Numbers& numbers) {
  return fmt::format("{}", fmt::join(numbers, " "));
}

}  // namespace

std::string requestCsvHeader() { return kCsvHeader; }

void writeRequestCsv(std::ostream& out, const ServingResult& result, const Mapping& mapping,
                     const SloSpec& slo, const std::string& front) {
  for (std::size_t i = 0; i < result.requests.size(); ++i) {
    const RequestRecord& record = result.requests[i];
    std::string line =
        fmt::format("{},{},{},{},{},{},{}", i, nameOf(record.outcome), record.measured ? 1 : 0,
                    record.prompt, record.output, record.generated, record.cached);
    for (const Picoseconds time :
         {record.arrival, record.routed, record.prefill_start, record.prefill_end,
          record.first_post, record.last_arrival, record.decode_start, record.first_token,
          record.first_decode_token, record.done}) {
      fmt::format_to(std::back_inserter(line), ",{}", microsecondsText(time));
    }
    // An answer of fewer than two tokens has no gap.
    const std::string gap = record.generated < 2 ? "" : microsecondsText(record.longest_gap);
    fmt::format_to(std::back_inserter(line), ",{},{},{},{}", gap, record.bytes, record.resent,
                   record.preemptions);
    if (record.outcome == Outcome::kRejected) {
      line += ",,,,";
    } else {
      fmt::format_to(std::back_inserter(line), ",{},{},{},{}", record.prefill_worker,
                     record.prefill_group, record.decode_worker, record.decode_group);
    }
    if (record.first_post == kNever) {
      line += ",,,";
    } else {
      std::set<std::uint32_t> senders;
      std::set<std::uint32_t> receivers;
      std::string ranks;
      for (const KvFlow& flow : mapping.flows({record.prefill_worker, record.prefill_group},
                                              {record.decode_worker, record.decode_group}, i)) {
        senders.insert(flow.from_nic);
        receivers.insert(flow.to_nic);
        fmt::format_to(std::back_inserter(ranks), "{}{}>{}", ranks.empty() ? "" : " ",
                       flow.from_rank, flow.to_rank);
      }
      fmt::format_to(std::back_inserter(line), ",{},{},{}", ranks, joined(senders),
                     joined(receivers));
    }
    fmt::format_to(std::back_inserter(line), ",{}", keeps(slo, record) ? 1 : 0);
    out << front << line << '\n';
  }
}

}  // namespace plumbline::serving
