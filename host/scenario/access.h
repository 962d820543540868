// What a scenario may refer to on the machine that reads it: files, programs, peers. The one place
// where that is decided; every key that names one of them asks here when the file is read, so that
// `validate` says what `run` does.
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
  // Somebody else, over the network: regular files below `files` without links, the peers in
  // `peers`, no program.
  kNetwork,
  // A stored run, of which only what needs no file is wanted: nothing is opened.
  kStored,
};

struct Access {
  Origin origin = Origin::kUser;
  std::string files{};             // a directory; empty: no files at all
  std::vector<PeerPlace> peers{};  // of kNetwork

  // "198.18.0.1", "198.18.0.1:7300" or "[2001:db8::1]:7300"; nothing for text that is none.
  static std::optional<PeerPlace> peerFromText(const std::string& text);
};

// The file `name` that the scenario `file` names at `node`: open, or nothing and a problem. Nothing
// without a problem where files are not opened (Origin::kStored).
std::optional<OpenFile> openNamed(const YamlNode& node, const std::string& name,
                                  const Access& access, const std::string& file,
                                  Problems& problems);
// The path of the same for what opens it by itself later. A problem unless the name may be used; a
// file that is not there yet is none.
std::optional<std::string> pathOfNamed(const YamlNode& node, const std::string& name,
                                       const Access& access, const std::string& file,
                                       Problems& problems);
// Opens what pathOfNamed() gave `name` leave for, under the same rules.
std::optional<OpenFile> openAgain(const std::string& name, const Access& access,
                                  const std::string& file, int& error);

// Problems at `node` unless the scenario may connect to the peer, or start a program.
void allowPeer(const YamlNode& node, const PeerPlace& peer, const Access& access,
               Problems& problems);
void allowProgram(const YamlNode& node, const Access& access, Problems& problems);

}  // namespace plumbline::scenario
