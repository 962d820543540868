// The server as its users start it, and the verbs that are its clients.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <regex>
#include <thread>

#include "base/json.h"
#include "tests/cli/process.h"
#include "tests/control/small_scenario.h"
#include "tests/paths/paths.h"
#include "tests/results/temp_directory.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ServeTest : public testing::Test {
 protected:
  ServeTest() {
    std::filesystem::create_directories(scratch_.path() / "server");
    std::filesystem::create_directories(scratch_.path() / "client");
  }

  // A server on a free port; its address.
  std::string serve(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"serve", "--port", "0", "--results", results()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    server_ = std::make_unique<Process>(scratch_.path() / "server", arguments);
    const std::string greeting = "serving at http://";
    for (;;) {
      const std::string out = contentOf(scratch_.path() / "server" / "stdout.txt");
      if (out.starts_with(greeting) && out.ends_with("\n")) {
        return out.substr(greeting.size(), out.size() - greeting.size() - 1);
      }
      if (server_->ended()) throw std::runtime_error(server_->wait().err);
      std::this_thread::sleep_for(5ms);
    }
  }

  [[nodiscard]] std::string results() const { return (scratch_.path() / "results").string(); }

  std::string scenario(int trials, const std::string& more = {}) {
    const auto file = scratch_.path() / "small.yaml";
    std::ofstream(file) << control::smallScenario(trials, more);
    return file.string();
  }

  Outcome client(const std::vector<std::string>& arguments) {
    return plumblineCommand(scratch_.path() / "client", arguments);
  }

  TempDirectory scratch_;
  std::unique_ptr<Process> server_;
};

TEST_F(ServeTest, ARunThereIsLikeARunHere) {
  const std::string server = serve();
  const std::string file = scenario(2);
  const std::string json = (scratch_.path() / "run.json").string();
  const std::string report = (scratch_.path() / "report").string();
  const Outcome there =
      client({"run", file, "--server", server, "--json", json, "--report", report});
  EXPECT_EQ(there.exit_code, 0) << there.err;
  EXPECT_THAT(there.err, HasSubstr("T9.1: "));
  EXPECT_THAT(contentOf(report + "/report.html"), StartsWith("<!DOCTYPE html>"));

  const std::string local_json = (scratch_.path() / "local.json").string();
  const Outcome here = client({"run", file, "--quiet", "--json", local_json, "--results",
                               (scratch_.path() / "local").string()});
  EXPECT_EQ(here.exit_code, 0) << here.err;
  EXPECT_EQ(nlohmann::json::parse(contentOf(json)).at("tests"),
            nlohmann::json::parse(contentOf(local_json)).at("tests"));
  const std::string summary = here.out.substr(0, here.out.find("all tables: "));
  EXPECT_THAT(there.out, StartsWith(summary));
  EXPECT_FALSE(summary.empty());
}

TEST_F(ServeTest, TablesOfARunThere) {
  const std::string server = serve();
  const Outcome there = client({"run", scenario(2), "--server", server, "--quiet", "--tables"});
  EXPECT_EQ(there.exit_code, 0) << there.err;
  EXPECT_THAT(there.out, HasSubstr("Bus bandwidth"));
  EXPECT_THAT(there.out, Not(HasSubstr("all tables: ")));
}

TEST_F(ServeTest, WarningsOfARunThere) {
  const std::string server = serve();
  const auto file = scratch_.path() / "warned.yaml";
  std::ofstream(file) << "plumbline: 1\nname: warned\ntest: free\ndut:\n  topology: {kind: clos2}\n"
                         "  switch: {pfc: {headroom: 1KB}}\ntransport: {kind: roce}\n"
                         "workload: {kind: pairs, size: 4KiB, messages: 1}\n";
  const Outcome there = client({"run", file.string(), "--server", server, "--quiet"});
  EXPECT_EQ(there.exit_code, 0) << there.err;
  EXPECT_THAT(there.err, StartsWith(file.string() + ":6:28: warning: headroom 1 KB is below the "));
}

