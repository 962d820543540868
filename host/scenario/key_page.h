// The keys of scenarios as text, from their declarations: docs/scenario-keys.md, and a list.
#pragma once

#include <string>
#include <vector>

namespace plumbline::scenario {

std::string keyPage();

struct ListedKey {
  std::string path;  // "dut.switch.pfc.xon"
  std::string help;
};
// Every key, in its context; keys of several kinds of a section once.
std::vector<ListedKey> keyList();

}  // namespace plumbline::scenario
