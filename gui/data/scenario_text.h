// SPDX-License-Identifier: GPL-3.0-or-later
// Reads and changes single values of a scenario's text, so that a form can be shown beside the
// text: comments, order and layout of everything else stay as the user wrote them. Values are not
// validated here; the server does that.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::gui {

// One line of the form.
struct ScenarioField {
  std::string path;  // "dut.switch.buffer"
  std::string label;
  std::string explanation;           // plain text
  std::string hint;                  // its beginning, of a few lines
  std::vector<std::string> choices;  // empty: any text
};

// In the order of the form; docs/scenarios.md has the whole format.
const std::vector<ScenarioField>& scenarioFields();

// The value at `path` as written: a scalar, or a list or map in brackets. Nothing if it is absent,
// is written over several lines, or the text cannot be read.
std::optional<std::string> fieldValue(const std::string& text, std::string_view path);

// The text with another value at `path`, which is added if it was absent. On failure `text` is
// empty and `error` has the reason.
struct FieldEdit {
  std::string text;
  std::string error;
};
FieldEdit setField(const std::string& text, std::string_view path, const std::string& value);

}  // namespace plumbline::gui
