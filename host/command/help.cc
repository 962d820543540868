#include "command/help.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace plumbline::command {
namespace {

// CLI11 writes the words that IsMember allows as "TEXT:{json,csv}".
void readType(const std::string& type, OptionHelp& option) {
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}');
  if (open != std::string::npos && close != std::string::npos && open < close) {
    for (std::size_t from = open + 1; from < close;) {
      const std::size_t end = std::min(type.find(',', from), close);
      option.choices.push_back(type.substr(from, end - from));
      from = end + 1;
    }
    option.only_choices = true;
  }
  option.argument = type.substr(0, type.find_first_of(": "));
}

OptionHelp optionHelp(const CLI::Option& from) {
  OptionHelp option;
  for (const std::string& name : from.get_snames()) option.names.push_back("-" + name);
  for (const std::string& name : from.get_lnames()) option.names.push_back("--" + name);
  option.positional = option.names.empty();
  if (option.positional) option.names.push_back(from.get_name(true));
  option.required = from.get_required();
  option.help = from.get_description();
  option.default_value = from.get_default_str();
  option.environment = from.get_envname();
  if (from.get_items_expected_max() > 0) readType(from.get_type_name(), option);
  return option;
}

CommandHelp commandHelp(const CLI::App& app, const std::string& before) {
  CommandHelp command;
  command.name = before + app.get_name();
  command.description = app.get_description();
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) command.options.push_back(optionHelp(*option));
  }
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!verb->get_group().empty())
      command.commands.push_back(commandHelp(*verb, command.name + " "));
  }
  return command;
}

}  // namespace

CommandHelp helpOf(const CLI::App& app) {
  CommandHelp command = commandHelp(app, "");
  command.footer = app.get_footer();
  return command;
}

void addChoices(CommandHelp& command, const std::string& option,
                const std::vector<std::string>& words) {
  for (OptionHelp& one : command.options) {
    if (std::find(one.names.begin(), one.names.end(), option) != one.names.end()) {
      one.choices = words;
    }
  }
  for (CommandHelp& verb : command.commands) addChoices(verb, option, words);
}

std::string fileNameOf(const CommandHelp& command) {
  std::string name = command.name;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

}  // namespace plumbline::command
