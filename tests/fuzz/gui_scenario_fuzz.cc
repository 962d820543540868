// links: plumbline_gui_data
// The form edits any text beside it: the value reads back as entered, or nothing is changed and
// there is a reason.
#include <cstddef>
#include <cstdint>
#include <string>

#include "gui/data/scenario_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plumbline::gui;
  const std::string text(reinterpret_cast<const char*>(data), size);
  static constexpr const char* kPaths[] = {"name", "dut.topology.hosts", "limits.loss_ppm"};
  const char* path = kPaths[size % 3];
  const FieldEdit edit = setField(text, path, "42");
  if (edit.error.empty() && fieldValue(edit.text, path) != "42") __builtin_trap();
  if (!edit.error.empty() && !edit.text.empty()) __builtin_trap();
  return 0;
}
