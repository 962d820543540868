#include "emulation.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "card_xrt/kernel_layout.h"
#include "tests/paths/paths.h"
#include "xclbin_writer.h"

namespace plumbline::card_xrt_test {
namespace {

namespace fs = std::filesystem;

// Enough for lists of register accesses, not for captures.
constexpr std::uint64_t kSmallBank = std::uint64_t{8} << 20U;

// Of the messages in which the runtime copies buffers.
constexpr std::size_t kPacketBytes = 262144;

void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

std::vector<char> contentOf(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void set(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

// The runtime unpacks the device beside the program, into a folder named after the process. It
// leaves the folder behind, and fails if a process with the same number finds it.
void removeLeftovers() {
  static bool first = true;  // of this process: none of the folders is its own yet
  std::error_code ignored;
  const fs::path folders = fs::read_symlink("/proc/self/exe").parent_path() / ".run";
  for (const auto& entry : fs::directory_iterator(folders, ignored)) {
    const std::string name = entry.path().filename();
    const int process = std::atoi(name.c_str());
    const bool gone = process > 0 && kill(process, 0) != 0 && errno == ESRCH;
    if (gone || (first && process == getpid())) fs::remove_all(entry.path(), ignored);
  }
  first = false;
}

}  // namespace

Emulation::Emulation(Picoseconds delay, const std::string& more) {
  std::string name = (fs::temp_directory_path() / "card-xrt-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp " + name);
  directory_ = name;
  removeLeftovers();

  // The libraries where the runtime looks for them.
  fs::create_directories(directory_ / "runtime/lib");
  for (const char* part : {"core", "coreutil", "hwemu", "swemu", "noop"}) {
    const std::string file = std::string("libxrt_") + part + ".so.2";
    fs::create_symlink(fs::path("/usr/lib/x86_64-linux-gnu") / file,
                       directory_ / "runtime/lib" / file);
  }
  // The device's program for the runtime, packed as it unpacks it.
  const fs::path start = directory_ / "zip/behav_waveform/xsim/simulate.sh";
  fs::create_directories(start.parent_path());
  write(start, "#!/bin/sh\nexec " + programPath("emulated_card") + " " +
                   std::to_string(delay.count()) + " $(cat '" + (directory_ / "defects").string() +
                   "')\n");
  setDefects(more);
  fs::permissions(start, fs::perms::owner_all);
  const std::string pack =
      "cd '" + (directory_ / "zip").string() + "' && zip -q -r ../device.zip .";
  if (std::system(pack.c_str()) != 0) throw std::runtime_error("zip");
  const std::vector<char> zip = contentOf(directory_ / "device.zip");
  writeXclbin(xclbin(), {.kernel = card::kKernelName}, zip);
  writeXclbin(foreignXclbin(), {.kernel = "somebody_else"}, zip);
  writeXclbin(unconnectedXclbin(), {.kernel = card::kKernelName, .connected = false}, zip);
  writeXclbin(smallXclbin(), {.kernel = card::kKernelName, .bank_bytes = kSmallBank}, zip);

  // Debian's runtime does not notice that a buffer for its messages moves when it grows. It makes a
  // message of this file: being longer than any other, it prevents the buffer from growing again.
  write(directory_ / "xrt.ini", "[Emulation]\npacket_size=" + std::to_string(kPacketBytes) +
                                    "\nlonger_than_a_packet=" + std::string(2 * kPacketBytes, 'x') +
                                    "\n");
  // Two such devices.
  const std::string device = R"({"Name": "plumbline_emulated", "DdrSize": "0x40000000"})";
  write(directory_ / "emconfig.json",
        R"({"Version": {"FileVersion": "2.0"}, "Platform": {"Boards": [{"Devices": [)" + device +
            ", " + device + "]}]}}\n");
  set("EMCONFIG_PATH", directory_.string());
  set("XILINX_XRT", (directory_ / "runtime").string());
  set("XCL_EMULATION_MODE", "hw_emu");
  set("XRT_INI_PATH", (directory_ / "xrt.ini").string());
  if (std::getenv("USER") == nullptr) set("USER", "plumbline");
  fs::current_path(directory_);  // it writes its own files there
}

void Emulation::setDefects(const std::string& more) { write(directory_ / "defects", more); }

Emulation::~Emulation() {
  std::error_code ignored;
  fs::current_path("/", ignored);
  fs::remove_all(directory_, ignored);
}

}  // namespace plumbline::card_xrt_test
