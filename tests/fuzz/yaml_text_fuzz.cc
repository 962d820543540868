// links: plumbline_scenario
// Every accepted text can be written again, and is then read as the same tree: a point of a sweep
// has the meaning of its file.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "scenario/yaml_text.h"
#include "scenario/yaml_tree.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plumbline::scenario;
  const YamlTree tree = parseYaml({reinterpret_cast<const char*>(data), size});
  if (!tree.error.empty()) return 0;
  const std::string text = yamlText(tree.root);
  const YamlTree again = parseYaml(text);
  if (again.error.empty() && sameYaml(tree.root, again.root)) return 0;
  std::fprintf(stderr, "not read back (%s):\n%s\n", again.error.c_str(), text.c_str());
  std::abort();
}
