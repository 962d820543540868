#include "cli/remote_run.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/file_text.h"
#include "base/output_file.h"
#include "base/token_file.h"
#include "cli/host_name.h"
#include "cli/interrupt.h"
#include "cli/note.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "control/client.h"
#include "scenario/parse.h"
#include "session/planning.h"
#include "session/reporting.h"

namespace plumbline::cli {
namespace {

using namespace std::chrono_literals;
using control::Client;
using control::RunState;

// How long the stream's end may follow after the run is known to be over.
constexpr int kMaxPollsAfterEnd = 20;
constexpr std::chrono::seconds kQuietWait{3};  // for an answer, before the user gets a message

[[noreturn]] void refuse(const control::Refusal& refusal) {
  std::string what = refusal.what;
  for (const control::ScenarioProblem& problem : refusal.problems) {
    what += fmt::format("\n{}:{}: {}{}", problem.line, problem.column, problem.what,
                        problem.allowed.empty() ? "" : " (" + problem.allowed + ")");
  }
  const bool asked = refusal.status >= 400 && refusal.status < 500;
  throw Error(asked ? ErrorKind::kUsage : ErrorKind::kTester, what, refusal.where, refusal.remedy);
}

// Waits for the answer to one call of the client, with a message when it takes long.
template <typename T, typename Call>
control::Outcome<T> outcomeOf(Call call) {
  auto promise = std::make_shared<std::promise<control::Outcome<T>>>();
  auto answer = promise->get_future();
  call([promise](const control::Outcome<T>& outcome) { promise->set_value(outcome); });
  if (answer.wait_for(kQuietWait) != std::future_status::ready) {
    note(stderr, "the server has not answered for {} s; it has {} s in all\n", kQuietWait.count(),
         control::kAnswerTime.count());
  }
  return answer.get();
}

// The same for calls that must be answered.
template <typename T, typename Call>
T wait(Call call) {
  const control::Outcome<T> outcome = outcomeOf<T>(call);
  if (!outcome.ok()) refuse(outcome.refusal());
  return outcome.value();
}

// A local file is sent; any other name must be known to the server.
control::ScenarioRequest requestOf(const ScenarioOptions& options) {
  control::ScenarioRequest request{"", options.file, options.bench, options.profile, options.seed};
  std::error_code ignored;
  if (std::filesystem::is_regular_file(options.file, ignored)) {
    request.scenario = readFile(options.file, scenario::kMaxScenarioBytes);
  }
  return request;
}

// Shows the live stream of one run on stderr.
class Follower {
 public:
  explicit Follower(bool quiet) : progress_(stderr, Progress::styleFor(stderr, quiet)) {}

  // `begun`: the run at its start. The stream may still contain earlier messages: for a resumed
  // run, its earlier end.
  void begin(Client& client, const RunState& begun) {
    run_ = begun.id;
    control::LiveCallbacks callbacks;
    callbacks.interval = [this](const control::LiveInterval& live) {
      if (live.run == run_ && shows_) show(live);
    };
    callbacks.run = [this, &client, trials = begun.trials](const RunState& state) {
      if (state.id != run_) return;
      shows_ = shows_ || (state.active && state.trials == trials);
      if (state.active) return;
      client.run(run_, [this](const control::Outcome<RunState>& now) {
        if (!now.ok() || !now.value().active) end();
      });
    };
    // That it ended long ago is found out by asking.
    callbacks.connected = [this, &client](const control::LiveHello&) { queryState(client); };
    client.watch(0, std::move(callbacks));
  }

  // Polls the run's state every two seconds, since the stream's message about its end may be lost.
  void queryPeriodically(Client& client) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + 2s;
    queryState(client);
  }

  // Waits for a moment. True once the run has ended: the stream reports it after the last interval,
  // or the polled state does.
  bool endedWithin(std::chrono::milliseconds moment) {
    if (ended_.wait_for(moment) == std::future_status::ready) return true;
    return over_ && ++polls_after_end_ > kMaxPollsAfterEnd;
  }

  // Removes a live line.
  void clear() {
    const std::scoped_lock lock(mutex_);
    progress_.clear();
  }

  void finish(Client& client) {
    client.unwatch();
    const std::scoped_lock lock(mutex_);
    if (!test_.empty()) progress_.endTest();
    progress_.clear();
  }

 private:
  void show(const control::LiveInterval& live) {
    const std::scoped_lock lock(mutex_);
    if (live.trial.test != test_) {
      if (!test_.empty()) progress_.endTest();
      test_ = live.trial.test;
      trial_ = 0;
      progress_.beginTest(test_, live.trial.expected);
    }
    if (live.trial.number != trial_) {
      trial_ = live.trial.number;
      progress_.beginTrial(live.trial.label);
    }
    const auto total = static_cast<double>(std::max<std::int64_t>(1, live.trial.total_ps));
    if (live.trial.ended) {
      progress_.endTrial(live.kpi, live.trial.stored);
    } else {
      progress_.update(static_cast<double>(live.trial.time_ps) / total);
    }
  }

  void queryState(Client& client) {
    client.run(run_, [this](const control::Outcome<RunState>& state) {
      if (state.ok() && !state.value().active) over_ = true;
    });
  }

  void end() {
    if (!told_.exchange(true)) promise_.set_value();
  }

  std::int64_t run_ = 0;
  bool shows_ = false;  // the stream is where the run began; on the client's thread
  std::mutex mutex_;
  Progress progress_;
  std::string test_;
  std::uint64_t trial_ = 0;
  std::atomic<bool> told_ = false;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + 2s;
  std::atomic<bool> over_ = false;
  int polls_after_end_ = 0;
  std::promise<void> promise_;
  std::future<void> ended_ = promise_.get_future();
};

// Copies the server's log of the run line by line.
class LogCopy {
 public:
  LogCopy(const std::string& file, Follower& follower, OutputErrors& errors)
      : follower_(follower), errors_(errors) {
    if (!file.empty()) file_.emplace(file);
  }

