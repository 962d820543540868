#include "command/completions.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace plumbline::command {
namespace {

// Completion of the value of an option or positional: its known words, and files unless only words
// or numbers are allowed.
bool takesFiles(const OptionHelp& option) {
  const bool number =
      option.argument == "INT" || option.argument == "UINT" || option.argument == "FLOAT";
  return !number && !option.only_choices && (option.choices.empty() || option.positional);
}

bool takesValue(const OptionHelp& option) { return !option.positional && !option.argument.empty(); }

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

std::string verbNameOf(const CommandHelp& verb) {
  return verb.name.substr(verb.name.rfind(' ') + 1);
}

std::string functionOf(const CommandHelp& command) {
  return "_" + replaced(fileNameOf(command), "-", "_");
}

// Of `command` and all below it.
template <typename Visit>
void forEachCommand(const CommandHelp& command, const Visit& visit) {
  visit(command);
  for (const CommandHelp& verb : command.commands) forEachCommand(verb, visit);
}

std::vector<std::string> optionNames(const CommandHelp& command) {
  std::vector<std::string> names;
  for (const OptionHelp& option : command.options) {
    if (!option.positional) names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

// --- bash ---

std::string bashWords(const std::vector<std::string>& words) {
  return fmt::format("words='{}'", fmt::join(words, " "));
}

// Cases for the words after options with a value.
std::string bashValues(const CommandHelp& program) {
  std::string text;
  forEachCommand(program, [&](const CommandHelp& command) {
    for (const OptionHelp& option : command.options) {
      if (!takesValue(option)) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : option.names) {
        patterns.push_back(fmt::format("'{} {}'", command.name, name));
      }
      std::string action = ":";
      if (!option.choices.empty()) action = bashWords(option.choices);
      if (takesFiles(option)) action = "files=yes";
      text += fmt::format("    {}) {} ;;\n", fmt::join(patterns, " | "), action);
    }
  });
  return text;
}

// Cases for the rest: verbs, options, positionals.
std::string bashCommands(const CommandHelp& program) {
  std::string text;
  forEachCommand(program, [&](const CommandHelp& command) {
    std::vector<std::string> words;
    bool files = false;
    for (const CommandHelp& verb : command.commands) words.push_back(verbNameOf(verb));
    for (const OptionHelp& option : command.options) {
      if (!option.positional) continue;
      words.insert(words.end(), option.choices.begin(), option.choices.end());
      files = files || takesFiles(option);
    }
    text +=
        fmt::format("        '{}') if [[ $cur == -* ]]; then {}; else {}{}; fi ;;\n", command.name,
                    bashWords(optionNames(command)), bashWords(words), files ? "; files=yes" : "");
  });
  return text;
}

// --- zsh ---

std::string zshQuoted(std::string text) {
  for (const char* special : {"\\", "[", "]", ":"}) {
    text = replaced(std::move(text), special, std::string("\\") + special);
  }
  return replaced(std::move(text), "'", "'\\''");
}

std::string zshAction(const OptionHelp& option, const std::string& function) {
  if (option.choices.empty()) return takesFiles(option) ? "_files" : " ";
  return takesFiles(option) ? function : fmt::format("({})", fmt::join(option.choices, " "));
}

// The name of the function that offers words and files for a positional.
std::string zshWordsFunction(const CommandHelp& command, const OptionHelp& option) {
  return functionOf(command) + "_" + option.names.front();
}

std::string zshArguments(const CommandHelp& command) {
  std::string text;
  std::size_t position = 0;
  for (const OptionHelp& option : command.options) {
    const std::string action = zshAction(option, zshWordsFunction(command, option));
    if (option.positional) {
      text +=
          fmt::format(" \\\n    '{}:{}:{}'", ++position, zshQuoted(option.names.front()), action);
      continue;
    }
    const std::string value =
        takesValue(option) ? fmt::format(":{}:{}", zshQuoted(option.argument), action) : "";
    const std::string rest = fmt::format("[{}]{}", zshQuoted(option.help), value);
    if (option.names.size() == 1) {
      text += fmt::format(" \\\n    '{}{}'", option.names.front(), rest);
    } else {
      text += fmt::format(" \\\n    '({})'{{{}}}'{}'", fmt::join(option.names, " "),
                          fmt::join(option.names, ","), rest);
    }
  }
  return text;
}

std::string zshFunctions(const CommandHelp& command) {
  std::string text;
  for (const OptionHelp& option : command.options) {
    if (!option.positional || option.choices.empty() || !takesFiles(option)) continue;
    text += fmt::format("{}() {{\n  _alternative 'words:{}:({})' 'files:file:_files'\n}}\n\n",
                        zshWordsFunction(command, option), option.names.front(),
                        fmt::join(option.choices, " "));
  }
  text += functionOf(command) + "() {\n";
  if (command.commands.empty()) {
    text += "  _arguments" + zshArguments(command) + "\n}\n\n";
    return text;
  }
  text += "  local curcontext=\"$curcontext\" state line\n  local -a verbs\n  _arguments -C" +
          zshArguments(command) + " \\\n    '1: :->verb' \\\n    '*:: :->arguments'\n";
  text += "  case $state in\n    verb)\n      verbs=(\n";
  for (const CommandHelp& verb : command.commands) {
    text += fmt::format("        '{}:{}'\n", verbNameOf(verb), zshQuoted(verb.description));
  }
  text += "      )\n      _describe verb verbs ;;\n    arguments)\n      case $line[1] in\n";
  for (const CommandHelp& verb : command.commands) {
    text += fmt::format("        {}) {} ;;\n", verbNameOf(verb), functionOf(verb));
  }
  text += "      esac ;;\n  esac\n}\n\n";
  for (const CommandHelp& verb : command.commands) text += zshFunctions(verb);
  return text;
}

// --- fish ---

std::string fishQuoted(std::string text) {
  text = replaced(std::move(text), "\\", "\\\\");
  return "'" + replaced(std::move(text), "'", "\\'") + "'";
}

// `condition`: when the command line is in `command`.
std::string fishLines(const std::string& program, const CommandHelp& command,
                      const std::string& condition) {
  const auto begin = [&](const std::string& when) {
    return "complete -c " + program + (when.empty() ? "" : " -n " + fishQuoted(when));
  };
  std::vector<std::string> verbs;
  for (const CommandHelp& verb : command.commands) verbs.push_back(verbNameOf(verb));
  const std::string both = condition.empty() ? "" : condition + "; and ";
  const std::string no_verb = verbs.empty() ? condition
                                            : fmt::format("{}not __fish_seen_subcommand_from {}",
                                                          both, fmt::join(verbs, " "));
  std::string text;
  bool files = false;
  for (const OptionHelp& option : command.options) {
    const std::string words =
        option.choices.empty()
            ? ""
            : " -a " + fishQuoted(fmt::format("{}", fmt::join(option.choices, " ")));
    if (option.positional) {
      files = files || takesFiles(option);
      if (!words.empty()) text += begin(condition) + words + "\n";
      continue;
    }
    text += begin(no_verb);
    for (const std::string& name : option.names) {
      text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (takesValue(option)) text += (takesFiles(option) ? " -r" : " -x") + words;
    text += " -d " + fishQuoted(option.help) + "\n";
  }
  if (!files) text += begin(no_verb) + " -f\n";
  for (const CommandHelp& verb : command.commands) {
    text +=
        begin(no_verb) + " -a " + verbNameOf(verb) + " -d " + fishQuoted(verb.description) + "\n";
  }
  for (const CommandHelp& verb : command.commands) {
    text += fishLines(program, verb, both + "__fish_seen_subcommand_from " + verbNameOf(verb));
  }
  return text;
}

}  // namespace

std::string bashCompletion(const CommandHelp& program) {
  std::vector<std::string> commands;
  forEachCommand(program, [&](const CommandHelp& command) {
    if (command.name != program.name) commands.push_back("'" + command.name + "'");
  });
  std::string text = fmt::format(
      "# bash completion of {0}, made from its own help\n{1}() {{\n"
      "  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  local command='{0}' words='' files='' i\n",
      program.name, functionOf(program));
  if (!commands.empty()) {
    text += fmt::format(
        "  for ((i = 1; i < COMP_CWORD; ++i)); do\n    case \"$command ${{COMP_WORDS[i]}}\" in\n"
        "      {}) command=\"$command ${{COMP_WORDS[i]}}\" ;;\n    esac\n  done\n",
        fmt::join(commands, " | \\\n        "));
  }
  text += "  case \"$command $prev\" in\n" + bashValues(program) +
          "    *)\n      case $command in\n" + bashCommands(program) + "      esac ;;\n  esac\n";
  text += fmt::format(
      "  COMPREPLY=()\n"
      "  if [[ -n $words ]]; then mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\"); fi\n"
      "  if [[ -n $files ]]; then\n"
      "    mapfile -t -O ${{#COMPREPLY[@]}} COMPREPLY < <(compgen -f -- \"$cur\")\n  fi\n}}\n"
      "complete -o filenames -F {} {}\n",
      functionOf(program), program.name);
  return text;
}

std::string zshCompletion(const CommandHelp& program) {
  return fmt::format(
      "#compdef {0}\n# zsh completion of {0}, made from its own help\n\n{1}{2} \"$@\"\n",
      program.name, zshFunctions(program), functionOf(program));
}

std::string fishCompletion(const CommandHelp& program) {
  return fmt::format("# fish completion of {}, made from its own help\n", program.name) +
         fishLines(program.name, program, "");
}

}  // namespace plumbline::command
