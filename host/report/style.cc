#include "report/style.h"

namespace plumbline::report {

std::string_view styleSheet() {
  return R"css(
:root { --ink: #1c2430; --soft: #5b6675; --line: #d7dde5; --pale: #f4f6f9; --accent: #0b4a78;
  --amber: #9a5b00; --red: #a32020; }
* { box-sizing: border-box; }
html { background: #e9edf2; }
body { margin: 0 auto; max-width: 1120px; padding: 40px 56px 64px; background: #fff;
  color: var(--ink); font: 15px/1.55 "Helvetica Neue", Helvetica, Arial, "Liberation Sans",
  "DejaVu Sans", sans-serif; font-variant-numeric: tabular-nums; }
header { border-top: 6px solid var(--accent); padding-top: 18px; margin-bottom: 12px; }
header .product { margin: 0; color: var(--accent); font-size: 13px; font-weight: 600;
  letter-spacing: .08em; text-transform: uppercase; }
h1 { margin: 4px 0 14px; font-size: 30px; line-height: 1.2; font-weight: 600; }
section { scroll-margin-top: 12px; }
h2 { margin: 40px 0 6px; padding-bottom: 6px; border-bottom: 2px solid var(--accent);
  font-size: 22px; font-weight: 600; }
h3 { margin: 28px 0 8px; font-size: 17px; font-weight: 600; color: var(--accent); }
h4 { margin: 18px 0 6px; font-size: 15px; font-weight: 600; }
p { margin: 8px 0; max-width: 80ch; }
a { color: var(--accent); }
table { border-collapse: collapse; margin: 8px 0 4px; font-size: 14px; }
th, td { padding: 5px 14px 5px 0; text-align: left; vertical-align: baseline; font-weight: 400; }
th:last-child, td:last-child { padding-right: 8px; }
th:first-child, td:first-child { padding-left: 8px; }
thead th { border-bottom: 1.5px solid var(--ink); background: var(--pale); font-weight: 600;
  vertical-align: bottom; }
tbody tr { border-bottom: 1px solid var(--line); }
.table { overflow-x: auto; }
.table table, table.key, table.kpis, table.summary { width: 100%; }
th.number, td.number { text-align: right; }
td.number { white-space: nowrap; }
td.value { font-weight: 600; }
/* rows of ten columns and more, such as the latency table */
tr > :first-child:nth-last-child(n+10), tr > :first-child:nth-last-child(n+10) ~ * {
  font-size: 12.5px; padding-right: 9px; }
/* and from seven on, half an interval stands under its value instead of behind it */
tr > :first-child:nth-last-child(n+7) ~ td .spread { display: block; }
table.pairs th { color: var(--soft); padding-right: 28px; white-space: nowrap; }
table.pairs td { overflow-wrap: anywhere; white-space: pre-line; }
.unit { color: var(--soft); font-weight: 400; white-space: nowrap; }
.spread { color: var(--soft); font-size: 12.5px; }
sup { color: var(--soft); font-size: 10px; margin-left: 2px; }
.note, .source { color: var(--soft); font-size: 13px; }
.source { margin-top: 0; }
.lead { font-size: 16px; }
.columns { display: grid; grid-template-columns: 1fr 1fr; gap: 0 48px; align-items: start; }
.columns > :only-child { grid-column: 1 / -1; }
.columns > :first-child:nth-last-child(3) { grid-row: span 2; }
.figures { display: grid; grid-template-columns: 1fr 1fr; gap: 20px 28px; margin-top: 12px; }
figure { margin: 0; }
figure:only-child { grid-column: 1 / -1; max-width: 640px; }
figure.topology { max-width: 760px; }
figcaption { font-size: 14px; font-weight: 600; margin-bottom: 2px; overflow-wrap: anywhere; }
svg { display: block; width: 100%; height: auto; font-family: inherit; }
svg text { fill: var(--ink); font-size: 14px; }
svg .tick { fill: var(--soft); }
svg .label { font-size: 15px; }
svg .note { font-size: 14px; paint-order: stroke; stroke: #fff; stroke-width: 3.5px;
  stroke-linejoin: round; }
svg .small { font-size: 12px; fill: var(--soft); }
svg .light { font-size: 12px; fill: #fff; }
svg .dark { font-size: 12px; }
svg .blank { stroke: #aab4c0; stroke-width: 1; }
svg .frame { fill: none; stroke: #4a5563; stroke-width: 1; }
svg .axis { stroke: #4a5563; stroke-width: 1; }
svg .grid { stroke: #e3e8ee; stroke-width: 1; }
svg .mark { stroke: #6b7280; stroke-width: 1; stroke-dasharray: 4 3; }
svg .cable { stroke: #8a96a6; stroke-width: 1.2; }
svg .cable.failed { stroke: var(--red); stroke-width: 1.8; stroke-dasharray: 6 4; }
svg .switch { fill: #e3eef7; stroke: var(--accent); stroke-width: 1.4; }
svg .switch.failed { fill: #fbeeee; stroke: var(--red); stroke-dasharray: 6 4; }
svg .host { fill: #fff; stroke: #5b6675; stroke-width: 1.2; }
.invalid { border-left: 4px solid var(--red); background: #fbeeee; padding: 8px 14px;
  color: var(--red); font-weight: 600; }
.anomalies { list-style: none; margin: 8px 0; padding: 0; }
.anomalies li { border-left: 4px solid #d99a2b; background: #fdf7ea; padding: 6px 14px;
  margin: 6px 0; }
.where { color: var(--soft); font-size: 13px; margin-left: 8px; }
.notable { color: var(--amber); }
.yes { color: #1c6b3c; }
.no { color: var(--red); font-weight: 600; }
code, pre { font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 12.5px; }
pre { background: var(--pale); border: 1px solid var(--line); padding: 14px 18px;
  white-space: pre-wrap; overflow-wrap: anywhere; }
footer { margin-top: 48px; border-top: 1px solid var(--line); padding-top: 10px;
  color: var(--soft); font-size: 12.5px; }
nav.side { display: none; }
nav.side ul, .contents ul { list-style: none; margin: 0; padding: 0; font-size: 13px;
  line-height: 1.35; }
nav.side li, .contents li { padding: 3px 0; }
nav.side a, .contents a { text-decoration: none; }
nav.side a:hover, .contents a:hover { text-decoration: underline; }
li.head { margin-top: 12px; color: var(--soft); font-size: 11.5px; font-weight: 600;
  letter-spacing: .06em; text-transform: uppercase; }
nav.side li.below, .contents li.below { padding-left: 14px; }
.mark { color: var(--amber); font-size: 11.5px; white-space: nowrap; }
.contents { margin: 0 0 20px; border: 1px solid var(--line); padding: 6px 14px; }
.contents ul { columns: 2; column-gap: 28px; padding: 4px 0 8px; }
.contents li { break-inside: avoid; }
details > summary { cursor: pointer; color: var(--accent); font-weight: 600; font-size: 14px;
  padding: 4px 0; }
.notices { margin: 4px 0 8px; padding-left: 20px; font-size: 14px; }
.verdict { border-left: 4px solid var(--line); background: var(--pale); padding: 6px 14px;
  margin: 6px 0; max-width: none; }
.verdict p, .verdict ul { margin: 0; max-width: none; }
.verdict ul { padding-left: 20px; }
.verdict.met { border-color: #1c6b3c; background: #eef7f1; }
.verdict.missed { border-color: var(--red); background: #fbeeee; }
.verdict.noted { border-color: #d99a2b; background: #fdf7ea; }
@media screen and (min-width: 1100px) {
  body.listed { max-width: 1420px; display: grid; padding: 0;
    grid-template-columns: 248px minmax(0, 1fr); }
  .listed nav.side { display: block; position: sticky; top: 0; align-self: start;
    max-height: 100vh; overflow-y: auto; padding: 40px 16px 24px 24px;
    border-right: 1px solid var(--line); }
  .listed > .contents { display: none; }
  .listed > main { padding: 40px 48px 64px; }
}
@media screen and (max-width: 860px) { body { padding: 24px 20px; }
  .contents ul { columns: 1; }
  .columns, .figures:not(.story) { grid-template-columns: 1fr; } }
@media screen and (max-width: 600px) { .figures { grid-template-columns: 1fr; } }
@page { size: A4; margin: 16mm 15mm 18mm; }
@media print {
  html { background: none; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  .contents { display: none; }
  /* all that folds stands open */
  details::details-content { content-visibility: visible; }
  details > summary { color: var(--ink); list-style: none; }
  .verdict { font-size: 9.5pt; padding: 3px 10px; margin: 4px 0; }
  /* page one with its pictures */
  h2 { margin-top: 24px; } .story svg { max-height: 44mm; }
  h1 { font-size: 20pt; } h2 { font-size: 15pt; } h3 { font-size: 12pt; }
  .table { overflow-x: visible; }
  table { font-size: 8.5pt; } th, td { padding: 3px 8px 3px 0; }
  .spread { font-size: 7.5pt; }
  .lead { font-size: 10.5pt; } .note, .source, .where { font-size: 8.5pt; }
  figure:only-child { max-width: 110mm; }
  .invalid, .anomalies li { font-size: 9.5pt; }
  .columns { gap: 0 24px; } .figures { gap: 12px 16px; }
  figcaption { font-size: 9pt; }
  section.test, section.appendix { break-before: page; }
  section.test > h2, section.appendix > h2 { margin-top: 0; }
  h2, h3, h4 { break-after: avoid; }
  figure, tr, .anomalies li { break-inside: avoid; }
  thead { display: table-header-group; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
)css";
}

}  // namespace plumbline::report
