#include "command/command_files.h"

#include <filesystem>
#include <system_error>

#include "base/output_file.h"
#include "command/completions.h"
#include "command/manual_page.h"

namespace plumbline::command {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
  std::error_code ignored;  // the stream says it
  fs::create_directories(file.parent_path(), ignored);
  writeFile(file.string(), text);
}

}  // namespace

void writeCommandFiles(const CommandHelp& program, const std::string& version,
                       const std::string& directory) {
  const fs::path root(directory);
  for (const ManualPage& page : manualPages(program, version)) {
    write(root / "man1" / page.file, page.text);
  }
  write(root / "bash" / program.name, bashCompletion(program));
  write(root / "zsh" / ("_" + program.name), zshCompletion(program));
  write(root / "fish" / (program.name + ".fish"), fishCompletion(program));
}

}  // namespace plumbline::command
