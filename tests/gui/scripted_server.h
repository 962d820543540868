// A server that follows a script, for rare failures of real ones.
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

// Behaviour towards clients.
enum class Manner {
  kSilent,     // accepts, and sends nothing
  kTrickle,    // sends a byte a second, without end
  kScripted,   // sends the script's answers, and nothing to other requests
  kHalfFrame,  // the same; its last message of the live stream stops in the middle
};

struct Script {
  std::map<std::string, std::string> answers;  // JSON by request: "GET /api/v1/runs"
  std::vector<std::string> messages;           // of the live stream, to every client
};

class ScriptedServer {
 public:
  explicit ScriptedServer(Manner manner, Script script = {});
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  [[nodiscard]] control::ServerAddress address() const;
  // Number of connections so far.
  [[nodiscard]] int connections() const { return connections_; }
  // Complete requests so far: "POST /api/v1/runs/1/stop" and so on.
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
  mutable std::mutex mutex_;  // protects the members below
  std::map<std::string, int> requests_;
  std::thread thread_;
};

}  // namespace plumbline::gui
