#include "sweep/sweep_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/file_text.h"
#include "base/json.h"
#include "base/output_file.h"
#include "session/run.h"

namespace plumbline::sweep {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kFile = "sweep.json";
constexpr int kFormat = 1;

// How long a worker waits for a reader.
constexpr int kLockAttempts = 200;
constexpr std::chrono::milliseconds kLockPause{10};

Json describe(const std::string& text, const session::ScenarioOptions& options) {
  Json json{{"format", kFormat}, {"file", options.file}};
  if (options.bench) json["bench"] = *options.bench;
  if (options.profile) json["profile"] = *options.profile;
  if (options.seed) json["seed"] = *options.seed;
  json["scenario"] = text;
  return json;
}

// Whether `a` and `b` describe the same sweep; the path of the file is not compared.
bool sameSweep(const Json& a, const Json& b) {
  for (const char* key : {"scenario", "bench", "profile", "seed"}) {
    if (a.value(key, Json()) != b.value(key, Json())) return false;
  }
  return true;
}

Json readDescription(const fs::path& file) {
  // Little more than its scenario.
  Json json = parseJsonOrDiscard<Json>(readFile(file, 4 * scenario::kMaxScenarioBytes));
  const auto is_text = [&](const char* key) { return json.contains(key) && json[key].is_string(); };
  const auto is_text_if_any = [&](const char* key) { return !json.contains(key) || is_text(key); };
  const bool good = json.is_object() && json.value("format", Json()) == kFormat &&
                    is_text("file") && is_text("scenario") && is_text_if_any("bench") &&
                    is_text_if_any("profile") &&
                    (!json.contains("seed") || holds<std::uint64_t>(json["seed"]));
  if (!good) {
    throw Error(ErrorKind::kTester, "this is not the description of a sweep", file.string(),
                "use the version of plumbline that began it, or another directory");
  }
  return json;
}

session::ScenarioOptions optionsOf(const Json& json) {
  session::ScenarioOptions options;
  options.file = json["file"];
  if (json.contains("bench")) options.bench = json["bench"].get<std::string>();
  if (json.contains("profile")) options.profile = json["profile"].get<std::string>();
  if (json.contains("seed")) options.seed = json["seed"].get<std::uint64_t>();
  return options;
}

// Atomically.
void writeDescription(const fs::path& directory, const Json& json) {
  const fs::path unfinished = directory / (std::string(kFile) + ".new");
  std::ofstream stream(unfinished, std::ios::binary | std::ios::trunc);
  stream << json.dump(2) << "\n";
  stream.close();
  std::error_code error;
  if (stream) fs::rename(unfinished, directory / kFile, error);
  if (!stream || error) {
    throw Error(ErrorKind::kTester, "the sweep's directory cannot be written", directory.string(),
                "check its permissions and the room on the disk");
  }
}

// Swept keys cannot be overridden.
void checkOverrides(const scenario::Sweep& sweep, const session::ScenarioOptions& options) {
  for (const scenario::SweepAxis& axis : sweep.axes()) {
    const bool both = (axis.key == "bench" && options.bench) ||
                      (axis.key == "profile" && options.profile) ||
                      (axis.key == "seed" && options.seed);
    if (both) {
      throw Error(ErrorKind::kUsage, "the scenario sweeps \"" + axis.key + "\" itself",
                  "--" + axis.key, "leave the option out");
    }
  }
}

// Status from the store of a point on which no process is working.
PointStatus statusIn(const fs::path& directory, const scenario::Scenario& scenario) {
  auto store = results::ResultStore::openExisting(directory);
  PointStatus status;
  for (const results::RunInfo& run : runsOf(store, scenario)) {
    status.trials = run.trials;
    switch (run.status) {
      case results::RunStatus::kDone:
        return {PointState::kDone, run.trials};
      case results::RunStatus::kFailed:
        status.state = PointState::kFailed;
        break;
      case results::RunStatus::kRunning:  // not running any more: it was killed
      case results::RunStatus::kAborted:
        status.state = PointState::kInterrupted;
        break;
    }
  }
  return status;
}

}  // namespace

std::string_view pointStateName(PointState state) {
  constexpr std::array<std::string_view, 5> kNames{"waiting", "running", "interrupted", "failed",
                                                   "done"};
  return kNames.at(static_cast<std::size_t>(state));
}

