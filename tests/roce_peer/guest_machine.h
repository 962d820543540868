// A small virtual machine with Debian's kernel and its soft-RoCE, made by build-guest, whose
// network is a pair of UNIX sockets: one datagram, one Ethernet frame. It is emulated and runs in
// its own time, some hundred times slower than a NIC.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace plumbline::roce_peer {

// A temporary directory for sockets; removed with its contents.
class SocketDirectory {
 public:
  SocketDirectory();
  ~SocketDirectory();
  SocketDirectory(const SocketDirectory&) = delete;
  SocketDirectory& operator=(const SocketDirectory&) = delete;

  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

struct MachineOptions {
  std::filesystem::path image;  // directory with vmlinuz (build-guest)
  std::string programs;         // initrd in it, with the programs that the guest runs
  std::string mac;              // of its only interface
  std::string address;          // IPv4
  // "ADDRESS,MAC" of a peer that does not answer ARP; may be empty.
  std::string neighbour;
  std::vector<std::string> run;       // what it runs once its device is there: program, arguments
  std::filesystem::path socket;       // where frames come to it
  std::filesystem::path peer_socket;  // where its frames go
  std::filesystem::path disk;         // file that is its /dev/vda; none if empty
  unsigned memory_mb = 384;
};

class GuestMachine {
 public:
  // Starts it. Throws std::runtime_error when that fails.
  explicit GuestMachine(const MachineOptions& options);
  // Ends it in any state.
  ~GuestMachine();
  GuestMachine(const GuestMachine&) = delete;
  GuestMachine& operator=(const GuestMachine&) = delete;

  // Lines of the guest's output since the last call; waits for the first one at most this long.
  std::vector<std::string> listen(std::chrono::milliseconds time);
  // Reads until a line begins with `begin`. Throws std::runtime_error with the guest's last output
  // when that takes longer than `time`, or the guest has ended.
  std::string waitFor(const std::string& begin, std::chrono::seconds time);
  // Ends it at once, like a power cut.
  void cut();

  // All of its output, for messages.
  [[nodiscard]] const std::string& log() const { return log_; }

 private:
  pid_t process_ = -1;
  int console_ = -1;
  bool ended_ = false;
  std::string log_;
  std::string unfinished_;               // begin of a line
  std::vector<std::string> unanswered_;  // lines that waitFor() has not read yet
};

}  // namespace plumbline::roce_peer
