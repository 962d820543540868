// Files that a program writes: refused where they cannot be, and never half written in silence.
#pragma once

#include <fstream>
#include <string>
#include <string_view>

namespace plumbline {

// Throws Error(kUsage) that names the reason when `file` cannot be opened for writing: to be asked
// before the work whose result goes there. Leaves the file system as it was. `option`: what named
// the file, for the message; may be empty.
void requireWritable(const std::string& file, const std::string& option = {});

// Makes the directory, with those above it, if it is not there. Throws Error(kUsage) that names the
// reason when it cannot be made, or no files can be made in it.
void requireDirectory(const std::string& directory, const std::string& option = {});

// A file that is written piece by piece. The first piece that finds no room throws.
class OutputFile {
 public:
  // Begins the file anew. Throws Error(kUsage) when that is not possible.
  explicit OutputFile(const std::string& file);

  // For what writes to streams; call check() behind it.
  [[nodiscard]] std::ostream& stream() { return stream_; }
  // Appends `text` and hands it to the system. Throws as check().
  void write(std::string_view text);
  // Throws Error(kTester) unless everything so far has been handed to the system.
  void check();
  // As check(), and closes the file.
  void close();

 private:
  std::string file_;
  std::ofstream stream_;
};

// The whole file at once. Throws as OutputFile.
void writeFile(const std::string& file, std::string_view text);

// Hands what was printed to stdout to the system. Throws Error(kTester) when not all of it could be
// written, now or earlier.
void flushStandardOutput();

}  // namespace plumbline
