// conformance_page FILE           writes docs/conformance.md to FILE conformance_page --check FILE
// writes nothing; exit code 1 when FILE differs from the data
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "suite/conformance/conformance.h"
#include "suite/conformance/page.h"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool check = arguments.size() == 2 && arguments.front() == "--check";
  if (arguments.empty() || (arguments.size() != 1 && !check)) {
    std::cerr << "usage: conformance_page [--check] FILE\n";
    return 2;
  }
  try {
    const std::string& file = arguments.back();
    const std::string page = plumbline::suite::conformancePage(
        plumbline::suite::conformance(plumbline::suite::Draft::kTraining),
        plumbline::suite::conformance(plumbline::suite::Draft::kInference));
    if (check) {
      std::ifstream stream(file, std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(stream),
                             std::istreambuf_iterator<char>()};
      if (text == page) return 0;
      std::cerr << "stale: " << file << " (run conformance_page " << file << ")\n";
      return 1;
    }
    std::ofstream stream(file, std::ios::binary | std::ios::trunc);
    stream << page << std::flush;
    if (stream) return 0;
    std::cerr << file << " cannot be written\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
  }
  return 1;
}
