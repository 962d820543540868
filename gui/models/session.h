// SPDX-License-Identifier: GPL-3.0-or-later
// The window's end of the connection: sends requests to the server, follows its live stream, and
// passes answers and intervals to the GUI thread. Never blocks on the network.
#pragma once

#include <QObject>
#include <QPointer>
#include <QTimer>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "control/client.h"
#include "gui/data/live_run.h"

namespace plumbline::gui {

class Session : public QObject {
  Q_OBJECT
 public:
  enum class State { kDisconnected, kConnecting, kConnected };

  // Milliseconds between two updated() while intervals arrive.
  static constexpr int kUpdateMs = 100;

  explicit Session(QObject* parent = nullptr);
  ~Session() override;

  // Connects to this server after leaving the present one, if any. A server that does not answer is
  // retried until close().
  void open(const control::ServerAddress& address);
  void close();

  [[nodiscard]] State state() const { return state_; }
  // "127.0.0.1:8470"; empty when closed.
  [[nodiscard]] QString addressText() const;

  // The live run so far; changes between two updated().
  [[nodiscard]] const LiveRun& live() const { return live_; }
  // Clears the live run, for a new one.
  void clearLive();

  [[nodiscard]] const std::optional<control::ServerCapabilities>& capabilities() const {
    return capabilities_;
  }
  [[nodiscard]] const std::vector<control::PortState>& ports() const { return ports_; }
  [[nodiscard]] const std::vector<control::ScenarioListing>& scenarios() const {
    return scenarios_;
  }
  // The newest state of every run that the server reported, newest first.
  [[nodiscard]] const std::vector<control::RunState>& runs() const { return runs_; }
  // The active run, if there is one.
  [[nodiscard]] const control::RunState* activeRun() const;

  // For direct requests to the server; null while closed. Use it with onGui().
  [[nodiscard]] control::Client* client() { return client_.get(); }

  // A callback for the client that runs `handle` on the GUI thread, unless `receiver` is gone.
  template <typename T>
  control::Client::Callback<T> onGui(QObject* receiver,
                                     std::function<void(const control::Outcome<T>&)> handle) {
    return [this, guard = QPointer<QObject>(receiver),
            handle = std::move(handle)](const control::Outcome<T>& outcome) {
      QMetaObject::invokeMethod(
          this,
          [guard, handle, outcome] {
            if (guard) handle(outcome);
          },
          Qt::QueuedConnection);
    };
  }

  // The fault and its remedy, in one line.
  static QString refusalText(const control::Refusal& refusal);

 signals:
  void stateChanged();
  // Live data changed; at most one in kUpdateMs.
  void updated();
  void portsChanged();
  void scenariosChanged();
  void runsChanged();
  // A run of this server ended, after the last updated() of it.
  void runEnded(const control::RunState& run);
  void message(const QString& text, bool failure);

 private:
  struct Inbox;  // written by the client's thread for the GUI thread

  void drain();
  void connected(const control::LiveHello& hello);
  void disconnected(const control::Refusal& refusal);
  void lostIntervals(std::uint64_t count);
  void runReported(const control::RunState& run);
  void listRuns(const std::vector<control::RunState>& runs);
  void refreshLists();
  void setState(State state);
  void watch();

  State state_ = State::kDisconnected;
  LiveRun live_;
  std::optional<control::ServerCapabilities> capabilities_;
  std::vector<control::PortState> ports_;
  std::vector<control::ScenarioListing> scenarios_;
  std::vector<control::RunState> runs_;
  bool runs_listed_ = false;
  std::vector<control::RunState> reported_early_;  // before the list was there
  QString instance_;
  QTimer update_timer_;
  std::shared_ptr<Inbox> inbox_;
  std::unique_ptr<control::Client> client_;
};

}  // namespace plumbline::gui
