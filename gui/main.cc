// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QCommandLineParser>
#include <QStyleFactory>
#include <cstdio>

#include "gui/window/connect_dialog.h"
#include "gui/window/main_window.h"

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  QApplication::setApplicationName(QStringLiteral("plumbline-gui"));
  QApplication::setOrganizationName(QStringLiteral("plumbline"));
  QApplication::setApplicationVersion(QStringLiteral(PLUMBLINE_VERSION));
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));

  QCommandLineParser parser;
  parser.setApplicationDescription(
      QStringLiteral("Desktop window of Plumbline, a precision tester for AI Ethernet fabrics"));
  parser.addHelpOption();
  parser.addVersionOption();
  const QCommandLineOption server(QStringLiteral("server"),
                                  QStringLiteral("Connect to this server at once."),
                                  QStringLiteral("HOST[:PORT]"));
  const QCommandLineOption token(QStringLiteral("token-file"),
                                 QStringLiteral("File with the token the server asks for."),
                                 QStringLiteral("FILE"));
  const QCommandLineOption ca(QStringLiteral("ca-file"),
                              QStringLiteral("PEM of who signed the server's certificate."),
                              QStringLiteral("FILE"));
  const QCommandLineOption results(QStringLiteral("results"),
                                   QStringLiteral("Where a local server stores its runs."),
                                   QStringLiteral("DIR"));
  const QCommandLineOption quickstart(
      QStringLiteral("quickstart"),
      QStringLiteral("Run the quickstart at once, on a local server."));
  parser.addOptions({server, token, ca, results, quickstart});
  parser.addPositionalArgument(QStringLiteral("result"),
                               QStringLiteral("Results JSON to open, or a directory of results."),
                               QStringLiteral("[result …]"));
  parser.process(app);

  plumbline::gui::MainWindow window({}, parser.value(results));
  window.show();
  if (parser.isSet(server)) {
    QString error;
    const auto address = plumbline::gui::serverAddress(parser.value(server), parser.value(token),
                                                       parser.value(ca), error);
    if (!address) {
      std::fprintf(stderr, "plumbline-gui: %s\n", qUtf8Printable(error));
      return 2;
    }
    window.connectTo(*address);
  }
  window.openResults(parser.positionalArguments());
  if (parser.isSet(quickstart)) window.runQuickstart();
  return QApplication::exec();
}
