// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/connect_dialog.h"

#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QVBoxLayout>

#include "base/error.h"
#include "base/token_file.h"
#include "gui/models/text.h"

namespace plumbline::gui {
namespace {

QWidget* fileChooser(QLineEdit* edit, const QString& title) {
  auto* row = new QWidget;
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* button = new QPushButton(QObject::tr("Choose …"));
  layout->addWidget(edit, 1);
  layout->addWidget(button);
  QObject::connect(button, &QPushButton::clicked, edit, [edit, title] {
    const QString path = QFileDialog::getOpenFileName(edit, title);
    if (!path.isEmpty()) edit->setText(path);
  });
  return row;
}

}  // namespace

std::optional<control::ServerAddress> serverAddress(const QString& server,
                                                    const QString& token_file,
                                                    const QString& ca_file, QString& error) {
  try {
    control::ServerAddress address = control::ServerAddress::parse(server.trimmed().toStdString());
    if (!token_file.isEmpty()) address.token = readToken(token_file.toStdString());
    address.ca_file = ca_file.toStdString();
    return address;
  } catch (const Error& fault) {
    error = text(fault.what());
    return std::nullopt;
  }
}

ConnectDialog::ConnectDialog(QWidget* parent)
    : QDialog(parent),
      server_(new QLineEdit),
      token_file_(new QLineEdit),
      ca_file_(new QLineEdit),
      error_(new QLabel) {
  setWindowTitle(tr("Connect to a tester"));
  const QSettings settings;
  server_->setText(settings
                       .value(QStringLiteral("server/address"),
                              QStringLiteral("127.0.0.1:%1").arg(control::kDefaultPort))
                       .toString());
  token_file_->setText(settings.value(QStringLiteral("server/token_file")).toString());
  ca_file_->setText(settings.value(QStringLiteral("server/ca_file")).toString());
  server_->setPlaceholderText(tr("HOST or HOST:PORT"));
  token_file_->setPlaceholderText(tr("none is needed on this machine"));
  ca_file_->setPlaceholderText(tr("the system's certificates"));
  error_->setWordWrap(true);
  auto* form = new QFormLayout;
  form->addRow(tr("&Server"), server_);
  form->addRow(tr("&Token file"), fileChooser(token_file_, tr("Token file")));
  form->addRow(tr("C&A file"), fileChooser(ca_file_, tr("Certificate of who signed the server's")));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
  buttons->button(QDialogButtonBox::Ok)->setText(tr("&Connect"));
  auto* hint =
      new QLabel(tr("The server is `plumbline serve`. Any machine but this one needs TLS and "
                    "a token; the token is read from a file and never stored."));
  hint->setObjectName(QStringLiteral("hint"));
  hint->setWordWrap(true);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(form);
  layout->addWidget(hint);
  layout->addWidget(error_);
  layout->addWidget(buttons);
  resize(480, sizeHint().height());
  connect(buttons, &QDialogButtonBox::accepted, this, &ConnectDialog::check);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

void ConnectDialog::check() {
  QString error;
  const std::optional<control::ServerAddress> address =
      serverAddress(server_->text(), token_file_->text(), ca_file_->text(), error);
  if (!address) {
    error_->setText(error);
    return;
  }
  address_ = *address;
  QSettings settings;
  settings.setValue(QStringLiteral("server/address"), server_->text());
  settings.setValue(QStringLiteral("server/token_file"), token_file_->text());
  settings.setValue(QStringLiteral("server/ca_file"), ca_file_->text());
  accept();
}

}  // namespace plumbline::gui
