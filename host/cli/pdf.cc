#include "cli/pdf.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <thread>
#include <vector>

#include "base/error.h"

namespace plumbline::cli {
namespace {

namespace fs = std::filesystem;

// A long report takes seconds; a Chromium that cannot start may hang.
constexpr std::chrono::seconds kMaxPrintTime{120};

// Empty if there is none.
std::string findChromium() {
  const char* path = std::getenv("PATH");
  std::istringstream directories(path == nullptr ? "" : path);
  for (std::string directory; std::getline(directories, directory, ':');) {
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
      std::string file = directory + "/" + name;
      if (::access(file.c_str(), X_OK) == 0) return file;
    }
  }
  return {};
}

std::string fileUrl(const fs::path& file) {
  std::string url = "file://";
  for (const char c : fs::absolute(file).string()) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain =
        std::isalnum(byte) != 0 || std::string_view("/-_.~").find(c) != std::string_view::npos;
    url += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return url;
}

// A directory that the destructor removes: Chromium must not share one with the user's browser.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string name = (fs::temp_directory_path() / "plumbline-pdf-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw Error(ErrorKind::kTester, "cannot create a temporary directory", name);
    }
    path_ = name;
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Runs it silently, for `most` at the most; whether it ended well.
bool runSilently(std::vector<std::string> command, std::chrono::seconds max) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    ::posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0);
  }
  // Nothing is blocked in it.
  sigset_t none;
  ::sigemptyset(&none);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  pid_t child = -1;
  const int error =
      ::posix_spawn(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return false;
  const auto deadline = std::chrono::steady_clock::now() + max;
  int status = 0;
  for (;;) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (ended < 0 && errno != EINTR) return false;
    if (std::chrono::steady_clock::now() > deadline) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

bool isPdf(const fs::path& file) {
  std::array<char, 5> start{};
  std::ifstream(file, std::ios::binary).read(start.data(), start.size());
  return std::string_view(start.data(), start.size()) == "%PDF-";
}

}  // namespace

void printPdf(const std::string& html, const std::string& pdf) {
  const std::string chromium = findChromium();
  if (chromium.empty()) {
    throw Error(ErrorKind::kUnsupported, "there is no Chromium to print the PDF with", "PATH",
                "install the package chromium, or print the HTML report from a browser");
  }
  const ScratchDirectory scratch;
  // Printed beside and copied: the file appears only when it is whole.
  const fs::path printed = scratch.path() / "report.pdf";
  std::vector<std::string> command{chromium,
                                   "--headless",
                                   "--disable-gpu",
                                   "--disable-dev-shm-usage",  // small in many containers
                                   "--no-first-run",
                                   "--no-pdf-header-footer",
                                   "--print-to-pdf-no-header",  // the same for older ones
                                   "--user-data-dir=" + (scratch.path() / "profile").string(),
                                   "--print-to-pdf=" + printed.string()};
  if (::geteuid() == 0) command.emplace_back("--no-sandbox");  // it refuses to run as root with one
  command.push_back(fileUrl(html));
  if (!runSilently(std::move(command), kMaxPrintTime) || !isPdf(printed)) {
    throw Error(ErrorKind::kTester, "Chromium did not print the report", chromium,
                "print the HTML report from a browser");
  }
  std::error_code error;
  fs::copy_file(printed, pdf, fs::copy_options::overwrite_existing, error);
  if (error) {
    throw Error(ErrorKind::kTester, "the PDF cannot be written: " + error.message(), pdf,
                "check the directory and the room on the disk");
  }
}

}  // namespace plumbline::cli
