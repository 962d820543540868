// Table access and histogram read-ahead: their requests to sender and receiver, and their busy
// times.
#include <Vplumb_hist_reader.h>
#include <Vplumb_table_access.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "tests/regs/clocked.h"

namespace plumbline {
namespace {

// The sender's tables; 4 and 5 are the receiver's, 9 to 15 do not exist.
constexpr bool ofSender(std::uint32_t table) { return table <= 3 || (table >= 6 && table <= 8); }

class TableAccessTest : public testing::Test {
 protected:
  rtl::Clocked<Vplumb_table_access> access_;

  // Gives a command and answers a request after `delay` clocks. Returns whether one was made.
  bool command(bool write, std::uint32_t table, std::uint32_t delay) {
    access_->table_i = table;
    access_->write_i = write;
    access_->read_i = !write;
    access_.settle();
    EXPECT_TRUE(access_->busy_o);
    loaded_ = access_->data_we_o;
    loaded_word_ = access_->data_o[15];
    access_.tick();
    access_->write_i = 0;
    access_->read_i = 0;
    access_.settle();
    if (!access_->tbl_req_o) {
      return false;
    }
    EXPECT_EQ(access_->tbl_we_o, write);
    for (std::uint32_t i = 0; i < delay; ++i) {
      EXPECT_TRUE(access_->busy_o);
      EXPECT_FALSE(access_->data_we_o);
      access_.tick();
      EXPECT_FALSE(access_->tbl_req_o) << "one clock only";
    }
    // The other block may chatter: only the owner of the table counts.
    for (int w = 0; w < 16; ++w) {
      access_->tx_tbl_rdata_i[w] = 0x11110000 + w;
      access_->rx_tbl_rdata_i[w] = 0x22220000 + w;
    }
    access_->tx_tbl_ack_i = !ofSender(table);
    access_->rx_tbl_ack_i = ofSender(table);
    access_.settle();
    EXPECT_FALSE(access_->data_we_o);
    access_.tick();
    EXPECT_TRUE(access_->busy_o);
    access_->tx_tbl_ack_i = ofSender(table);
    access_->rx_tbl_ack_i = !ofSender(table);
    access_.settle();
    loaded_ = access_->data_we_o;
    loaded_word_ = access_->data_o[15];
    access_.tick();
    access_->tx_tbl_ack_i = 0;
    access_->rx_tbl_ack_i = 0;
    access_.settle();
    return true;
  }

  bool loaded_ = false;
  std::uint32_t loaded_word_ = 0;
};

TEST_F(TableAccessTest, ReadsTakeTheRowOfTheOwner) {
  for (std::uint32_t table = 0; table < 9; ++table) {
    ASSERT_TRUE(command(false, table, table)) << table;
    EXPECT_TRUE(loaded_);
    EXPECT_EQ(loaded_word_, ofSender(table) ? 0x1111000FU : 0x2222000FU);
    EXPECT_FALSE(access_->busy_o);
  }
}

TEST_F(TableAccessTest, UnknownTablesReadAsZeroAtOnce) {
  for (std::uint32_t table = 9; table < 16; ++table) {
    EXPECT_FALSE(command(false, table, 0));
    EXPECT_TRUE(loaded_);
    EXPECT_EQ(loaded_word_, 0U);
    EXPECT_FALSE(access_->busy_o);
  }
}

TEST_F(TableAccessTest, WritesGoToTheSendersTablesButItsStateWhileNotRunning) {
  for (std::uint32_t table = 0; table < 16; ++table) {
    access_->running_i = 0;
    EXPECT_EQ(command(true, table, 3), ofSender(table) && table != 3) << table;
    EXPECT_FALSE(loaded_);
    EXPECT_FALSE(access_->busy_o);
    access_->running_i = 1;
    EXPECT_FALSE(command(true, table, 3)) << table;
    EXPECT_FALSE(loaded_);
    EXPECT_FALSE(access_->busy_o);
  }
}

class HistReaderTest : public testing::Test {
 protected:
  rtl::Clocked<Vplumb_hist_reader> reader_;
  std::uint32_t bucket_ = 0;

  static std::uint64_t cell(std::uint32_t bucket) { return 0xABC000000000ULL + bucket; }

  // One clock in which the register HIST_ADDR follows the reader, and then further ones until it is
  // idle; the histogram answers after `delay` clocks. Returns the number of requests.
  int run(bool load, bool next, int delay) {
    reader_->load_i = load;
    reader_->next_i = next;
    reader_->bucket_i = bucket_;
    reader_.settle();
    EXPECT_TRUE(reader_->busy_o);
    int requests = 0;
    int due = -1;
    std::uint32_t asked = 0;
    for (int clock = 0; clock < 100; ++clock) {
      reader_->hist_ack_i = due == 0;
      reader_->hist_data_i = due == 0 ? cell(asked) : 0x5A5A5A5A5A5AULL;
      --due;
      reader_.settle();
      if (clock > 0 && !reader_->busy_o) {
        return requests;
      }
      if (reader_->hist_req_o) {
        ++requests;
        asked = bucket_;
        due = delay;
      }
      if (reader_->bucket_we_o) {
        bucket_ = reader_->bucket_o;
      }
      reader_.tick();
      reader_->load_i = 0;
      reader_->next_i = 0;
      reader_->bucket_i = bucket_;
    }
    ADD_FAILURE() << "busy for ever";
    return requests;
  }
};

TEST_F(HistReaderTest, LoadFetchesTheCellAndNextTheFollowing) {
  bucket_ = 4000;
  EXPECT_EQ(run(true, false, 7), 1);
  EXPECT_EQ(bucket_, 4000U);
  EXPECT_EQ(reader_->count_o, cell(4000));
  for (std::uint32_t i = 1; i < 20; ++i) {
    EXPECT_EQ(run(false, true, static_cast<int>(i)), 1);
    EXPECT_EQ(bucket_, 4000 + i);
    EXPECT_EQ(reader_->count_o, cell(4000 + i));
  }
}

TEST_F(HistReaderTest, StopsWithZerosBehindTheLastBucket) {
  bucket_ = 4350;
  run(true, false, 2);
  EXPECT_EQ(run(false, true, 2), 1);
  EXPECT_EQ(reader_->count_o, cell(4351));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(run(false, true, 2), 0);
    EXPECT_EQ(bucket_, 4352U);
    EXPECT_EQ(reader_->count_o, 0U);
  }
  bucket_ = 0xFFFF;
  EXPECT_EQ(run(true, false, 2), 0);
  EXPECT_EQ(reader_->count_o, 0U);
}

}  // namespace
}  // namespace plumbline
