#include "sweep/local_engine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <deque>
#include <list>
#include <thread>
#include <utility>

#include "base/error.h"
#include "sweep/subprocess.h"

namespace plumbline::sweep {
namespace {

constexpr int kMaxAttemptsWithoutProgress = 3;
constexpr std::chrono::milliseconds kPollPause{10};
constexpr int kAborted = 5;  // a worker's exit code after a stop request

// One local sweep per directory; workers on other machines have the locks of their points.
class DirectoryLock {
 public:
  explicit DirectoryLock(const std::filesystem::path& directory) {
    const auto file = directory / "sweep.lock";
    descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor_ < 0 || ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      if (descriptor_ >= 0) ::close(descriptor_);
      throw Error(ErrorKind::kUsage, "another process is running this sweep", file.string(),
                  "wait for it or end it; the same command goes on then");
    }
  }
  ~DirectoryLock() { ::close(descriptor_); }
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  int descriptor_ = -1;
};

// A point that is not done, and how its workers fared.
struct Task {
  std::size_t point = 0;
  int attempts_without_progress = 0;  // attempts in a row that died without a finished trial
  std::uint64_t trials = 0;           // stored when the last attempt began
};

class LocalRun {
 public:
  LocalRun(const SweepDirectory& directory, const LocalOptions& options)
      : directory_(directory), options_(options), lock_(directory.path()) {
    for (const std::size_t point : directory.unfinished()) waiting_.push_back({point, 0, 0});
    done_ = directory.size() - waiting_.size();
    if (done_ > 0) say(fmt::format("{} of {} points are done already", done_, directory.size()));
  }

  LocalOutcome run() {
    while (!running_.empty() || (!waiting_.empty() && !outcome_.stopped)) {
      if (!outcome_.stopped && options_.stop_requested()) stop();
      while (!outcome_.stopped && !waiting_.empty() && running_.size() < options_.workers) start();
      std::this_thread::sleep_for(kPollPause);
      for (auto one = running_.begin(); one != running_.end();) {
        const auto ended = one->worker.ended();
        if (!ended) {
          ++one;
          continue;
        }
        const Task task = one->task;
        one = running_.erase(one);
        settle(task, *ended);
      }
    }
    return std::move(outcome_);
  }

 private:
  struct Running {
    Task task;
    Worker worker;
  };

  void say(const std::string& line) const { options_.say(line); }
  [[nodiscard]] std::string name(std::size_t point) const {
    return fmt::format("point {}, {}", point + 1, directory_.sweep().label(point));
  }

  void start() {
    Task task = waiting_.front();
    waiting_.pop_front();
    directory_.prepare(task.point);
    task.trials = directory_.status(task.point).trials;
    running_.push_back(
        {task, Worker(workerCommand(directory_, task.point), directory_.logFile(task.point))});
  }

  void stop() {
    outcome_.stopped = true;
    for (const Running& one : running_) one.worker.interrupt();
  }

  // The stored state decides, not how the worker ended.
  void settle(Task task, const Ended& ended) {
    const PointStatus status = directory_.status(task.point);
    if (status.state == PointState::kDone) {
      ++done_;
      say(fmt::format("{} of {} points are done: {}", done_, directory_.size(), name(task.point)));
      return;
    }
    if (outcome_.stopped) return;
    if (ended.signal == 0 && ended.exit_code != kAborted) {
      outcome_.failed.push_back(task.point);
      say(fmt::format("{} failed with exit code {}; see {}", name(task.point), ended.exit_code,
                      directory_.logFile(task.point).string()));
      return;
    }
    task.attempts_without_progress =
        status.trials > task.trials ? 0 : task.attempts_without_progress + 1;
    if (task.attempts_without_progress == kMaxAttemptsWithoutProgress) {
      outcome_.failed.push_back(task.point);
      say(fmt::format("{} was killed {} times without a finished trial in between; given up",
                      name(task.point), kMaxAttemptsWithoutProgress));
      return;
    }
    say(fmt::format("{} was {}; it is run again", name(task.point),
                    ended.signal == 0 ? std::string("interrupted")
                                      : fmt::format("ended by signal {}", ended.signal)));
    waiting_.push_back(task);
  }

  const SweepDirectory& directory_;
  const LocalOptions& options_;
  DirectoryLock lock_;
  std::deque<Task> waiting_;
  std::list<Running> running_;
  std::size_t done_ = 0;
  LocalOutcome outcome_;
};

}  // namespace

LocalOutcome runLocally(const SweepDirectory& directory, const LocalOptions& options) {
  return LocalRun(directory, options).run();
}

std::vector<std::string> workerCommand(const SweepDirectory& directory, std::size_t point) {
  return {ownProgram().string(),     "sweep", "--point",
          std::to_string(point + 1), "--dir", directory.path().string()};
}

}  // namespace plumbline::sweep
