#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/output_file.h"
#include "cli/note.h"
#include "cli/progress.h"
#include "cli/remote_run.h"
#include "cli/verbs.h"
#include "control/client.h"
#include "session/text_table.h"

namespace plumbline::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

struct TopOptions {
  ServerOptions server;
  bool once = false;
  bool jsonl = false;
};

constexpr std::size_t kMaxRows = 16;

std::string gigabits(double bps) { return fmt::format("{:.2f}", bps / 1e9); }

std::string heading(const control::LiveInterval& live) {
  const control::LiveTrial& trial = live.trial;
  std::string text = fmt::format("run {}  {}  trial {} of {}  {}", live.run, trial.test,
                                 trial.number, trial.expected, trial.label);
  if (live.eta_s) {
    text += "  ETA " + durationText(std::chrono::seconds(static_cast<std::int64_t>(*live.eta_s)));
  }
  if (!live.kpi.empty()) text += "  " + live.kpi;
  text += fmt::format("\n{} us of trial time, observed: {}\n", trial.time_ps / 1'000'000,
                      live.observed);
  for (const std::string& fault : trial.faults) text += "NOT VALID: " + fault + "\n";
  return text;
}

// A dash for a missing count.
std::string countOf(const std::optional<std::uint64_t>& count) {
  return count ? std::to_string(*count) : "-";
}

// The busiest items, busiest first.
template <typename T, typename Measure>
std::vector<T> busiest(std::vector<T> all, Measure measure) {
  std::stable_sort(all.begin(), all.end(),
                   [&](const T& a, const T& b) { return measure(a) > measure(b); });
  if (all.size() > kMaxRows) all.resize(kMaxRows);
  return all;
}

std::string milliseconds(const std::optional<double>& seconds) {
  return seconds ? fmt::format("{:.3g}", 1e3 * *seconds) : "-";
}

// "3 / 12 / 40 %": requests that wait and run, and the share of KV cache in use.
std::string poolText(const control::LiveServingPool& pool) {
  const control::LiveServingWorker& all = pool.all;
  const std::string used =
      all.pages_used && all.pages > 0
          ? fmt::format("{:.0f} %", 100.0 * static_cast<double>(*all.pages_used) /
                                        static_cast<double>(all.pages))
          : "-";
  return fmt::format("{} / {} / {}", countOf(all.waiting), countOf(all.running), used);
}

// Serving systems; modelled, as the heading says of the whole interval.
std::string servingTable(const std::vector<control::LiveServing>& systems) {
  Rows rows;
  for (const control::LiveServing& one : systems) {
    rows.push_back({one.name.empty() ? "serving" : one.name, std::to_string(one.arrived),
                    std::to_string(one.done), std::to_string(one.within_limits),
                    std::to_string(one.rejected + one.failed), std::to_string(one.tokens),
                    milliseconds(one.measured.ttft_p50_s), milliseconds(one.measured.ttft_p99_s),
                    milliseconds(one.measured.itl_p99_s), poolText(one.prefill),
                    poolText(one.decode)});
  }
  return session::alignedTable(
      {"system", "arrived", "done", "in limits", "refused", "tokens", "TTFT P50 ms", "P99 ms",
       "ITL P99 ms", "prefill wait/run/KV", "decode wait/run/KV"},
      rows);
}

