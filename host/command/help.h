// A program's command line as data, from which manual pages and completions are generated, so that
// they agree with --help.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace plumbline::command {

struct OptionHelp {
  std::vector<std::string> names;  // "-j", "--jobs"; the one name of a positional: "scenario"
  bool positional = false;
  bool required = false;
  std::string argument;              // "TEXT", "UINT"; empty for a flag
  std::string help;                  // one line
  std::string default_value;         // empty: none
  std::string environment;           // variable that sets it; may be empty
  std::vector<std::string> choices;  // words for completion; others may be allowed too
  bool only_choices = false;         // no other word is allowed
};

struct CommandHelp {
  std::string name;         // "plumbline results diff"
  std::string description;  // one line
  std::string footer;       // below the options, for the program only
  std::vector<OptionHelp> options;
  std::vector<CommandHelp> commands;  // its verbs
};

// Of a CLI11 program, without hidden options and verbs.
CommandHelp helpOf(const CLI::App& app);

// Adds words for completion to every option or positional of this name ("--bench", "scenario") in
// `command` and below.
void addChoices(CommandHelp& command, const std::string& option,
                const std::vector<std::string>& words);

// "plumbline-results" for "plumbline results".
std::string fileNameOf(const CommandHelp& command);

}  // namespace plumbline::command
