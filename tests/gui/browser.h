// Replaces the user's browser during its lifetime, and opens nothing.
#pragma once

#include <QDesktopServices>
#include <QObject>
#include <QUrl>

namespace plumbline::gui {

class Browser : public QObject {
  Q_OBJECT
 public:
  Browser() { QDesktopServices::setUrlHandler(QStringLiteral("file"), this, "open"); }
  ~Browser() override { QDesktopServices::unsetUrlHandler(QStringLiteral("file")); }

  // The last file it was to open; empty before.
  [[nodiscard]] const QUrl& opened() const { return opened_; }

 public slots:
  void open(const QUrl& url) { opened_ = url; }

 private:
  QUrl opened_;
};

}  // namespace plumbline::gui
