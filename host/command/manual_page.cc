#include "command/manual_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string_view>

namespace plumbline::command {
namespace {

// Any text, escaped for roff. Non-ASCII becomes \[uXXXX], independent of the file's encoding.
std::string escaped(std::string_view text) {
  std::string roff;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool begins_line = at == 0 || text[at - 1] == '\n';
    if (begins_line && (byte == '.' || byte == '\'')) roff += "\\&";
    if (byte == '\\') {
      roff += "\\e";
    } else if (byte == '-') {
      roff += "\\-";
    } else if (byte < 0x80U) {
      roff += static_cast<char>(byte);
    } else {
      const std::size_t more = byte >= 0xF0U ? 3 : byte >= 0xE0U ? 2 : 1;
      std::uint32_t point = byte & (0x3FU >> more);
      for (std::size_t i = 0; i < more && at + 1 < text.size(); ++i) {
        point = point << 6U | (static_cast<unsigned char>(text[++at]) & 0x3FU);
      }
      roff += fmt::format("\\[u{:04X}]", point);
    }
  }
  return roff;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string namesOf(const OptionHelp& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) {
    names.push_back(option.positional ? "\\fI" + escaped(upper(name)) + "\\fR"
                                      : "\\fB" + escaped(name) + "\\fR");
  }
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (!option.positional && !option.argument.empty()) {
    text += " \\fI" + escaped(option.argument) + "\\fR";
  }
  return text;
}

// "\fBplumbline run\fR [\fIoptions\fR] \fISCENARIO\fR"
std::string synopsis(const CommandHelp& command) {
  std::string text = "\\fB" + escaped(command.name) + "\\fR [\\fIoptions\\fR]";
  if (!command.commands.empty()) text += " \\fIverb\\fR \\&...";
  for (const OptionHelp& option : command.options) {
    if (!option.positional) continue;
    text += option.required ? " " + namesOf(option) : " [" + namesOf(option) + "]";
  }
  return text + "\n";
}

std::string optionText(const OptionHelp& option) {
  std::string text = ".TP\n" + namesOf(option) + "\n" + escaped(option.help) + "\n";
  std::vector<std::string> remarks;
  if (option.only_choices)
    remarks.push_back(fmt::format("one of {}", fmt::join(option.choices, ", ")));
  if (!option.default_value.empty()) remarks.push_back("default: " + option.default_value);
  if (!option.environment.empty()) remarks.push_back("environment: " + option.environment);
  if (!remarks.empty()) text += escaped(fmt::format("({})", fmt::join(remarks, "; "))) + "\n";
  return text;
}

std::string optionsText(const CommandHelp& command) {
  std::string text;
  for (const OptionHelp& option : command.options) {
    if (option.positional) text += optionText(option);
  }
  for (const OptionHelp& option : command.options) {
    if (!option.positional) text += optionText(option);
  }
  return text;
}

// A page without the common footer sections.
std::string pageText(const CommandHelp& command, const std::string& version) {
  std::string text = fmt::format(".TH \"{}\" \"1\" \"\" \"{}\" \"\"\n",
                                 escaped(upper(fileNameOf(command))), escaped(version));
  text +=
      ".SH NAME\n" + escaped(fileNameOf(command)) + " \\- " + escaped(command.description) + "\n";
  text += ".SH SYNOPSIS\n" + synopsis(command);
  return text;
}

std::string optionsSection(const CommandHelp& command) {
  const std::string options = optionsText(command);
  return options.empty() ? "" : ".SH OPTIONS\n" + options;
}

std::string footer(const CommandHelp& program) {
  return program.footer.empty() ? "" : ".SH NOTES\n" + escaped(program.footer) + "\n";
}

ManualPage programPage(const CommandHelp& program, const std::string& version) {
  std::string text = pageText(program, version);
  if (!program.commands.empty()) {
    text += ".SH VERBS\n";
    for (const CommandHelp& verb : program.commands) {
      text += fmt::format(".TP\n\\fB{}\\fR(1)\n{}\n", escaped(fileNameOf(verb)),
                          escaped(verb.description));
    }
  }
  text += optionsSection(program) + footer(program);
  return {fileNameOf(program) + ".1", std::move(text)};
}

ManualPage verbPage(const CommandHelp& verb, const CommandHelp& program,
                    const std::string& version) {
  std::string text = pageText(verb, version) + optionsSection(verb);
  for (const CommandHelp& inner : verb.commands) {
    text += fmt::format(".SH \"{}\"\n{}.PP\n{}\n", escaped(upper(inner.name)), synopsis(inner),
                        escaped(inner.description));
    text += optionsText(inner);
  }
  text += footer(program);
  text += ".SH SEE ALSO\n\\fB" + escaped(fileNameOf(program)) + "\\fR(1)\n";
  return {fileNameOf(verb) + ".1", std::move(text)};
}

}  // namespace

std::vector<ManualPage> manualPages(const CommandHelp& program, const std::string& version) {
  std::vector<ManualPage> pages{programPage(program, version)};
  for (const CommandHelp& verb : program.commands) {
    pages.push_back(verbPage(verb, program, version));
  }
  return pages;
}

}  // namespace plumbline::command
