#include "cli/remote_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <mutex>
#include <sstream>
#include <utility>

#include "base/error.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "control/client.h"
#include "session/planning.h"
#include "session/reporting.h"

namespace plumbline::cli {
namespace {

using namespace std::chrono_literals;
using control::Client;
using control::RunState;

// In which the stream's end may come after the run is known to be over.
constexpr int kMomentsToWait = 20;

[[noreturn]] void refuse(const control::Refusal& refusal) {
  std::string what = refusal.what;
  for (const control::ScenarioProblem& problem : refusal.problems) {
    what += fmt::format("\n{}:{}: {}{}", problem.line, problem.column, problem.what,
                        problem.allowed.empty() ? "" : " (" + problem.allowed + ")");
  }
  const bool asked = refusal.status >= 400 && refusal.status < 500;
  throw Error(asked ? ErrorKind::kUsage : ErrorKind::kTester, what, refusal.where, refusal.remedy);
}

// Waits for the answer to one call of the client.
template <typename T, typename Call>
T wait(Call call) {
  auto promise = std::make_shared<std::promise<control::Outcome<T>>>();
  auto answer = promise->get_future();
  call([promise](const control::Outcome<T>& outcome) { promise->set_value(outcome); });
  const control::Outcome<T> outcome = answer.get();
  if (!outcome.ok()) refuse(outcome.refusal());
  return outcome.value();
}

std::string textOf(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) throw Error(ErrorKind::kUsage, "the file cannot be read", file);
  return text.str();
}

// A file of this machine is sent; any other name is the server's to know.
control::ScenarioRequest requestOf(const ScenarioOptions& options) {
  control::ScenarioRequest request{"", options.file, options.bench, options.profile, options.seed};
  std::error_code ignored;
  if (std::filesystem::is_regular_file(options.file, ignored)) {
    request.scenario = textOf(options.file);
  }
  return request;
}

// What the live stream says of one run, shown on stderr.
class Follower {
 public:
  explicit Follower(bool quiet) : progress_(stderr, Progress::styleFor(stderr, quiet)) {}

  void begin(Client& client, std::int64_t run) {
    run_ = run;
    control::LiveCallbacks callbacks;
    callbacks.interval = [this](const control::LiveInterval& live) { show(live); };
    callbacks.run = [this](const RunState& state) {
      if (state.id == run_ && !state.active) end();
    };
    // That it ended long ago is found out by asking.
    callbacks.connected = [this, &client](const control::LiveHello&) {
      client.run(run_, [this](const control::Outcome<RunState>& state) {
        if (state.ok() && !state.value().active) over_ = true;
      });
    };
    client.watch(0, std::move(callbacks));
  }

  // Waits for a moment. True once the run has ended: the stream says so behind its last interval.
  // It may have nothing left to say of it; then that is known from elsewhere.
  bool endedWithin(std::chrono::milliseconds moment) {
    if (ended_.wait_for(moment) == std::future_status::ready) return true;
    return over_ && ++moments_over_ > kMomentsToWait;
  }

  void finish(Client& client) {
    client.unwatch();
    const std::scoped_lock lock(mutex_);
    if (!test_.empty()) progress_.endTest();
    progress_.clear();
  }

 private:
  void show(const control::LiveInterval& live) {
    if (live.run != run_) return;
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

  void end() {
    if (!told_.exchange(true)) promise_.set_value();
  }

  std::int64_t run_ = 0;
  std::mutex mutex_;
  Progress progress_;
  std::string test_;
  std::uint64_t trial_ = 0;
  std::atomic<bool> told_ = false;
  std::atomic<bool> over_ = false;
  int moments_over_ = 0;
  std::promise<void> promise_;
  std::future<void> ended_ = promise_.get_future();
};

void fetchFiles(Client& client, std::int64_t id, const RemoteRun& run) {
  if (!run.json.empty()) {
    session::writeFile(run.json, wait<std::string>([&](auto done) { client.results(id, done); }));
  }
  if (!run.report.empty()) {
    std::filesystem::create_directories(run.report);
    const std::string file = (std::filesystem::path(run.report) / "report.html").string();
    session::writeFile(file, wait<std::string>([&](auto done) { client.report(id, done); }));
    fmt::print("report {}\n", file);
  }
  if (!run.capture.empty()) {
    session::writeFile(run.capture,
                       wait<std::string>([&](auto done) { client.capture(id, done); }));
  }
}

}  // namespace

void addServerOptions(CLI::App& verb, ServerOptions& options, const std::string& help) {
  auto* server = verb.add_option("--server", options.address, help);
  verb.add_option("--token-file", options.token_file, "File that holds the server's token")
      ->needs(server);
  verb.add_option("--ca", options.ca_file,
                  "PEM file of who signed the server's certificate (default: the system's)")
      ->needs(server);
}

std::string readToken(const std::string& file) {
  std::ifstream stream(file);
  std::string token;
  if (!std::getline(stream, token) || token.empty()) {
    throw Error(ErrorKind::kUsage, "there is no token in the file", file,
                "a file whose first line is the token");
  }
  return token;
}

std::unique_ptr<Client> connectTo(const ServerOptions& options) {
  auto address = control::ServerAddress::parse(options.address);
  if (!options.token_file.empty()) address.token = readToken(options.token_file);
  address.ca_file = options.ca_file;
  return std::make_unique<Client>(address);
}

ExitCode runRemotely(const RemoteRun& run) {
  // Before the client, whose thread tells it things, so that it is there as long.
  Follower follower(run.quiet);
  const auto client = connectTo(run.server);
  control::RunRequest request;
  request.scenario = requestOf(run.scenario);
  request.threads = run.threads;
  if (!run.capture.empty()) request.capture_port = run.capture_port;
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) == 0) request.owner = name.data();

  const InterruptGuard interrupt;
  const RunState begun = wait<RunState>([&](auto done) { client->start(request, done); });
  const std::int64_t id = begun.id;
  if (!run.quiet) fmt::print(stderr, "run {} on {}\n", id, run.server.address);
  follower.begin(*client, id);
  for (bool stopped = false; !follower.endedWithin(100ms);) {
    if (!interrupt.requested() || stopped) continue;
    stopped = true;
    // A refusal means that it has ended by itself, which is told as well.
    client->stop(id, {});
  }
  follower.finish(*client);

  const RunState ended = wait<RunState>([&](auto done) { client->run(id, done); });
  if (ended.status == "aborted") {
    fmt::print(stderr, "run {} was stopped; its finished trials are saved on the server\n", id);
    return ExitCode::kAborted;
  }
  if (ended.status != "done") throw Error(ErrorKind::kTester, ended.error, run.server.address);
  fmt::print("{}", wait<std::string>([&](auto done) { client->summary(id, done); }));
  fetchFiles(*client, id, run);
  return static_cast<ExitCode>(ended.exit_code.value_or(static_cast<int>(ExitCode::kInvalid)));
}

}  // namespace plumbline::cli
