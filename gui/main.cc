// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QCommandLineParser>
#include <QStyleFactory>
#include <cstdio>
#include <string_view>

#include "command/command_files.h"
#include "gui/window/connect_dialog.h"
#include "gui/window/main_window.h"

namespace {

// Options of the command line.
struct Options {
  QCommandLineOption server{QStringLiteral("server"),
                            QStringLiteral("Connect to this server at once."),
                            QStringLiteral("HOST[:PORT]")};
  QCommandLineOption token{QStringLiteral("token-file"),
                           QStringLiteral("File with the token the server asks for."),
                           QStringLiteral("FILE")};
  QCommandLineOption ca{QStringLiteral("ca-file"),
                        QStringLiteral("PEM of the server's certificate authority."),
                        QStringLiteral("FILE")};
  QCommandLineOption results{QStringLiteral("results"),
                             QStringLiteral("Where a local server stores its runs."),
                             QStringLiteral("DIR")};
  QCommandLineOption quickstart{QStringLiteral("quickstart"),
                                QStringLiteral("Run the quickstart at once, on a local server.")};

  [[nodiscard]] QList<QCommandLineOption> all() const {
    return {server, token, ca, results, quickstart};
  }
};

constexpr const char* kDescription =
    "Desktop window of Plumbline, a precision tester for AI Ethernet fabrics";
constexpr const char* kResultHelp = "Results JSON to open, or a directory of results.";

// For the manual page and the completions.
plumbline::command::CommandHelp commandHelp() {
  plumbline::command::CommandHelp help;
  help.name = "plumbline-gui";
  help.description = kDescription;
  plumbline::command::OptionHelp result;
  result.names = {"result"};
  result.positional = true;
  result.help = kResultHelp;
  help.options.push_back(result);
  for (const QCommandLineOption& option : Options().all()) {
    plumbline::command::OptionHelp one;
    for (const QString& name : option.names()) one.names.push_back("--" + name.toStdString());
    one.argument = option.valueName().toStdString();
    one.help = option.description().toStdString();
    help.options.push_back(one);
  }
  return help;
}

}  // namespace

int main(int argc, char** argv) {
  // During the build, where there is no display for a QApplication.
  if (argc == 3 && argv[1] == std::string_view(plumbline::command::kCommandFilesOption)) {
    plumbline::command::writeCommandFiles(commandHelp(), "plumbline " PLUMBLINE_VERSION, argv[2]);
    return 0;
  }
  QApplication app(argc, argv);
  QApplication::setApplicationName(QStringLiteral("plumbline-gui"));
  QApplication::setOrganizationName(QStringLiteral("plumbline"));
  QApplication::setApplicationVersion(QStringLiteral(PLUMBLINE_VERSION));
  QApplication::setDesktopFileName(QStringLiteral("plumbline-gui"));
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));

  QCommandLineParser parser;
  parser.setApplicationDescription(QString::fromUtf8(kDescription));
  parser.addHelpOption();
  parser.addVersionOption();
  const Options options;
  parser.addOptions(options.all());
  parser.addPositionalArgument(QStringLiteral("result"), QString::fromUtf8(kResultHelp),
                               QStringLiteral("[result …]"));
  parser.process(app);

  plumbline::gui::MainWindow window({}, parser.value(options.results));
  window.show();
  if (parser.isSet(options.server)) {
    QString error;
    const auto address = plumbline::gui::serverAddress(
        parser.value(options.server), parser.value(options.token), parser.value(options.ca), error);
    if (!address) {
      std::fprintf(stderr, "plumbline-gui: %s\n", qUtf8Printable(error));
      return 2;
    }
    window.connectTo(*address);
  }
  window.openResults(parser.positionalArguments());
  if (parser.isSet(options.quickstart)) window.runQuickstart();
  return QApplication::exec();
}
