#include "scenario/key_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "scenario/key_text.h"
#include "scenario/keys.h"

namespace plumbline::scenario {
namespace {

using spec::Field;
using spec::Fields;
using spec::Kind;

constexpr const char* kHead =
    "# Keys of a scenario\n"
    "Every key, by its section. What sections are for and how they act together is in "
    "[scenarios.md](scenarios.md); how numbers and units are written, too.\n"
    "Ranges, defaults and sources are those of the program, which is read, checked, stored and "
    "documented by one declaration of each key. Where no source is named the value is our own "
    "choice; the model's page says why.\nWritten by `plumbline list keys --markdown`; "
    "`scripts/test` compares. `plumbline schema` writes the same for editors "
    "([scenario.schema.json](scenario.schema.json)).\n";

// A table's cell: no bar, one line.
std::string cell(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '|') safe += '\\';
    safe += c;
  }
  return safe.empty() ? "–" : safe;
}

class Page {
 public:
  // The keys at `path`, then the sections below it.
  void add(const std::string& title, const std::string& path, const Fields& fields,
           const void* fresh) {
    text_ += fmt::format(
        "\n## {}\n| key | value | default | meaning | source |\n"
        "|---|---|---|---|---|\n",
        title);
    addRows(fields, fresh);
    addSections(path, fields, fresh);
  }

  [[nodiscard]] std::string text() const { return kHead + text_; }

 private:
  static const void* part(const Field& field, const void* fresh) {
    return field.fresh ? field.fresh() : fresh;
  }

  void addRows(const Fields& fields, const void* fresh) {
    for (const Field& field : fields) {
      if (field.kind == Kind::kGroup && field.key.empty()) {
        addRows(field.fields(), part(field, fresh));
      }
      if (field.key.empty()) continue;
      const std::string only =
          field.applies_with.empty() ? "" : fmt::format(" (`{}`)", field.applies_with);
      text_ +=
          fmt::format("| `{}` | {} | {} | {}{} | {} |\n", field.key, cell(formOf(field)),
                      cell(defaultOf(field, fresh)), cell(field.help), only, cell(field.source));
    }
  }

  void addSections(const std::string& path, const Fields& fields, const void* fresh) {
    for (const Field& field : fields) {
      if (field.key.empty()) {
        if (field.kind == Kind::kGroup) addSections(path, field.fields(), part(field, fresh));
        continue;
      }
      const std::string below = path.empty() ? field.key : path + "." + field.key;
      for (const spec::Variant& variant : field.variants) {
        add(fmt::format("`{}` of kind `{}`", below, fmt::join(variant.words, "`, `")), below,
            variant.fields(), variant.fresh());
      }
      if (field.fields) add("`" + below + "`", below, field.fields(), part(field, fresh));
    }
  }

  std::string text_;
};

void list(const std::string& path, const Fields& fields, std::vector<ListedKey>& keys) {
  for (const Field& field : fields) {
    if (field.key.empty()) {
      if (field.kind == Kind::kGroup) list(path, field.fields(), keys);
      continue;
    }
    const std::string below = path.empty() ? field.key : path + "." + field.key;
    const bool known = std::any_of(keys.begin(), keys.end(),
                                   [&](const ListedKey& one) { return one.path == below; });
    if (!known) keys.push_back({below, field.help});
    for (const spec::Variant& variant : field.variants) list(below, variant.fields(), keys);
    if (field.fields) list(below, field.fields(), keys);
  }
}

}  // namespace

std::vector<ListedKey> keyList() {
  std::vector<ListedKey> keys;
  list({}, scenarioKeys(), keys);
  return keys;
}

std::string keyPage() {
  Page page;
  page.add("The file", {}, scenarioKeys(), nullptr);
  return page.text();
}

}  // namespace plumbline::scenario