PointLock::PointLock(const fs::path& directory, Kind kind) {
  const fs::path file = directory / "point.lock";
  descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0) {
    throw Error(ErrorKind::kTester,
                std::string("the lock of a point cannot be created: ") + std::strerror(errno),
                file.string(), "check that the sweep's directory can be written");
  }
  const int attempts = kind == Kind::kWork ? kLockAttempts : 1;
  for (int attempt = 0; attempt < attempts && !held_; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(kLockPause);
    held_ = ::flock(descriptor_, (kind == Kind::kWork ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0;
  }
}

PointLock::~PointLock() { ::close(descriptor_); }

SweepDirectory::SweepDirectory(fs::path path, std::string text, session::ScenarioOptions options)
    : path_(std::move(path)),
      text_(std::move(text)),
      options_(std::move(options)),
      sweep_(text_, options_.file) {}

SweepDirectory SweepDirectory::begin(const fs::path& directory,
                                     const session::ScenarioOptions& options) {
  const scenario::Scenario scenario = session::loadScenario(options);
  session::ScenarioOptions absolute = options;
  absolute.file = fs::absolute(scenario.file).lexically_normal().string();
  SweepDirectory begun(fs::absolute(directory).lexically_normal(), scenario.text, absolute);
  checkOverrides(begun.sweep_, options);
  const Json wanted = describe(scenario.text, absolute);
  const fs::path file = begun.path_ / kFile;
  if (fs::exists(file) && !sameSweep(wanted, readDescription(file))) {
    throw Error(ErrorKind::kUsage,
                "the directory holds a sweep of another scenario, or of this one before it was "
                "changed",
                begun.path_.string(), "choose another one with --dir, or remove it");
  }
  requireDirectory(begun.path_);
  writeDescription(begun.path_, wanted);
  return begun;
}

SweepDirectory SweepDirectory::open(const fs::path& directory) {
  if (directory.empty()) {
    throw Error(ErrorKind::kUsage, "the name of a sweep's directory is empty", {},
                "give the directory that `plumbline sweep` named");
  }
  const fs::path path = fs::absolute(directory).lexically_normal();
  if (!fs::exists(path / kFile)) {
    throw Error(ErrorKind::kUsage, "there is no sweep here", path.string(),
                "give the directory that `plumbline sweep` named");
  }
  const Json json = readDescription(path / kFile);
  return {path, json["scenario"], optionsOf(json)};
}

scenario::Scenario SweepDirectory::whole() const {
  scenario::Scenario whole = scenario(0);
  whole.text = text_;
  whole.sweep = sweep_.axes();
  return whole;
}

scenario::Scenario SweepDirectory::scenario(std::size_t point) const {
  if (point >= size()) {
    throw Error(ErrorKind::kUsage, fmt::format("there is no point {}", point + 1), path_.string(),
                fmt::format("1 to {}", size()));
  }
  return pointScenario(sweep_, options_, point);
}

fs::path SweepDirectory::pointDirectory(std::size_t point) const {
  return path_ / "points" / std::to_string(point + 1);
}

fs::path SweepDirectory::logFile(std::size_t point) const {
  return pointDirectory(point) / "log.txt";
}

void SweepDirectory::prepare(std::size_t point) const { requireDirectory(pointDirectory(point)); }

PointStatus SweepDirectory::status(std::size_t point) const {
  const fs::path directory = pointDirectory(point);
  if (!fs::exists(directory)) return {};
  // A store is not opened while its owner, possibly on another machine, writes to it.
  const PointLock lock(directory, PointLock::Kind::kInspect);
  if (!lock.held()) return {PointState::kRunning, 0};
  if (!fs::exists(directory / results::ResultStore::kFileName)) return {};
  try {
    return statusIn(directory, scenario(point));
  } catch (const Error&) {
    return {PointState::kFailed, 0};  // damaged: a worker on the point reports how
  }
}

std::vector<std::size_t> SweepDirectory::unfinished() const {
  std::vector<std::size_t> points;
  for (std::size_t point = 0; point < size(); ++point) {
    if (status(point).state != PointState::kDone) points.push_back(point);
  }
  return points;
}

scenario::Scenario pointScenario(const scenario::Sweep& sweep,
                                 const session::ScenarioOptions& options, std::size_t point) {
  scenario::Scenario scenario = sweep.scenario(point, session::vocabulary());
  session::applyOverrides(options, scenario);
  return scenario;
}

std::vector<results::RunInfo> runsOf(results::ResultStore& store,
                                     const scenario::Scenario& scenario) {
  const results::RunIdentity wanted = session::identityOf(scenario);
  std::vector<results::RunInfo> runs;
  for (results::RunInfo& run : store.listRuns()) {
    const results::RunIdentity& has = run.identity;
    if (has.scenario_text == wanted.scenario_text && has.bench == wanted.bench &&
        has.profile == wanted.profile && has.seed == wanted.seed && has.files == wanted.files) {
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

}  // namespace plumbline::sweep
