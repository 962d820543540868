#include "endpoint/peer_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace plumbline::endpoint {
namespace {

using bench::Operation;

// A request as another program may write it: the keys in any order, written out by hand.
constexpr const char* kRequest =
    R"({"window":16,"library":"verbs","operation":"write-immediate","message":4096,)"
    R"("queue_pairs":2,"end":{"any":[1]}})";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kRequest;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(PeerGreeting, IsOfOneVersion) {
  std::string why;
  EXPECT_EQ(decodeGreeting(R"({"plumbline_target":1,"nonce":"ab"})", why)->nonce, "ab");
  EXPECT_EQ(decodeGreeting(encode(PeerGreeting{}), why)->nonce, "");
  for (const char* line :
       {"", "SSH-2.0", "{}", R"({"plumbline_target":2})", R"({"plumbline_target":1,"nonce":3})"}) {
    why.clear();
    EXPECT_FALSE(decodeGreeting(line, why)) << line;
    EXPECT_FALSE(why.empty()) << line;
  }
}

TEST(PeerProof, IsTwoTexts) {
  std::string why;
  const auto proof = decodeProof(encode(PeerProof{"n", "p"}), why);
  ASSERT_TRUE(proof) << why;
  EXPECT_EQ(proof->nonce, "n");
  EXPECT_EQ(proof->proof, "p");
  EXPECT_FALSE(decodeProof(R"({"nonce":"n"})", why));
  EXPECT_FALSE(decodeProof(R"({"proof":")" + std::string(1001, 'a') + "\"}", why));
}

TEST(PeerRequest, IsReadWhole) {
  std::string why;
  const auto request = decodeRequest(kRequest, why);
  ASSERT_TRUE(request) << why;
  EXPECT_EQ(request->library, "verbs");
  EXPECT_EQ(request->end, R"({"any":[1]})");
  ASSERT_TRUE(request->channel);
  EXPECT_EQ(request->channel->operation, Operation::kWriteImmediate);
  EXPECT_EQ(request->channel->message, Bytes(4096));
  EXPECT_EQ(request->channel->queue_pairs, 2U);
  EXPECT_EQ(request->channel->window, 16U);
  const auto again = decodeRequest(encode(*request), why);
  ASSERT_TRUE(again) << why;
  EXPECT_EQ(again->end, request->end);
}

TEST(PeerRequest, OfNoChannelAsksWhatThereIs) {
  std::string why;
  const auto request = decodeRequest(encode(PeerRequest{"libfabric", {}, "{}"}), why);
  ASSERT_TRUE(request) << why;
  EXPECT_FALSE(request->channel);
}

TEST(PeerRequest, GoesNoFurtherThanTheBenchCanAsk) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {R"("library":"verbs",)", ""},
      {R"("write-immediate")", R"("push")"},
      {"4096", "8589934593"},
      {"4096", "-1"},
      {"4096", "1.5"},
      {R"("queue_pairs":2)", R"("queue_pairs":0)"},
      {R"("queue_pairs":2)", R"("queue_pairs":257)"},
      {R"("window":16)", R"("window":1025)"},
      {R"({"any":[1]})", "7"},
      {R"(,"end":{"any":[1]})", ""},
      {"}}", "}"},
  };
  for (const auto& [from, to] : wrong) {
    std::string why;
    EXPECT_FALSE(decodeRequest(with(from, to), why)) << from << " as " << to;
    EXPECT_FALSE(why.empty()) << from << " as " << to;
  }
  std::string why;
  for (const char* line : {"", "hello", "[]", "1", "{}", "null"}) {
    EXPECT_FALSE(decodeRequest(line, why)) << line;
  }
}

TEST(PeerQuestion, IsOneOfThree) {
  EXPECT_EQ(decodeQuestion(R"({"ask":"told"})"), PeerQuestion::kTold);
  EXPECT_EQ(decodeQuestion(R"({"ask":"forget"})"), PeerQuestion::kForget);
  EXPECT_EQ(decodeQuestion(encode(PeerQuestion::kIntact)), PeerQuestion::kIntact);
  EXPECT_FALSE(decodeQuestion(R"({"ask":"time"})"));
  EXPECT_FALSE(decodeQuestion("told"));
}

TEST(PeerAnswer, IsReadWhole) {
  std::string why;
  EXPECT_EQ(decodeAnswer(R"({"told":12})", why)->told, 12U);
  EXPECT_EQ(decodeAnswer(R"({"intact":false})", why)->intact, false);
  EXPECT_EQ(decodeAnswer(R"({"end":{"a":1}})", why)->end, R"({"a":1})");
  PeerAnswer answer;
  answer.configuration = Configuration{{"Kernel", "Linux"}, {"Board", "\xC3\xA4"}};
  EXPECT_EQ(decodeAnswer(encode(answer), why)->configuration, answer.configuration);
}

TEST(PeerAnswer, BringsAFault) {
  PeerAnswer answer;
  answer.fault = Error(ErrorKind::kUnsupported, "no memory \xFF", "target", "more of it");
  std::string why;
  const auto read = decodeAnswer(encode(answer), why);
  ASSERT_TRUE(read && read->fault) << why;
  EXPECT_EQ(read->fault->kind(), ErrorKind::kUnsupported);
  EXPECT_STREQ(read->fault->what(), "target: no memory \xEF\xBF\xBD (more of it)");
}

// 60,000 levels overflow the stack where an object is written by recursion.
TEST(PeerMessages, WhatIsNestedDeeplyIsNone) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  std::string why;
  EXPECT_FALSE(decodeAnswer(R"({"end":{"a":)" + deep + "}}", why));
  EXPECT_EQ(why, "not JSON, or nested too deeply");
  EXPECT_FALSE(decodeRequest(R"({"library":"libfabric","end":{"a":)" + deep + "}}", why));
  EXPECT_FALSE(decodeGreeting(deep, why));
  EXPECT_FALSE(decodeProof(deep, why));
  EXPECT_FALSE(decodeQuestion(deep));
}

TEST(PeerAnswer, IsNoneWhenAnythingIsWrong) {
  std::string why;
  for (const char* line :
       {"", "7", R"({"told":-1})", R"({"told":1.5})", R"({"intact":1})", R"({"end":[1]})",
        R"({"configuration":{}})", R"({"configuration":[["a"]]})", R"({"configuration":[["a",1]]})",
        R"({"fault":{"kind":"bad","what":"x"}})", R"({"fault":"x"})"}) {
    why.clear();
    EXPECT_FALSE(decodeAnswer(line, why)) << line;
    EXPECT_FALSE(why.empty()) << line;
  }
}

}  // namespace
}  // namespace plumbline::endpoint
