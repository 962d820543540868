#include "control/live_hub.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <variant>
#include <vector>

namespace plumbline::control {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

LiveInterval interval(std::int64_t run = 1) {
  LiveInterval live;
  live.run = run;
  return live;
}

RunState runState(const std::string& status) {
  RunState state;
  state.status = status;
  return state;
}

// A subscriber's pending messages, abbreviated: "hello", "3" for an interval, "lost 2", "done".
std::vector<std::string> takeAll(LiveHub::Subscriber& subscriber) {
  std::vector<std::string> seen;
  while (const auto text = subscriber.take()) {
    const auto message = parseMessage(*text);
    if (!message) {
      seen.push_back("nonsense");
    } else if (const auto* live = std::get_if<LiveInterval>(&*message)) {
      seen.push_back(std::to_string(live->sequence));
    } else if (const auto* lost = std::get_if<LiveLost>(&*message)) {
      seen.push_back("lost " + std::to_string(lost->count));
    } else if (const auto* run = std::get_if<RunState>(&*message)) {
      seen.push_back(run->status);
    } else {
      const auto& hello = std::get<LiveHello>(*message);
      seen.push_back("hello " + std::to_string(hello.oldest) + " " + std::to_string(hello.latest));
    }
  }
  return seen;
}

LiveHub::Limits keeping(std::size_t messages) {
  LiveHub::Limits limits;
  limits.messages = messages;
  return limits;
}

TEST(LiveHub, NumbersIntervalsAndKeepsTheirOrder) {
  LiveHub hub("a");
  const auto subscriber = hub.subscribe(0, [] {});
  EXPECT_THAT(takeAll(*subscriber), ElementsAre("hello 0 0"));
  hub.publish(runState("running"));
  hub.publish(interval());
  hub.publish(interval());
  hub.publish(runState("done"));
  EXPECT_THAT(takeAll(*subscriber), ElementsAre("running", "1", "2", "done"));
  EXPECT_THAT(takeAll(*subscriber), IsEmpty());
  EXPECT_EQ(hub.intervals(), 2u);
  EXPECT_EQ(hub.lost(), 0u);
}

TEST(LiveHub, WhoComesBackGetsWhatItMissed) {
  LiveHub hub("a");
  for (int i = 0; i < 5; ++i) hub.publish(interval());
  hub.publish(runState("done"));
  EXPECT_THAT(takeAll(*hub.subscribe(3, [] {})), ElementsAre("hello 1 5", "4", "5", "done"));
  EXPECT_THAT(takeAll(*hub.subscribe(5, [] {})), ElementsAre("hello 1 5", "done"));
  EXPECT_THAT(takeAll(*hub.subscribe(0, [] {})),
              ElementsAre("hello 1 5", "1", "2", "3", "4", "5", "done"));
  // A number that this process has not given belongs to another one.
  EXPECT_THAT(takeAll(*hub.subscribe(6, [] {})),
              ElementsAre("hello 1 5", "1", "2", "3", "4", "5", "done"));
}

TEST(LiveHub, WhoIsTooLateIsToldHowManyItLost) {
  LiveHub hub("a", keeping(3));
  for (int i = 0; i < 10; ++i) hub.publish(interval());
  EXPECT_THAT(takeAll(*hub.subscribe(4, [] {})),
              ElementsAre("hello 8 10", "lost 3", "8", "9", "10"));
  EXPECT_THAT(takeAll(*hub.subscribe(7, [] {})), ElementsAre("hello 8 10", "8", "9", "10"));
  // A client that had no interval has lost none.
  EXPECT_THAT(takeAll(*hub.subscribe(0, [] {})), ElementsAre("hello 8 10", "8", "9", "10"));
  EXPECT_EQ(hub.lost(), 3u);
}

TEST(LiveHub, WhoIsTooSlowIsToldToo) {
  LiveHub hub("a", keeping(4));
  const auto slow = hub.subscribe(0, [] {});
  hub.publish(interval());
  EXPECT_THAT(takeAll(*slow), ElementsAre("hello 0 0", "1"));
  for (int i = 0; i < 4; ++i) hub.publish(interval());
  hub.publish(runState("stopping"));
  hub.publish(interval());
  // Kept are 4, 5, "stopping", 6.
  EXPECT_THAT(takeAll(*slow), ElementsAre("lost 2", "4", "5", "stopping", "6"));
}

TEST(LiveHub, LossesBehindARunMessageAreCountedOnce) {
  LiveHub hub("a", keeping(1));
  const auto slow = hub.subscribe(0, [] {});
  hub.publish(interval());
  hub.publish(interval());
  hub.publish(runState("done"));
  EXPECT_THAT(takeAll(*slow), ElementsAre("hello 0 0", "lost 2", "done"));
  EXPECT_THAT(takeAll(*hub.subscribe(0, [] {})), ElementsAre("hello 0 2", "done"));
  hub.publish(interval());
  EXPECT_THAT(takeAll(*slow), ElementsAre("3"));
}

TEST(LiveHub, KeepsNoMoreBytesThanAllowed) {
  LiveHub::Limits limits;
  limits.bytes = 20'000;
  LiveHub hub("a", limits);
  LiveInterval large = interval();
  large.kpi.assign(3'000, 'x');
  std::vector<std::shared_ptr<LiveHub::Subscriber>> idle(50);
  for (auto& subscriber : idle) subscriber = hub.subscribe(0, [] {});
  for (int i = 0; i < 1'000; ++i) {
    hub.publish(large);
    EXPECT_LE(hub.keptBytes(), 20'000u);
  }
  EXPECT_GT(hub.keptBytes(), 10'000u);
  EXPECT_EQ(hub.subscribers(), 50u);
  idle.clear();
  EXPECT_EQ(hub.subscribers(), 0u);
}

TEST(LiveHub, WakesThoseThatAreThere) {
  LiveHub hub("a");
  int woken = 0;
  auto subscriber = hub.subscribe(0, [&] { ++woken; });
  hub.publish(interval());
  hub.publish(runState("done"));
  EXPECT_EQ(woken, 2);
  subscriber.reset();
  hub.publish(interval());
  EXPECT_EQ(woken, 2);
}

TEST(LiveHub, ManyPublishersAndReadersLoseNothing) {
  LiveHub hub("a");
  constexpr int kEach = 500;
  std::atomic<int> publishing = 4;
  std::vector<std::thread> threads(4);
  for (std::thread& thread : threads) {
    thread = std::thread([&] {
      for (int i = 0; i < kEach; ++i) hub.publish(interval());
      --publishing;
    });
  }
  std::vector<std::uint64_t> counts(3);
  for (auto& count : counts) {
    threads.emplace_back([&] {
      const auto subscriber = hub.subscribe(0, [] {});
      for (bool last = false; !last;) {
        last = publishing == 0;
        for (const auto& seen : takeAll(*subscriber)) {
          if (seen.starts_with("hello")) continue;
          EXPECT_EQ(seen, std::to_string(++count));
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_THAT(counts, testing::Each(4 * kEach));
}

}  // namespace
}  // namespace plumbline::control