  // Fetches new parts of it, at most once a second.
  void pollLog(Client& client, std::int64_t run) {
    const auto now = std::chrono::steady_clock::now();
    if (!file_ || now < next_) return;
    next_ = now + 1s;
    take(client, run);
  }

  // Fetches all parts. A part that is not available now is requested again.
  void take(Client& client, std::int64_t run) {
    while (file_) {
      const auto lines = outcomeOf<std::string>(
          [&](auto done) { client.log(run, static_cast<std::uint64_t>(taken_), done); });
      if (!lines.ok() || lines.value().empty()) return;
      taken_ += lines.value().size();
      errors_.attemptLive(
          file_, [&](OutputFile& file) { file.write(lines.value()); },
          [this] { follower_.clear(); });
    }
  }

 private:
  Follower& follower_;
  OutputErrors& errors_;
  std::optional<OutputFile> file_;
  std::size_t taken_ = 0;  // bytes
  std::chrono::steady_clock::time_point next_;
};

// As for a local file. The run itself reports mistakes.
void printServerWarnings(Client& client, const control::ScenarioRequest& scenario,
                         const std::string& file) {
  const auto answer =
      wait<control::ValidationAnswer>([&](auto done) { client.validate(scenario, done); });
  for (const control::ScenarioProblem& one : answer.warnings) {
    const scenario::Problem warning{one.line, one.column, "warning: " + one.what, one.allowed};
    note(stderr, "{}\n", warning.text(file));
  }
}

void printResumedRun(const RunState& begun) {
  if (begun.trials == 0) {
    note(stderr, "nothing to resume: nothing is stored of this run\n");
    return;
  }
  note(stderr, "going on with run {}: {} trials are stored\n", begun.id, begun.trials);
}

// The file of the report; empty when there is none.
std::string fetchFiles(Client& client, std::int64_t id, const RunOptions& run,
                       OutputErrors& errors) {
  std::string report;
  if (!run.json.empty()) {
    errors.attempt([&] {
      writeFile(run.json, wait<std::string>([&](auto done) { client.results(id, done); }));
    });
  }
  if (!run.report.empty()) {
    errors.attempt([&] {
      requireDirectory(run.report, "--report");
      const std::string file = (std::filesystem::path(run.report) / "report.html").string();
      writeFile(file, wait<std::string>([&](auto done) { client.report(id, done); }));
      report = file;
    });
  }
  if (!run.capture.empty()) {
    errors.attempt([&] {
      writeFile(run.capture, wait<std::string>([&](auto done) { client.capture(id, done); }));
    });
  }
  return report;
}

}  // namespace

void addServerOptions(CLI::App& verb, ServerOptions& options, const std::string& help) {
  verb.add_option("--server", options.address, help);
  verb.add_option("--token-file", options.token_file, "File that holds the server's token");
  verb.add_option("--ca", options.ca_file,
                  "PEM file of the server's certificate authority (default: system's)");
}

std::unique_ptr<Client> connectTo(const ServerOptions& options) {
  auto address = control::ServerAddress::parse(options.address);
  if (!options.token_file.empty()) address.token = readToken(options.token_file);
  address.ca_file = options.ca_file;
  return std::make_unique<Client>(address);
}

ExitCode runRemotely(const RunOptions& run) {
  // Before the client, whose thread calls it, so that it outlives the client.
  Follower follower(run.quiet);
  const auto client = connectTo(run.server);
  control::RunRequest request;
  request.scenario = requestOf(run.scenario);
  request.threads = run.threads;
  if (!run.capture.empty()) request.capture_port = run.capture_port;
  request.owner = hostName();
  request.resume = run.resume;
  checkOutputFiles(run, nullptr);
  makeOutputDirectories(run);
  OutputErrors errors;
  LogCopy log(run.jsonl, follower, errors);

  printServerWarnings(*client, request.scenario, run.scenario.file);
  const InterruptGuard interrupt;
  const RunState begun = wait<RunState>([&](auto done) { client->start(request, done); });
  const std::int64_t id = begun.id;
  if (!run.quiet) {
    if (run.resume) printResumedRun(begun);
    note(stderr, "run {} on {}\n", id, run.server.address);
  }
  follower.begin(*client, begun);
  for (bool stopped = false; !follower.endedWithin(100ms);) {
    log.pollLog(*client, id);
    follower.queryPeriodically(*client);
    if (!interrupt.requested() || stopped) continue;
    stopped = true;
    // A refusal means that the run has already ended, which is reported as well.
    client->stop(id, {});
  }
  follower.finish(*client);
  log.take(*client, id);

  const RunState ended = wait<RunState>([&](auto done) { client->run(id, done); });
  if (ended.status == "aborted") {
    note(stderr, "run {} was stopped; its finished trials are saved on the server\n", id);
    return ExitCode::kAborted;
  }
  if (ended.status != "done") throw Error(ErrorKind::kTester, ended.error, run.server.address);
  const auto text = wait<std::string>(
      [&](auto done) { run.tables ? client->tables(id, done) : client->summary(id, done); });
  const std::string report = fetchFiles(*client, id, run, errors);
  fmt::print("{}", printable(text, true));
  if (!run.tables) fmt::print("all tables: run with --tables\n");
  if (!report.empty()) fmt::print("report {}\n", report);
  errors.check();
  return static_cast<ExitCode>(ended.exit_code.value_or(static_cast<int>(ExitCode::kInvalid)));
}

}  // namespace plumbline::cli
