#include "base/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "base/error.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

std::string reason(int error) { return std::generic_category().message(error); }

std::string place(const std::string& file, const std::string& option) {
  return option.empty() ? file : option + " " + file;
}

[[noreturn]] void refuse(const std::string& what, int error, const std::string& where) {
  throw Error(ErrorKind::kUsage, what + ": " + reason(error), where,
              "choose a place that can be written to");
}

[[noreturn]] void failWriting(const std::string& where, int error) {
  const std::string why = error != 0 ? ": " + reason(error) : std::string();
  throw Error(ErrorKind::kTester, "the output could not be written completely" + why, where,
              "make room on the disk, or choose another place");
}

// "-", which other programs take for standard output, and results of runs, which no output may
// replace.
void refuseUnintended(const std::string& file, const std::string& where) {
  if (file == "-") {
    throw Error(ErrorKind::kUsage, "\"-\" is not read as standard output", where,
                "/dev/stdout, or the name of a file");
  }
  constexpr std::string_view kMagic = "SQLite format 3";
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return;
  std::ifstream stream(file, std::ios::binary);
  std::string begin(kMagic.size(), '\0');
  stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (begin != kMagic) return;
  throw Error(ErrorKind::kUsage, "this is a database, which the output would replace", where,
              "another file");
}

// Opens and closes; 0, or the error.
int tryOpen(const std::string& file, int flags) {
  const int descriptor = ::open(file.c_str(), flags | O_WRONLY | O_CLOEXEC | O_NOCTTY, 0666);
  if (descriptor < 0) return errno;
  ::close(descriptor);
  return 0;
}

}  // namespace

void requireWritable(const std::string& file, const std::string& option) {
  const auto check = [&](int error) {
    if (error != 0) refuse("the file cannot be written", error, place(file, option));
  };
  if (file.empty()) return check(ENOENT);
  refuseUnintended(file, place(file, option));
  std::error_code ignored;
  const fs::file_status status = fs::status(file, ignored);
  if (fs::is_directory(status)) return check(EISDIR);
  if (fs::is_regular_file(status)) {
    return check(tryOpen(file, 0));
  }
  if (fs::exists(status)) {
    // Opening a pipe or a device could be seen at its other end.
    return check(::access(file.c_str(), W_OK) == 0 ? 0 : errno);
  }
  const int error = tryOpen(file, O_CREAT | O_EXCL);
  // A link that leads to a file that is not there yet.
  const bool dangling = error == EEXIST;
  check(dangling ? tryOpen(file, O_CREAT) : error);
  fs::remove(dangling ? fs::weakly_canonical(file, ignored) : fs::path(file), ignored);
}

void requireDirectory(const std::string& directory, const std::string& option) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) {
    refuse("the directory cannot be made", error.value(), place(directory, option));
  }
  if (!fs::is_directory(directory, error)) {
    refuse("this is no directory", ENOTDIR, place(directory, option));
  }
  if (::access(directory.c_str(), W_OK | X_OK) != 0) {
    refuse("no file can be made in the directory", errno, place(directory, option));
  }
}

OutputFile::OutputFile(const std::string& file) : file_(file) {
  refuseUnintended(file, file);
  // Opening a pipe without a reader would block, and no signal would end it.
  std::error_code ignored;
  int pipe = -1;
  if (fs::is_fifo(file, ignored)) {
    pipe = ::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (pipe < 0) refuse("nothing reads this pipe", errno, file);
  }
  errno = 0;
  stream_.open(file, std::ios::binary | std::ios::trunc);
  const int error = errno;
  if (pipe >= 0) ::close(pipe);
  if (!stream_) refuse("the file cannot be written", error, file);
}

void OutputFile::write(std::string_view text) {
  errno = 0;
  stream_ << text;
  if (!stream_.flush()) failWriting(file_, errno);
}

void OutputFile::check() {
  errno = 0;
  if (!stream_.flush()) failWriting(file_, errno);
}

void OutputFile::close() {
  errno = 0;
  stream_.close();
  if (!stream_) failWriting(file_, errno);
}

void writeFile(const std::string& file, std::string_view text) {
  OutputFile output(file);
  output.write(text);
  output.close();
}

void flushStandardOutput() {
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) failWriting("standard output", errno);
}

}  // namespace plumbline
