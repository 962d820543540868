#include "scenario/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <limits>

#include "base/ip_address.h"
#include "base/whole_number.h"
#include "bench/trial/endpoint_spec.h"
#include "scenario/named_paths.h"
#include "scenario/reader.h"

namespace plumbline::scenario {
namespace {

namespace fs = std::filesystem;

std::string folderOf(const Access& access, const std::string& file) {
  return access.origin == Origin::kUser ? fs::path(file).parent_path().string() : access.files;
}

bool isInScenarioFolder(const YamlNode& node, const std::string& name, Problems& problems) {
  const fs::path path(name);
  const bool leaves = std::find(path.begin(), path.end(), "..") != path.end();
  if (!path.is_absolute() && !leaves) return true;
  problems.add(node, shown(name) + " is not in the scenario's folder", "there or below it");
  return false;
}

void refuseNamed(const YamlNode& node, const std::string& name, int error, Problems& problems) {
  problems.add(node, shown(name) + " cannot be used: " + openFault(error),
               "a regular file below the directory of the server's --files, without links");
}

bool hasFiles(const YamlNode& node, const std::string& name, const Access& access,
              Problems& problems) {
  if (!access.files.empty()) return true;
  problems.add(node, "this server has no files for scenarios: " + shown(name),
               "a server with `--files DIR`, or a scenario without files");
  return false;
}

}  // namespace

std::optional<PeerPlace> Access::peerFromText(const std::string& text) {
  std::string address = text;
  std::string port;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string::npos) return std::nullopt;
    address = text.substr(1, end - 1);
    port = text.substr(end + 1);
    if (!port.empty() && !port.starts_with(':')) return std::nullopt;
  } else if (std::count(text.begin(), text.end(), ':') == 1) {
    address = text.substr(0, text.find(':'));
    port = text.substr(text.find(':'));
  }
  const auto canonical = canonicalAddress(address);
  if (!canonical) return std::nullopt;
  PeerPlace place{*canonical, bench::EndpointSpec::kDefaultPeerPort};
  if (port.empty()) return place;
  const auto number = wholeNumberUpTo(port.substr(1), std::numeric_limits<std::uint16_t>::max());
  if (!number || *number == 0) return std::nullopt;
  place.port = static_cast<std::uint16_t>(*number);
  return place;
}

std::optional<OpenFile> openNamed(const YamlNode& node, const std::string& name,
                                  const Access& access, const std::string& file,
                                  Problems& problems) {
  if (access.origin == Origin::kStored) return std::nullopt;
  int error = 0;
  if (access.origin == Origin::kNetwork) {
    if (!hasFiles(node, name, access, problems)) return std::nullopt;
    auto opened = openBelow(access.files, name, error);
    if (!opened) refuseNamed(node, name, error, problems);
    return opened;
  }
  if (!isInScenarioFolder(node, name, problems)) return std::nullopt;
  auto opened = openRegular((fs::path(folderOf(access, file)) / name).string(), error);
  if (!opened) {
    problems.add(node, shown(name) + " cannot be read", "a file in the scenario's folder");
  }
  return opened;
}

std::optional<std::string> pathOfNamed(const YamlNode& node, const std::string& name,
                                       const Access& access, const std::string& file,
                                       Problems& problems) {
  std::string path = (fs::path(folderOf(access, file)) / name).string();
  if (access.origin == Origin::kStored) return path;
  if (access.origin == Origin::kUser) {
    return isInScenarioFolder(node, name, problems) ? std::optional(std::move(path)) : std::nullopt;
  }
  if (!hasFiles(node, name, access, problems)) return std::nullopt;
  int error = 0;
  if (!openBelow(access.files, name, error) && error != ENOENT) {
    refuseNamed(node, name, error, problems);
    return std::nullopt;
  }
  return path;
}

std::optional<OpenFile> openAgain(const std::string& name, const Access& access,
                                  const std::string& file, int& error) {
  const std::string folder = folderOf(access, file);
  if (access.origin == Origin::kUser) return openRegular((fs::path(folder) / name).string(), error);
  error = EACCES;
  if (access.origin == Origin::kStored || folder.empty()) return std::nullopt;
  return openBelow(folder, name, error);
}

void allowPeer(const YamlNode& node, const PeerPlace& peer, const Access& access,
               Problems& problems) {
  if (access.origin != Origin::kNetwork) return;
  if (std::find(access.peers.begin(), access.peers.end(), peer) != access.peers.end()) return;
  problems.add(node,
               fmt::format("this server does not connect to {} port {}", peer.address, peer.port),
               "a target program that it was started with: `--peer ADDRESS:PORT`");
}

void allowProgram(const YamlNode& node, const Access& access, Problems& problems) {
  if (access.origin != Origin::kNetwork) return;
  problems.add(node, "a scenario that is sent to a server starts no program",
               "`plumbline run` on the machine that has the program");
}

std::vector<std::string> namedPaths(const Scenario& scenario) {
  const fs::path folder = folderOf(scenario.access, scenario.file);
  std::vector<std::string> paths;
  for (const InputFile& file : scenario.files) paths.push_back((folder / file.name).string());
  if (scenario.fpga && !scenario.fpga->xclbin.empty()) paths.push_back(scenario.fpga->xclbin);
  if (scenario.endpoint && !scenario.endpoint->token_file.empty()) {
    paths.push_back(scenario.endpoint->token_file);
  }
  if (!scenario.dut_metrics) return paths;
  const DutMetricsSource& source = *scenario.dut_metrics;
  if (!source.file.empty()) paths.push_back((folder / source.file).string());
  if (!source.command.empty() && source.command.front().find('/') != std::string::npos) {
    paths.push_back(source.command.front());
  }
  return paths;
}

}  // namespace plumbline::scenario