TEST_F(ServeTest, ExitCodesComeThrough) {
  const std::string server = serve();
  const Outcome missed =
      client({"run", scenario(2, "limits: {busbw_gbps: 100000}\n"), "--server", server, "--quiet"});
  EXPECT_EQ(missed.exit_code, 1) << missed.err;
  EXPECT_THAT(missed.out, HasSubstr("MISSED"));
  const auto wrong = scratch_.path() / "wrong.yaml";
  std::ofstream(wrong) << "plumbline: 1\nname: x\ntest: T9.9\n";
  const Outcome refused = client({"run", wrong.string(), "--server", server, "--quiet"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("3:7: "));
  EXPECT_EQ(client({"run", "quickstart", "--server", "127.0.0.1:1", "--quiet"}).exit_code, 3);
  EXPECT_EQ(client({"run", "quickstart", "--server", "a b", "--quiet"}).exit_code, 2);
  EXPECT_EQ(client({"run", "quickstart", "--server", server, "--trace", "x.fst"}).exit_code, 2);
}

// The window starts its server in this way. A killed process cannot end its children.
TEST_F(ServeTest, EndsWithTheProgramThatStartedItHoweverThatEnds) {
  int told[2];
  ASSERT_EQ(::pipe(told), 0);
  const std::string directory = results();
  const std::string program = commandPath();
  const pid_t starter = ::fork();
  if (starter == 0) {
    int input[2];
    if (::pipe2(input, O_CLOEXEC) != 0) ::_exit(1);
    const pid_t server = ::fork();
    if (server == 0) {
      ::dup2(input[0], STDIN_FILENO);
      ::dup2(told[1], STDOUT_FILENO);
      ::execl(program.c_str(), "plumbline", "serve", "--port", "0", "--end-with-stdin", "--results",
              directory.c_str(), nullptr);
      ::_exit(127);
    }
    const std::string line = std::to_string(server) + "\n";
    if (::write(told[1], line.data(), line.size()) < 0) ::_exit(1);
    for (;;) ::pause();
  }
  ::close(told[1]);
  // The server's process id, and that it serves, in either order.
  std::string words;
  while (words.find("serving at") == std::string::npos ||
         std::count(words.begin(), words.end(), '\n') < 2) {
    char c = 0;
    ASSERT_EQ(::read(told[0], &c, 1), 1) << words;
    words.push_back(c);
  }
  std::smatch id;
  ASSERT_TRUE(std::regex_search(words, id, std::regex("(^|\n)([0-9]+)\n"))) << words;
  const auto server = static_cast<pid_t>(std::stol(id[2]));
  std::this_thread::sleep_for(200ms);
  EXPECT_EQ(::kill(server, 0), 0);  // it serves as long as the other lives

  ::kill(starter, SIGKILL);
  ::waitpid(starter, nullptr, 0);
  // At its end the server closes its standard output, the last end of this pipe.
  pollfd output{told[0], POLLIN, 0};
  EXPECT_EQ(::poll(&output, 1, 10'000), 1);
  char c = 0;
  EXPECT_EQ(::read(told[0], &c, 1), 0);
  ::close(told[0]);
  if (HasFailure()) ::kill(server, SIGKILL);
}

TEST_F(ServeTest, TopShowsWhatRuns) {
  const std::string server = serve();
  EXPECT_EQ(client({"run", scenario(2), "--server", server, "--quiet"}).exit_code, 0);
  const Outcome tables = client({"top", "--once", "--server", server});
  EXPECT_EQ(tables.exit_code, 0) << tables.err;
  EXPECT_THAT(tables.out, HasSubstr("run 1  T9.1  trial "));
  // The busiest links; which they are depends on the instant.
  EXPECT_THAT(tables.out, HasSubstr("\nlink "));
  EXPECT_THAT(tables.out, HasSubstr("\nleaf0-"));
  const Outcome lines = client({"top", "--once", "--jsonl", "--server", server});
  EXPECT_EQ(std::count(lines.out.begin(), lines.out.end(), '\n'), 1);
  EXPECT_EQ(nlohmann::json::parse(lines.out).at("run"), 1);
}

TEST_F(ServeTest, TopEndsWhenItsOutputIsFull) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
  const std::string server = serve();
  EXPECT_EQ(client({"run", scenario(2), "--server", server, "--quiet"}).exit_code, 0);
  for (const std::string form : {"", "--jsonl", "--once", "--once --jsonl"}) {
    const Outcome outcome = Process(scratch_.path() / "client",
                                    {"-c", "exec timeout 20 " + commandPath() + " top " + form +
                                               " --server " + server + " >/dev/full"},
                                    "/bin/sh")
                                .wait();
    EXPECT_EQ(outcome.exit_code, 3) << form << ": " << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("No space left on device")) << form;
  }
}

TEST_F(ServeTest, CtrlCOfTheClientStopsTheRunAfterTheTrialInHand) {
  const std::string server = serve();
  Process client(scratch_.path() / "client",
                 {"run", scenario(5'000), "--server", server, "--quiet"});
  const auto trials = [this] {
    const Outcome ls = plumblineCommand(scratch_.path(), {"results", "ls", "--results", results()});
    return ls.exit_code == 0 && ls.out.find("running") != std::string::npos;
  };
  while (!trials()) std::this_thread::sleep_for(5ms);
  client.signal(SIGINT);
  const Outcome outcome = client.wait();
  EXPECT_EQ(outcome.exit_code, 5) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("was stopped"));
}

// A server that accepts connections and sends nothing: its port is open, without a program that
// reads it.
TEST_F(ServeTest, ASilentServerIsNamedAsOne) {
  const int silent = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(silent, any, size), 0);
  ASSERT_EQ(::listen(silent, 4), 0);
  ASSERT_EQ(::getsockname(silent, any, &size), 0);
  Process client(scratch_.path() / "client",
                 {"run", scenario(1), "--server",
                  "127.0.0.1:" + std::to_string(ntohs(address.sin_port)), "--quiet"});
  std::string said;
  while (!client.ended() && said.find("120 s in all") == std::string::npos) {
    std::this_thread::sleep_for(20ms);
    said = contentOf(scratch_.path() / "client" / "stderr.txt");
  }
  EXPECT_THAT(said, HasSubstr("the server has not answered for 3 s"));
  client.signal(SIGTERM);
  client.wait();
  ::close(silent);
}

TEST_F(ServeTest, TheLogOfTrialsIsThatOfARunHere) {
  const std::string server = serve();
  const std::string file = scenario(5);
  const std::string there = (scratch_.path() / "there.jsonl").string();
  const std::string here = (scratch_.path() / "here.jsonl").string();
  ASSERT_EQ(client({"run", file, "--quiet", "--server", server, "--jsonl", there}).exit_code, 0);
  ASSERT_EQ(client({"run", file, "--quiet", "--jsonl", here, "--results",
                    (scratch_.path() / "local").string()})
                .exit_code,
            0);
  EXPECT_EQ(contentOf(there), contentOf(here));
  EXPECT_THAT(contentOf(here), HasSubstr("\"repetition\":4"));
  EXPECT_EQ(client({"run", file, "--server", server, "--jsonl", "/nonexistent/x"}).exit_code, 2);
  if (::access("/dev/full", W_OK) != 0) return;
  const std::string json = (scratch_.path() / "there.json").string();
  const Outcome full =
      client({"run", file, "--quiet", "--server", server, "--jsonl", "/dev/full", "--json", json});
  EXPECT_EQ(full.exit_code, 3);
  EXPECT_THAT(full.err, HasSubstr("this output ends here, the run goes on"));
  EXPECT_THAT(contentOf(json), HasSubstr("\"status\": \"done\""));
}

TEST_F(ServeTest, AStoppedRunGoesOnThere) {
  const std::string server = serve();
  const std::string file = scenario(1'000);
  const fs::path log = scratch_.path() / "first.jsonl";
  Process first(scratch_.path() / "client",
                {"run", file, "--server", server, "--quiet", "--jsonl", log.string()});
  while (contentOf(log).empty()) {
    ASSERT_FALSE(first.ended()) << first.wait().err;
    std::this_thread::sleep_for(5ms);
  }
  first.signal(SIGINT);
  ASSERT_EQ(first.wait().exit_code, 5);
  const Outcome second = client({"run", file, "--server", server, "--resume"});
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_THAT(second.err, HasSubstr("going on with run 1: "));
  const Outcome third = client({"run", scenario(2), "--server", server, "--resume"});
  EXPECT_EQ(third.exit_code, 0) << third.err;
  EXPECT_THAT(third.err, HasSubstr("nothing to resume"));
}

TEST_F(ServeTest, SigtermFinishesTheTrialSavesAndEnds) {
  const std::string server = serve();
  const std::string file = scenario(40);
  Process client(scratch_.path() / "client", {"run", file, "--server", server});
  while (contentOf(scratch_.path() / "client" / "stderr.txt").find("run 1 on") ==
         std::string::npos) {
    std::this_thread::sleep_for(2ms);
  }
  server_->signal(SIGTERM);
  const Outcome ended = server_->wait();
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  client.signal(SIGKILL);
  client.wait();
  // The stored run is consistent: the command continues it where the server left it.
  const Outcome resumed =
      plumblineCommand(scratch_.path(), {"run", file, "--resume", "--results", results()});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
}

TEST_F(ServeTest, OthersThanThisMachineNeedATokenAndTls) {
  const auto refused = [this](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"serve", "--port", "0", "--results", results()});
    return client(arguments);
  };
  const Outcome open = refused({"--listen", "0.0.0.0"});
  EXPECT_EQ(open.exit_code, 2);
  EXPECT_THAT(open.err, HasSubstr("--token-file, --cert and --key"));
  const auto token = scratch_.path() / "token";
  std::ofstream(token) << "secret\n";
  EXPECT_EQ(refused({"--listen", "0.0.0.0", "--token-file", token.string()}).exit_code, 2);
  EXPECT_EQ(refused({"--cert", "x.pem"}).exit_code, 2);
  EXPECT_EQ(refused({"--listen", "everywhere"}).exit_code, 2);
  EXPECT_EQ(refused({"--token-file", (scratch_.path() / "none").string()}).exit_code, 2);

  const std::string server = serve({"--token-file", token.string()});
  EXPECT_EQ(client({"top", "--once", "--server", server}).exit_code, 2);
  const Outcome let_in =
      client({"run", scenario(2), "--quiet", "--server", server, "--token-file", token.string()});
  EXPECT_EQ(let_in.exit_code, 0) << let_in.err;
}

}  // namespace
}  // namespace plumbline
