// A thin wrapper of SQLite's handles: closes its objects, turns error codes into Error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace plumbline::results {

// An open database file. Not thread-safe; one owner.
class Database {
 public:
  // kUnchanging: a file without writers, in a directory that cannot be written.
  enum class Mode { kCreate, kExisting, kUnchanging };

  // Throws Error(kTester) naming the file when it cannot be opened.
  Database(const std::string& file, Mode mode);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Runs statements whose results are ignored. Throws Error(kTester).
  void execute(const char* sql);
  // Has the file keep a write-ahead log, from now on and for all who open it. Programs that open a
  // new file at a time change it at a time, and SQLite refuses that at once: waits as for any other
  // lock. Throws Error(kTester).
  void keepWriteAheadLog();
  // The first column of the first row of a query. Throws Error(kTester) when there is no row.
  std::int64_t integer(const char* sql);
  [[nodiscard]] std::int64_t lastInsertId() const;

  // Throws Error(kTester) with SQLite's text for `code` and a remedy.
  [[noreturn]] void fail(int code) const;

 private:
  friend class Statement;
  std::string file_;
  sqlite3* handle_ = nullptr;
};

// One prepared statement, bound and stepped once. Indices count from 1 for bind and from 0 for
// columns, as in SQLite. The database must outlive it.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int index, std::int64_t value);
  Statement& bind(int index, std::string_view text);  // the text must outlive the statement

  // True while there is a row to read. Throws Error(kTester).
  bool step();
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] bool isNull(int column) const;

 private:
  Database& database_;
  sqlite3_stmt* handle_ = nullptr;
};

// BEGIN IMMEDIATE … COMMIT; rolls back when commit() was not reached.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace plumbline::results
