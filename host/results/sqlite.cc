#include "results/sqlite.h"

#include <sqlite3.h>

#include <cctype>
#include <cerrno>
#include <chrono>
#include <thread>

#include "base/error.h"

namespace plumbline::results {
namespace {

// Two commands may write to the same results directory at the same time; each transaction is short.
constexpr int kBusyTimeoutMs = 10'000;
constexpr std::chrono::milliseconds kRetry{5};

// `system`: the system's error number; 0 if there is none.
const char* remedyFor(int code, int system) {
  if (system == EMFILE || system == ENFILE) {
    return "no more files can be open at a time: raise `ulimit -n`, or run fewer at a time";
  }
  if (system == ENOSPC || system == EDQUOT) {
    return "the disk is full: make room on it, then do the same again";
  }
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      return "it is not a database of plumbline: choose another directory with --results";
    case SQLITE_CORRUPT:
      return "the file is damaged: move it away, or recover it with `sqlite3 FILE .recover`";
    case SQLITE_IOERR:
      return "the disk is full or fails: make room on it, then do the same again";
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return "check that the directory exists and can be written, or choose another with --results";
    case SQLITE_FULL:
      return "make room on the disk, then run again with --resume";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another program keeps the file locked: wait for it or end it";
    default:
      return "";
  }
}

// RFC 3986: all other characters are written in hexadecimal.
std::string uriOf(const std::string& file) {
  std::string uri = "file:";
  for (const char c : file) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '/' || c == '.' || c == '-' || c == '_') {
      uri += c;
    } else {
      constexpr const char* kDigits = "0123456789ABCDEF";
      uri += '%';
      uri += kDigits[byte / 16];
      uri += kDigits[byte % 16];
    }
  }
  return uri;
}

}  // namespace

Database::Database(const std::string& file, Mode mode) : file_(file) {
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
  if (mode == Mode::kCreate) flags |= SQLITE_OPEN_CREATE;
  std::string name = file;
  if (mode == Mode::kUnchanging) {
    flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI;
    name = uriOf(file) + "?immutable=1";
  }
  const int code = sqlite3_open_v2(name.c_str(), &handle_, flags, nullptr);
  if (code != SQLITE_OK) {
    // The handle exists even after a failure; a constructor that throws gets no destructor.
    const std::string what = handle_ != nullptr ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
    const int system = handle_ != nullptr ? sqlite3_system_errno(handle_) : 0;
    sqlite3_close_v2(handle_);
    throw Error(ErrorKind::kTester, "the results database cannot be opened: " + what, file,
                remedyFor(code, system));
  }
  sqlite3_busy_timeout(handle_, kBusyTimeoutMs);
}

Database::~Database() { sqlite3_close_v2(handle_); }

void Database::execute(const char* sql) {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

void Database::keepWriteAheadLog() {
  const auto latest = std::chrono::steady_clock::now() + std::chrono::milliseconds(kBusyTimeoutMs);
  while (true) {
    const int code = sqlite3_exec(handle_, "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr);
    if (code == SQLITE_OK) return;
    if ((code & 0xff) != SQLITE_BUSY || std::chrono::steady_clock::now() > latest) fail(code);
    std::this_thread::sleep_for(kRetry);
  }
}

std::int64_t Database::integer(const char* sql) {
  Statement statement(*this, sql);
  if (!statement.step()) {
    throw Error(ErrorKind::kTester, "the results database gives no answer to: " + std::string(sql),
                file_);
  }
  return statement.integer(0);
}

std::int64_t Database::lastInsertId() const { return sqlite3_last_insert_rowid(handle_); }

void Database::fail(int code) const {
  throw Error(ErrorKind::kTester,
              std::string("the results database reports: ") + sqlite3_errmsg(handle_), file_,
              remedyFor(code, sqlite3_system_errno(handle_)));
}

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  const int code = sqlite3_prepare_v2(database.handle_, sql.data(), static_cast<int>(sql.size()),
                                      &handle_, nullptr);
  if (code != SQLITE_OK) database.fail(code);
}

Statement::~Statement() { sqlite3_finalize(handle_); }

Statement& Statement::bind(int index, std::int64_t value) {
  const int code = sqlite3_bind_int64(handle_, index, value);
  if (code != SQLITE_OK) database_.fail(code);
  return *this;
}

Statement& Statement::bind(int index, std::string_view text) {
  // SQLITE_STATIC: the caller keeps the text.
  const int code =
      sqlite3_bind_text64(handle_, index, text.data(), text.size(), nullptr, SQLITE_UTF8);
  if (code != SQLITE_OK) database_.fail(code);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.fail(code);
  return false;
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_, column); }

std::string Statement::text(int column) const {
  const unsigned char* text = sqlite3_column_text(handle_, column);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

bool Statement::isNull(int column) const {
  return sqlite3_column_type(handle_, column) == SQLITE_NULL;
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const Error&) {
    // The fault that brought us here is the one to report; SQLite rolls back on close anyway.
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace plumbline::results
