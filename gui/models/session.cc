// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/session.h"

#include <algorithm>

#include "base/error.h"
#include "gui/models/text.h"

namespace plumbline::gui {

// Intervals arrive on the client's thread at their own rate. One queued call at a time fetches all
// that have arrived, so that a slow window falls behind by one update and not by a queue of events.
struct Session::Inbox {
  // A window that is blocked for minutes must not fill the memory; dropped intervals are reported.
  static constexpr std::size_t kMaxIntervals = 4096;

  std::mutex mutex;
  std::vector<control::LiveInterval> intervals;
  std::uint64_t left_out = 0;
  bool called = false;
};

Session::Session(QObject* parent) : QObject(parent) {
  update_timer_.setSingleShot(true);
  update_timer_.setInterval(kUpdateMs);
  connect(&update_timer_, &QTimer::timeout, this, &Session::updated);
}

Session::~Session() { client_.reset(); }

void Session::setState(State state) {
  if (state == state_) return;
  state_ = state;
  emit stateChanged();
}

QString Session::addressText() const {
  if (!client_) return {};
  const control::ServerAddress& address = client_->address();
  return QStringLiteral("%1:%2").arg(text(address.host)).arg(address.port);
}

void Session::open(const control::ServerAddress& address) {
  close();
  try {
    client_ = std::make_unique<control::Client>(address);
  } catch (const Error& error) {
    emit message(text(error.what()), true);
    return;
  }
  setState(State::kConnecting);
  watch();
}

void Session::close() {
  if (!client_) return;
  client_.reset();
  inbox_.reset();
  capabilities_.reset();
  ports_.clear();
  scenarios_.clear();
  runs_.clear();
  runs_listed_ = false;
  reported_early_.clear();
  instance_.clear();
  emit portsChanged();
  emit scenariosChanged();
  emit runsChanged();
  setState(State::kDisconnected);
}

void Session::clearLive() {
  live_.clear();
  emit updated();
}

void Session::watch() {
  auto inbox = std::make_shared<Inbox>();
  inbox_ = inbox;
  // Queued calls of an earlier connection find another inbox and do nothing.
  const auto post = [this, inbox](auto call) {
    QMetaObject::invokeMethod(
        this,
        [this, inbox, call] {
          if (inbox == inbox_) call();
        },
        Qt::QueuedConnection);
  };
  control::LiveCallbacks callbacks;
  callbacks.connected = [this, post](const control::LiveHello& hello) {
    post([this, hello] { connected(hello); });
  };
  callbacks.disconnected = [this, post](const control::Refusal& refusal) {
    post([this, refusal] { disconnected(refusal); });
  };
  callbacks.run = [this, post](const control::RunState& run) {
    post([this, run] { runReported(run); });
  };
  callbacks.lost = [this, post](std::uint64_t count) {
    post([this, count] { lostIntervals(count); });
  };
  callbacks.interval = [this, post, inbox](const control::LiveInterval& interval) {
    const std::lock_guard lock(inbox->mutex);
    if (inbox->intervals.size() == Inbox::kMaxIntervals) {
      ++inbox->left_out;
      return;
    }
    inbox->intervals.push_back(interval);
    if (inbox->called) return;
    inbox->called = true;
    post([this] { drain(); });
  };
  client_->watch(0, callbacks);
}

void Session::drain() {
  std::vector<control::LiveInterval> intervals;
  std::uint64_t left_out = 0;
  {
    const std::lock_guard lock(inbox_->mutex);
    intervals.swap(inbox_->intervals);
    left_out = std::exchange(inbox_->left_out, 0);
    inbox_->called = false;
  }
  for (const control::LiveInterval& interval : intervals) live_.add(interval);
  if (left_out > 0) lostIntervals(left_out);
  if (!update_timer_.isActive()) update_timer_.start();
}

void Session::connected(const control::LiveHello& hello) {
  const QString instance = text(hello.instance);
  if (instance != instance_) {
    // A new server process restarts the numbers of intervals and runs.
    if (!instance_.isEmpty()) clearLive();
    instance_ = instance;
  }
  setState(State::kConnected);
  emit message(tr("Connected to %1").arg(addressText()), false);
  refreshLists();
}

void Session::disconnected(const control::Refusal& refusal) {
  // Reported once, not at every attempt.
  const bool news = state_ == State::kConnected || instance_.isNull();
  if (instance_.isNull()) instance_ = QStringLiteral("");
  setState(State::kConnecting);
  if (news) emit message(refusalText(refusal), true);
}

void Session::lostIntervals(std::uint64_t count) {
  emit message(tr("%1 live intervals did not arrive; live plots lack them, results do not")
                   .arg(countText(count)),
               true);
}

// The stream begins with old states of runs that the server still has, for which the list is newer.
void Session::listRuns(const std::vector<control::RunState>& runs) {
  runs_ = runs;
  std::sort(runs_.begin(), runs_.end(), [](const auto& a, const auto& b) { return a.id > b.id; });
  runs_listed_ = true;
  for (const control::RunState& run : std::exchange(reported_early_, {})) runReported(run);
  emit runsChanged();
}

void Session::runReported(const control::RunState& run) {
  if (!runs_listed_) {
    reported_early_.push_back(run);
    return;
  }
  const auto found = std::find_if(runs_.begin(), runs_.end(), [&run](const control::RunState& one) {
    return one.id == run.id;
  });
  // A run that ended has its trials; a resumed one continues from them.
  if (found != runs_.end() && !found->active && run.trials < found->trials) return;
  const bool was_active = found != runs_.end() && found->active;
  if (found != runs_.end()) {
    *found = run;
  } else {
    runs_.insert(std::upper_bound(runs_.begin(), runs_.end(), run,
                                  [](const control::RunState& a, const control::RunState& b) {
                                    return a.id > b.id;
                                  }),
                 run);
  }
  emit runsChanged();
  client_->ports(onGui<std::vector<control::PortState>>(this, [this](const auto& outcome) {
    if (!outcome.ok()) return;
    ports_ = outcome.value();
    emit portsChanged();
  }));
  if (was_active && !run.active) {
    update_timer_.stop();
    emit updated();
    emit runEnded(run);
  }
}

void Session::refreshLists() {
  // Answers of a server that has been disconnected since are ignored.
  const auto fetch = [this](auto handle) {
    return [this, inbox = inbox_, handle](const auto& outcome) {
      if (inbox != inbox_) return;
      if (outcome.ok()) {
        handle(outcome.value());
      } else {
        emit message(refusalText(outcome.refusal()), true);
      }
    };
  };
  client_->capabilities(onGui<control::ServerCapabilities>(
      this, fetch([this](const control::ServerCapabilities& value) {
        capabilities_ = value;
        emit stateChanged();
      })));
  client_->ports(onGui<std::vector<control::PortState>>(
      this, fetch([this](const std::vector<control::PortState>& value) {
        ports_ = value;
        emit portsChanged();
      })));
  client_->scenarios(onGui<std::vector<control::ScenarioListing>>(
      this, fetch([this](const std::vector<control::ScenarioListing>& value) {
        scenarios_ = value;
        emit scenariosChanged();
      })));
  client_->runs(onGui<std::vector<control::RunState>>(
      this, fetch([this](const std::vector<control::RunState>& value) { listRuns(value); })));
}

const control::RunState* Session::activeRun() const {
  const auto found = std::find_if(runs_.begin(), runs_.end(),
                                  [](const control::RunState& run) { return run.active; });
  return found == runs_.end() ? nullptr : &*found;
}

QString Session::refusalText(const control::Refusal& refusal) {
  QString out = text(refusal.what);
  if (!refusal.where.empty()) out = text(refusal.where) + QStringLiteral(": ") + out;
  if (!refusal.remedy.empty()) out += QStringLiteral(" (%1)").arg(text(refusal.remedy));
  return out;
}

}  // namespace plumbline::gui
