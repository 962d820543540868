// SPDX-License-Identifier: GPL-3.0-or-later
// The window: connects pages, panels and the session, and handles the start and end of runs. Pages
// and panels own what they show.
#pragma once

#include <QMainWindow>
#include <functional>
#include <vector>

#include "gui/models/run_list.h"
#include "gui/models/session.h"
#include "gui/plots/theme.h"
#include "gui/window/local_server.h"
#include "gui/window/report_writer.h"

class QComboBox;
class QTabWidget;

namespace plumbline::gui {

class CapturesPanel;
class CollectivePage;
class CountersPanel;
class DistributionPage;
class FairnessPage;
class FlowsPage;
class LogPanel;
class Page;
class PfcPage;
class PortsPanel;
class ResultsPage;
class ScenarioPage;
class StartPage;
class StatusStrip;
class TopologyPage;
class TrialsPanel;

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  // `server_program`: the `plumbline` for a local server; empty to search for it. `results`: where
  // a local server stores its runs; empty for its default.
  MainWindow(QString server_program, QString results, QWidget* parent = nullptr);
  ~MainWindow() override;

  void connectTo(const control::ServerAddress& address);
  // Results JSON, or a directory of results as `plumbline run --results` makes it. Shows the first
  // file and compares it with the others.
  void openResults(const QStringList& paths);
  // Starts a local server if there is none, fetches the quickstart and runs it.
  void runQuickstart();
  void setDark(bool dark);
  // Selects the source of the tabs: the live run, or the stored runs on the shelf.
  void showSource(bool live);

  // For tests and screenshots.
  [[nodiscard]] Session& session() { return session_; }
  [[nodiscard]] RunList& runList() { return run_list_; }
  [[nodiscard]] QTabWidget& tabs() { return *tabs_; }
  [[nodiscard]] ScenarioPage& scenarioPage() { return *scenario_page_; }
  [[nodiscard]] DistributionPage& cdfPage() { return *cdf_page_; }
  [[nodiscard]] FlowsPage& flowsPage() { return *flows_page_; }
  [[nodiscard]] ResultsPage& resultsPage() { return *results_page_; }
  [[nodiscard]] TopologyPage& topologyPage() { return *topology_page_; }
  [[nodiscard]] const LogPanel& log() const { return *log_; }
  [[nodiscard]] StatusStrip& strip() { return *strip_; }
  // True while live data are shown, false for stored runs.
  [[nodiscard]] bool showsLive() const;

 public slots:
  void run();
  void stop();

 protected:
  void closeEvent(QCloseEvent* event) override;

 private:
  void makePages();
  void makeDocks();
  void makeMenus();
  void makeConnections();
  void restoreLayout();
  void report(const QString& message, bool failure);
  void showConnectDialog();
  void chooseResultToOpen();
  void openDirectory(const QString& path);
  void chooseScenario(const QString& name);
  // Calls `action` once a server is connected; starts a local one if there is no connection or
  // attempt.
  void withServer(std::function<void()> action);
  void sessionStateChanged();
  void fetchQuickstart(const control::ServerCapabilities& capabilities);
  void fetchResults(qint64 run, bool compare);
  void showRun(const QString& key, qint64 server_run, bool compare);
  void openReport(const QString& key, qint64 server_run);
  void fetchReport(qint64 run);
  void showReport(const QString& html);
  void resumeRun(qint64 run);
  void startRun();
  void runStarted(const control::Outcome<control::RunState>& outcome);
  void showFirstLatency();
  void refreshPage();
  void exportPlot();

  QString server_program_;
  QString results_;
  Theme theme_;
  Session session_;
  RunList run_list_;
  LocalServer local_server_;
  ReportWriter report_writer_;
  std::function<void()> when_connected_;
  bool awaits_latency_ = false;  // of the last started run
  StatusStrip* strip_;
  QTabWidget* tabs_;
  QComboBox* source_;
  StartPage* start_page_;
  ScenarioPage* scenario_page_;
  FlowsPage* flows_page_;
  DistributionPage* cdf_page_;
  TopologyPage* topology_page_;
  ResultsPage* results_page_;
  std::vector<Page*> pages_;
  PortsPanel* ports_;
  TrialsPanel* trials_;
  CountersPanel* counters_;
  LogPanel* log_;
  CapturesPanel* captures_;
};

}  // namespace plumbline::gui
