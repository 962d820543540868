// SPDX-License-Identifier: GPL-3.0-or-later
// Dialog for the address of the server to connect to.
#pragma once

#include <QDialog>
#include <optional>

#include "control/client.h"

class QLabel;
class QLineEdit;

namespace plumbline::gui {

class ConnectDialog : public QDialog {
  Q_OBJECT
 public:
  // Starts with the last used server.
  explicit ConnectDialog(QWidget* parent = nullptr);

  // The entered address, once accepted.
  [[nodiscard]] const control::ServerAddress& address() const { return address_; }

 private:
  void check();

  control::ServerAddress address_;
  QLineEdit* server_;
  QLineEdit* token_file_;
  QLineEdit* ca_file_;
  QLabel* error_;
};

// Server `text` with the token in `token_file`, which may be empty. Nothing and an `error` if one
// of them is invalid.
std::optional<control::ServerAddress> serverAddress(const QString& text, const QString& token_file,
                                                    const QString& ca_file, QString& error);

}  // namespace plumbline::gui
