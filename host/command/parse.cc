#include "command/parse.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/did_you_mean.h"
#include "base/error.h"

namespace plumbline::command {
namespace {

std::string fullName(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : fullName(*parent) + " " + app.get_name();
}

std::vector<std::string> verbsOf(const CLI::App& app) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!verb->get_group().empty()) verbs.push_back(verb->get_name());
  }
  return verbs;
}

std::vector<std::string> optionsOf(const CLI::App& app) {
  std::vector<std::string> options;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    for (const std::string& name : option->get_snames()) options.push_back("-" + name);
  }
  return options;
}

std::string helpHint(const CLI::App& app) { return "see " + fullName(app) + " --help"; }

[[noreturn]] void refuse(const CLI::App& app, const std::string& what, const std::string& remedy) {
  throw Error(ErrorKind::kUsage, what, fullName(app), remedy);
}

// `word` is not known to `app`.
[[noreturn]] void refuseWord(const CLI::App& app, const std::string& word) {
  const bool option = word.size() > 1 && word.front() == '-';
  const std::vector<std::string> verbs = verbsOf(app);
  if (!option && verbs.empty()) refuse(app, "unexpected argument \"" + word + "\"", helpHint(app));
  const std::string name = option ? word.substr(0, word.find('=')) : word;
  const auto meant = didYouMean(name, option ? optionsOf(app) : verbs);
  std::string remedy = meant ? "did you mean \"" + *meant + "\"?" : "";
  if (!option) {
    remedy += fmt::format("{}one of {}", meant ? " " : "", fmt::join(verbs, ", "));
  } else if (!meant) {
    remedy = helpHint(app);
  }
  refuse(app, fmt::format("unknown {} \"{}\"", option ? "option" : "verb", name), remedy);
}

// The innermost verb that the command line named.
const CLI::App& innermost(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : innermost(*parsed.front());
}

// Finds the first unknown word, from the program inwards.
void refuseUnknownWords(const CLI::App& app) {
  const std::vector<std::string> unknown = app.remaining();
  if (!unknown.empty()) refuseWord(app, unknown.front());
  for (const CLI::App* verb : app.get_subcommands()) refuseUnknownWords(*verb);
}

// An empty value is usually that of a shell variable that is not set.
void refuseEmptyValues(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& value : option->results()) {
      if (value.empty()) refuse(app, option->get_name() + " has an empty value", helpHint(app));
    }
  }
  for (const CLI::App* verb : app.get_subcommands()) refuseEmptyValues(*verb);
}

}  // namespace

bool parse(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    app.exit(help);
    return false;
  } catch (const CLI::ParseError& error) {
    const int code = error.get_exit_code();
    const bool required = code == static_cast<int>(CLI::ExitCodes::RequiredError);
    if (required || code == static_cast<int>(CLI::ExitCodes::ExtrasError)) refuseUnknownWords(app);
    const CLI::App& verb = innermost(app);
    if (required && verb.get_require_subcommand_min() > 0) {
      refuse(verb, "a verb is missing", fmt::format("one of {}", fmt::join(verbsOf(verb), ", ")));
    }
    refuse(verb, error.what(), helpHint(verb));
  }
  refuseEmptyValues(app);
  return true;
}

}  // namespace plumbline::command
