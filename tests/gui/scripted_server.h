// A server that does what a script says, and nothing else: for what real ones do only on bad days.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "control/client.h"

namespace plumbline::gui {

// How it treats whoever connects.
enum class Manner {
  kSilent,     // accepts, and never says a word
  kTrickle,    // answers a byte a second, without end
  kScripted,   // answers what the script has, and to all else says nothing
  kHalfFrame,  // the same; its last message of the live stream stops in the middle
};

struct Script {
  std::map<std::string, std::string> answers;  // JSON by request: "GET /api/v1/runs"
  std::vector<std::string> messages;           // of the live stream, to everyone who opens it
};

class ScriptedServer {
 public:
  explicit ScriptedServer(Manner manner, Script script = {});
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  [[nodiscard]] control::ServerAddress address() const;
  // Connections there have been.
  [[nodiscard]] int connections() const { return connections_; }
  // Requests that have come completely: "POST /api/v1/runs/1/stop" and so on.
  [[nodiscard]] int requests(const std::string& request) const;

 private:
  struct Connection {
    int descriptor;
    std::string received;
    bool answered = false;
    std::size_t trickled = 0;  // bytes
  };

  void serve();
  void receive(Connection& connection);
  void answer(Connection& connection);

  const Manner manner_;
  const Script script_;
  int listener_;
  std::uint16_t port_ = 0;
  std::atomic<bool> ending_ = false;
  std::atomic<int> connections_ = 0;
  mutable std::mutex mutex_;  // of what follows
  std::map<std::string, int> requests_;
  std::thread thread_;
};

}  // namespace plumbline::gui
