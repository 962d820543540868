#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <system_error>

#include "base/error.h"
#include "report/cabling.h"
#include "report/report.h"

namespace plumbline::report {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& what, const fs::path& where, const std::string& why) {
  throw Error(ErrorKind::kTester, fmt::format("{}: {}", what, why), where.string(),
              "choose a directory that can be written to, with room for the report");
}

void writeFile(const fs::path& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << content;
  file.close();
  if (!file) fail("cannot write a file of the report", path, std::strerror(errno));
}

// Under another name first: a reader sees the old file or the whole new one.
void replaceFile(const fs::path& path, const std::string& content) {
  fs::path draft = path;
  draft += ".new";
  writeFile(draft, content);
  std::error_code error;
  fs::rename(draft, path, error);
  if (error) fail("cannot put a file of the report in place", path, error.message());
}

void makeDirectory(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) fail("cannot create a directory for the report", path, error.message());
}

void removeAll(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) fail("cannot remove an earlier part of the report", path, error.message());
}

void replaceCsvDirectory(const fs::path& directory, const ReportInput& input) {
  const fs::path draft = directory / "csv.new";
  removeAll(draft);
  makeDirectory(draft);
  std::set<std::string> taken;
  if (input.topology) writeFile(draft / "cabling.csv", cablingCsv(*input.topology));
  for (const results::TestResult& test : input.tests) {
    for (const CsvFile& file : renderCsv(test)) {
      // Two tests of one id, as in a repeated test: the second gets a number in front.
      std::string name = file.name;
      for (int n = 2; !taken.insert(name).second; ++n) name = fmt::format("{}_{}", n, file.name);
      writeFile(draft / name, file.content);
    }
  }
  const fs::path final_place = directory / "csv";
  removeAll(final_place);
  std::error_code error;
  fs::rename(draft, final_place, error);
  if (error) fail("cannot put the CSV files in place", final_place, error.message());
}

}  // namespace

fs::path writeReport(const fs::path& directory, const ReportInput& input) {
  makeDirectory(directory);
  replaceFile(directory / "report.json", renderJson(input));
  replaceCsvDirectory(directory, input);
  fs::path html = directory / "report.html";
  replaceFile(html, renderHtml(input));
  return html;
}

}  // namespace plumbline::report