std::string screen(const control::LiveInterval& live) {
  std::string text = heading(live);
  Rows rows;
  for (const auto& port : busiest(live.ports, [](const auto& p) { return p.tx_bps + p.rx_bps; })) {
    rows.push_back({port.name, gigabits(port.tx_bps), gigabits(port.rx_bps),
                    std::to_string(port.tx_frames), std::to_string(port.rx_frames),
                    std::to_string(port.pauses_received)});
  }
  text += "\n" + session::alignedTable(
                     {"port", "tx Gb/s", "rx Gb/s", "tx frames", "rx frames", "pauses"}, rows);
  rows.clear();
  for (const auto& flow : busiest(live.flows, [](const auto& f) { return f.rx_bps; })) {
    rows.push_back({flow.name, gigabits(flow.rx_bps), std::to_string(flow.received_bytes),
                    countOf(flow.lost), countOf(flow.ce)});
  }
  text += "\n" + session::alignedTable({"flow", "rx Gb/s", "bytes", "lost", "CE"}, rows);
  rows.clear();
  for (const auto& link : busiest(live.links, [](const auto& l) { return l.utilisation; })) {
    rows.push_back({link.name, fmt::format("{:.1f}", 100 * link.utilisation),
                    std::to_string(link.queue_max_bytes), std::to_string(link.dropped),
                    std::to_string(link.marked)});
  }
  text += "\n" + session::alignedTable({"link", "busy %", "queue B", "dropped", "marked"}, rows);
  if (!live.serving.empty()) text += "\n" + servingTable(live.serving);
  if (live.fairness.flow_jfi) text += fmt::format("\nJFI of flows {:.4f}", *live.fairness.flow_jfi);
  if (live.fairness.link_jfi) text += fmt::format("\nJFI of links {:.4f}", *live.fairness.link_jfi);
  return text + "\n";
}

// Handed over by the client's thread: the newest interval, or why there is none, or why its output
// failed.
class Newest {
 public:
  void put(const control::LiveInterval& live) {
    const std::scoped_lock lock(mutex_);
    live_ = live;
  }
  void fail(const control::Refusal& refusal) {
    const std::scoped_lock lock(mutex_);
    refusal_ = refusal;
  }
  void failOutput(std::exception_ptr fault) {
    const std::scoped_lock lock(mutex_);
    if (!fault_) fault_ = std::move(fault);
  }
  std::optional<control::LiveInterval> take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(live_, std::nullopt);
  }
  std::optional<control::Refusal> failure() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(refusal_, std::nullopt);
  }
  void rethrowOutputFault() {
    const std::scoped_lock lock(mutex_);
    if (fault_) std::rethrow_exception(fault_);
  }

 private:
  std::mutex mutex_;
  std::optional<control::LiveInterval> live_;
  std::optional<control::Refusal> refusal_;
  std::exception_ptr fault_;
};

void printLine(const control::LiveInterval& live) {
  fmt::print("{}\n", live.toJson());
  flushStandardOutput();
}

ExitCode top(TopOptions options) {
  if (options.server.address.empty()) options.server.address = "127.0.0.1";
  Newest newest;
  const auto client = connectTo(options.server);
  control::LiveCallbacks callbacks;
  const bool every_line = options.jsonl && !options.once;
  callbacks.interval = [&](const control::LiveInterval& live) {
    if (!every_line) return newest.put(live);
    try {
      printLine(live);
    } catch (const std::exception&) {
      newest.failOutput(std::current_exception());
    }
  };
  callbacks.disconnected = [&](const control::Refusal& refusal) { newest.fail(refusal); };
  client->watch(0, callbacks);
  const bool terminal = ::isatty(STDOUT_FILENO) != 0;
  for (;;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    newest.rethrowOutputFault();
    if (const auto refusal = newest.failure()) {
      if (refusal->status != 0 || options.once) {
        throw Error(ErrorKind::kUsage, refusal->what, refusal->where, refusal->remedy);
      }
      note(stderr, "{}; trying again\n", refusal->what);
    }
    const auto live = newest.take();
    if (!live) continue;
    if (options.jsonl) {
      printLine(*live);
    } else {
      fmt::print("{}{}", terminal ? "\x1b[H\x1b[J" : "", printable(screen(*live), true));
      flushStandardOutput();
    }
    if (options.once) return ExitCode::kDone;
  }
}

}  // namespace

void addTopVerb(CLI::App& app, Action& action) {
  auto options = std::make_shared<TopOptions>();
  CLI::App* verb = app.add_subcommand("top", "Live counters of what a server runs");
  addServerOptions(*verb, options->server, "HOST:PORT of the server (default: this machine)");
  verb->add_flag("--once", options->once, "Show one interval, then end");
  verb->add_flag("--jsonl", options->jsonl, "A line of JSON per interval instead of tables");
  verb->callback([options, &action] { action = [options] { return top(*options); }; });
}

}  // namespace plumbline::cli
