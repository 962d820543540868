#include "sweep/point.h"

#include <fmt/format.h>

#include "base/error.h"
#include "session/run.h"

namespace plumbline::sweep {

void measurePoint(const SweepDirectory& directory, std::size_t point,
                  session::RunWatcher& watcher) {
  const session::PreparedRun prepared = session::prepareRun(directory.scenario(point), {});
  directory.prepare(point);
  const PointLock lock(directory.pointDirectory(point), PointLock::Kind::kWork);
  if (!lock.held()) {
    throw Error(ErrorKind::kUsage, fmt::format("another process is running point {}", point + 1),
                directory.pointDirectory(point).string(), "wait for it or end it");
  }
  auto store = results::ResultStore::open(directory.pointDirectory(point));
  for (const results::RunInfo& run : runsOf(store, prepared.scenario)) {
    if (run.status == results::RunStatus::kDone) return;
  }
  // Measurements of another version are not continued.
  const auto unfinished = store.latestUnfinished(session::identityOf(prepared.scenario));
  const bool resumable = unfinished && unfinished->software == session::softwareName();
  const std::int64_t run =
      resumable ? unfinished->id : session::createRun(store, prepared.scenario);
  session::executeRun(prepared, store, run, watcher, {});
}

void checkPoints(const scenario::Sweep& sweep, const session::ScenarioOptions& options) {
  for (std::size_t point = 0; point < sweep.size(); ++point) {
    try {
      session::prepareRun(pointScenario(sweep, options, point), {});
    } catch (const Error& e) {
      throw Error(e.kind(),
                  fmt::format("point {}, {}:\n{}", point + 1, sweep.label(point), e.what()));
    }
  }
}

}  // namespace plumbline::sweep
