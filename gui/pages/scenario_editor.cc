// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pages/scenario_editor.h"

#include <QFontDatabase>
#include <QHelpEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QSyntaxHighlighter>
#include <QTextBlock>
#include <QToolTip>
#include <algorithm>
#include <utility>

#include "gui/models/text.h"

namespace plumbline::gui {
namespace {

class KeysAndComments : public QSyntaxHighlighter {
 public:
  KeysAndComments(QTextDocument* document, const Theme& theme) : QSyntaxHighlighter(document) {
    key_.setForeground(theme.accent);
    comment_.setForeground(theme.soft);
  }

 protected:
  void highlightBlock(const QString& line) override {
    static const QRegularExpression kKey(QStringLiteral("[A-Za-z_][A-Za-z0-9_]*(?=:(\\s|$))"));
    static const QRegularExpression kComment(QStringLiteral("(^|\\s)#.*$"));
    for (auto match = kKey.globalMatch(line); match.hasNext();) {
      const QRegularExpressionMatch one = match.next();
      setFormat(static_cast<int>(one.capturedStart()), static_cast<int>(one.capturedLength()),
                key_);
    }
    const QRegularExpressionMatch comment = kComment.match(line);
    if (comment.hasMatch()) {
      setFormat(static_cast<int>(comment.capturedStart()),
                static_cast<int>(comment.capturedLength()), comment_);
    }
  }

 private:
  QTextCharFormat key_;
  QTextCharFormat comment_;
};

QString messageOf(const control::ScenarioProblem& problem) {
  QString message = text(problem.what);
  if (!problem.allowed.empty()) message += QStringLiteral(" (%1)").arg(text(problem.allowed));
  return message;
}

}  // namespace

// The strip of line numbers; it only paints the editor's data.
class ScenarioEditor::Margin : public QWidget {
 public:
  explicit Margin(ScenarioEditor* editor) : QWidget(editor), editor_(editor) {}

 protected:
  void paintEvent(QPaintEvent* event) override { editor_->paintMargin(event); }

 private:
  ScenarioEditor* editor_;
};

ScenarioEditor::ScenarioEditor(QWidget* parent)
    : QPlainTextEdit(parent), theme_(lightTheme()), margin_(new Margin(this)) {
  setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  setLineWrapMode(QPlainTextEdit::NoWrap);
  setTabChangesFocus(true);
  setAccessibleName(tr("Scenario text"));
  connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& area, int scrolled) {
    if (scrolled != 0) {
      margin_->scroll(0, scrolled);
    } else {
      margin_->update(0, area.y(), margin_->width(), area.height());
    }
  });
  connect(this, &QPlainTextEdit::blockCountChanged, this, &ScenarioEditor::placeMargin);
  placeMargin();
}

void ScenarioEditor::setTheme(const Theme& theme) {
  theme_ = theme;
  delete highlighter_;
  highlighter_ = new KeysAndComments(document(), theme);
  mark();
}

void ScenarioEditor::setProblems(std::vector<control::ScenarioProblem> problems) {
  problems_ = std::move(problems);
  mark();
  margin_->update();
}

QTextCursor ScenarioEditor::cursorAt(const control::ScenarioProblem& problem) const {
  const QTextBlock block = document()->findBlockByNumber(static_cast<int>(problem.line) - 1);
  if (problem.line == 0 || !block.isValid()) return {};
  const QString line = block.text();
  auto from = static_cast<qsizetype>(std::max<std::uint64_t>(problem.column, 1)) - 1;
  from = std::min(from, line.size());
  // The word at that place; if there is none, the line.
  qsizetype until = from;
  while (until < line.size() && !QStringLiteral(" ,:]}#").contains(line[until])) ++until;
  if (until == from) {
    from = 0;
    while (from < line.size() && line[from].isSpace()) ++from;
    until = line.size();
  }
  QTextCursor cursor(block);
  cursor.setPosition(block.position() + static_cast<int>(from));
  cursor.setPosition(block.position() + static_cast<int>(until), QTextCursor::KeepAnchor);
  return cursor;
}

void ScenarioEditor::mark() {
  QList<QTextEdit::ExtraSelection> selections;
  for (const control::ScenarioProblem& problem : problems_) {
    QTextEdit::ExtraSelection selection;
    selection.cursor = cursorAt(problem);
    if (selection.cursor.isNull()) continue;
    selection.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
    selection.format.setUnderlineColor(theme_.failure);
    QColor back = theme_.failure;
    back.setAlpha(40);
    selection.format.setBackground(back);
    selections.push_back(selection);
  }
  setExtraSelections(selections);
}

QStringList ScenarioEditor::underlined() const {
  QStringList out;
  for (const QTextEdit::ExtraSelection& one : extraSelections()) {
    out.push_back(one.cursor.selectedText());
  }
  return out;
}

void ScenarioEditor::goTo(std::uint64_t line, std::uint64_t column) {
  control::ScenarioProblem place;
  place.line = line;
  place.column = column;
  QTextCursor cursor = cursorAt(place);
  if (cursor.isNull()) return;
  cursor.setPosition(cursor.anchor());
  setTextCursor(cursor);
  setFocus();
}

void ScenarioEditor::placeMargin() {
  const auto digits = QString::number(std::max(blockCount(), 99)).size();
  const int width =
      12 + fontMetrics().horizontalAdvance(QLatin1Char('9')) * static_cast<int>(digits);
  setViewportMargins(width, 0, 0, 0);
  const QRect inside = contentsRect();
  margin_->setGeometry(inside.left(), inside.top(), width, inside.height());
}

void ScenarioEditor::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  placeMargin();
}

void ScenarioEditor::paintMargin(QPaintEvent* event) {
  QPainter painter(margin_);
  painter.fillRect(event->rect(), theme_.window);
  painter.setFont(font());
  for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
    const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
    if (place.top() > event->rect().bottom()) break;
    const auto number = static_cast<std::uint64_t>(block.blockNumber()) + 1;
    const bool wrong = std::any_of(problems_.begin(), problems_.end(),
                                   [number](const auto& one) { return one.line == number; });
    painter.setPen(wrong ? theme_.failure : theme_.soft);
    painter.drawText(QRectF(0, place.top(), margin_->width() - 6, place.height()),
                     Qt::AlignRight | Qt::AlignVCenter, QString::number(number));
  }
}

bool ScenarioEditor::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const QTextCursor at = cursorForPosition(viewport()->mapFromGlobal(help->globalPos()));
    const auto line = static_cast<std::uint64_t>(at.blockNumber()) + 1;
    QStringList messages;
    for (const control::ScenarioProblem& problem : problems_) {
      if (problem.line == line) messages.push_back(messageOf(problem));
    }
    QToolTip::showText(help->globalPos(), messages.join(QLatin1Char('\n')), this);
    return true;
  }
  return QPlainTextEdit::event(event);
}

}  // namespace plumbline::gui
