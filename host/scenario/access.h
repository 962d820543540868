// What a scenario may refer to on the machine that reads it: files, programs, peers. All decisions
// are made here; every key that names one of them is checked when the file is read, so that
// `validate` reports the same as `run`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/beneath.h"

namespace plumbline::scenario {

class Problems;
struct YamlNode;

// A target program that a scenario may connect to.
struct PeerPlace {
  std::string address;  // as canonicalAddress() writes it
  std::uint16_t port = 0;

  bool operator==(const PeerPlace&) const = default;
};

enum class Origin {
  // The machine's user: files in the scenario's folder and below, symbolic links followed; any
  // peer, any program.
  kUser,
  // Another user, over the network: regular files below `files` without links, the peers in
  // `peers`, no program.
  kNetwork,
  // A stored run, of which only parts that need no file are used: nothing is opened.
  kStored,
};

struct Access {
  Origin origin = Origin::kUser;
  std::string files{};             // a directory; empty: no files at all
  std::vector<PeerPlace> peers{};  // of kNetwork

  // "198.18.0.1", "198.18.0.1:7300" or "[2001:db8::1]:7300"; nothing for invalid text.
  static std::optional<PeerPlace> peerFromText(const std::string& text);
};

// Opens the file `name` that the scenario `file` names at `node`; on failure nothing and a problem.
// Nothing without a problem where files are not opened (Origin::kStored).
std::optional<OpenFile> openNamed(const YamlNode& node, const std::string& name,
                                  const Access& access, const std::string& file,
                                  Problems& problems);
// The path of the same, for code that opens it later. A problem unless the name may be used; a
// missing file is none.
std::optional<std::string> pathOfNamed(const YamlNode& node, const std::string& name,
                                       const Access& access, const std::string& file,
                                       Problems& problems);
// Opens a file that pathOfNamed() has permitted, under the same rules.
std::optional<OpenFile> openAgain(const std::string& name, const Access& access,
                                  const std::string& file, int& error);

// Reports problems at `node` unless the scenario may connect to the peer, or start a program.
void allowPeer(const YamlNode& node, const PeerPlace& peer, const Access& access,
               Problems& problems);
void allowProgram(const YamlNode& node, const Access& access, Problems& problems);

}  // namespace plumbline::scenario
