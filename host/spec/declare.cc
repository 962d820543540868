#include "spec/declare.h"

namespace plumbline::spec {

namespace detail {

const char* suffixOf(Kind kind) {
  switch (kind) {
    case Kind::kSize:
      return "_bytes";
    case Kind::kTime:
      return "_ps";
    case Kind::kRate:
      return "_bps";
    case Kind::kShare:
    case Kind::kFactor:
      return "_ppt";
    default:
      return "";
  }
}

}  // namespace detail

Field group(std::string key, std::string help, Fields fields) {
  Field made;
  made.key = std::move(key);
  made.help = std::move(help);
  made.kind = Kind::kGroup;
  made.fields = [held = std::move(fields)]() -> const Fields& { return held; };
  return made;
}

Field special(std::string key, std::string help, std::string form, std::string schema) {
  Field made;
  made.member = key;
  made.key = std::move(key);
  made.help = std::move(help);
  made.kind = Kind::kSpecial;
  made.special_form = std::move(form);
  made.special_schema = std::move(schema);
  return made;
}

}  // namespace plumbline::spec
