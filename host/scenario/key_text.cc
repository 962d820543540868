#include "scenario/key_text.h"

namespace plumbline::scenario {
namespace {

using spec::Field;
using spec::Kind;

const char* kindText(const Field& field) {
  switch (field.kind) {
    case Kind::kFlag:
      return "`true` or `false`";
    case Kind::kCount:
      return "a number";
    case Kind::kSize:
      return "a size";
    case Kind::kTime:
      return "a time";
    case Kind::kRate:
      return "a rate";
    case Kind::kShare:
      return "a share";
    case Kind::kFactor:
      return "a factor";
    case Kind::kDecimal:
      return "a number with decimals";
    case Kind::kPriorities:
      return "priorities, 0 to 7: one or a list";
    case Kind::kWeights:
      return "a map of priorities to numbers";
    case Kind::kText:
      return "text";
    case Kind::kBlock:
    case Kind::kGroup:
      return "a map";
    case Kind::kItems:
      return "a map, or a list of them";
    case Kind::kWord:
    case Kind::kSpecial:
      break;
  }
  return "";
}

std::string wordsText(const Field& field) {
  std::string words;
  for (const spec::Word& word : field.words) {
    if (word.name.empty()) continue;
    words += (words.empty() ? "`" : ", `") + word.name + "`";
  }
  return words;
}

std::string valueForm(const Field& field) {
  switch (field.kind) {
    case Kind::kSpecial:
      return field.special_form;
    case Kind::kWord:
      return wordsText(field);
    case Kind::kText:
      if (!field.words.empty()) return wordsText(field);
      break;
    case Kind::kFlag:
    case Kind::kPriorities:
    case Kind::kGroup:
    case Kind::kItems:
      return kindText(field);
    case Kind::kBlock:
      return field.alone.empty() ? kindText(field) : "`" + field.alone + "`, or a map";
    default:
      break;
  }
  const std::string range = spec::rangeText(field);
  return kindText(field) + (range.empty() ? std::string() : ", " + range);
}

// "A size, …"
std::string sentence(std::string text) {
  if (text.empty()) return text;
  if (text.front() >= 'a' && text.front() <= 'z') {
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  }
  return text + ".";
}

}  // namespace

std::string formOf(const Field& field) {
  const std::string form = valueForm(field);
  return field.is_list && field.kind != Kind::kSpecial ? form + "; one or a list" : form;
}

std::string defaultOf(const Field& field, const void* fresh) {
  if (!field.absent.empty()) return field.absent;
  if (field.required) return "required";
  if (field.kind == Kind::kBlock && field.peek && fresh != nullptr) {
    return field.peek(fresh) == nullptr ? "none" : "";
  }
  if (field.kind == Kind::kItems) return "none";
  if (!field.get || fresh == nullptr) return {};
  const auto value = field.get(fresh);
  if (!value) return "none";
  const std::string text = spec::valueText(field, *value);
  return text.empty() ? "none" : "`" + text + "`";
}

std::string descriptionOf(const Field& field, const void* fresh) {
  std::string text = sentence(field.help) + " " + sentence(formOf(field));
  if (!field.applies_with.empty()) text += " Only with " + field.applies_with + ".";
  const std::string usual = defaultOf(field, fresh);
  if (!usual.empty()) text += usual == "required" ? " Required." : " Default: " + usual + ".";
  if (!field.source.empty()) text += " Source: " + field.source + ".";
  return text;
}

}  // namespace plumbline::scenario
