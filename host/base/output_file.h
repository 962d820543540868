// Output files: checked for writability in advance, and write errors are always reported.
#pragma once

#include <fstream>
#include <string>
#include <string_view>

namespace plumbline {

// Throws Error(kUsage) with the reason when `file` cannot be opened for writing: called before the
// work whose result goes there. Does not change the file system. `option`: the option that named
// the file, for the message; may be empty.
void requireWritable(const std::string& file, const std::string& option = {});

// Creates the directory and its parents if they do not exist. Throws Error(kUsage) with the reason
// when it cannot be created, or no files can be created in it.
void requireDirectory(const std::string& directory, const std::string& option = {});

// A file that is written piece by piece. The first write without room throws.
class OutputFile {
 public:
  // Truncates the file. Throws Error(kUsage) when that is not possible.
  explicit OutputFile(const std::string& file);

  // For functions that write to streams; call check() afterwards.
  [[nodiscard]] std::ostream& stream() { return stream_; }
  // Appends `text` and flushes it to the system. Throws as check().
  void write(std::string_view text);
  // Throws Error(kTester) unless all writes so far have reached the system.
  void check();
  // As check(), and closes the file.
  void close();

 private:
  std::string file_;
  std::ofstream stream_;
};

// The whole file at once. Throws as OutputFile.
void writeFile(const std::string& file, std::string_view text);

// Flushes stdout to the system. Throws Error(kTester) when some output could not be written, now or
// earlier.
void flushStandardOutput();

}  // namespace plumbline
