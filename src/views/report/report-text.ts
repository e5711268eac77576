import { printable, printableLine } from "../../model/text/printable.ts";
import type { Report, ReportPart } from "./report.ts";

const CELL_CHARS_MAX = 2_000;
const LINE_CHARS_MAX = 4_000;

/** What distinguishes a report from a person's own file. */
export const REPORT_MARK = "<!-- holdfast report -->";

/** Markdown in which words from elsewhere say what they say and mark up nothing. */
export function reportMarkdown({ title, parts }: Report): string {
  const sections = parts.map(({ title: name, lines = [], table, commands = [] }) =>
    [
      `## ${words(name)}`,
      ...(lines.length === 0 ? [] : [lines.map((line) => `- ${words(line, LINE_CHARS_MAX)}`).join("\n")]),
      ...(commands.length === 0 ? [] : [fenced(commands)]),
      ...(table === undefined || table.rows.length === 0 ? [] : [markdownTable(table)]),
    ].join("\n\n"),
  );
  return `${[REPORT_MARK, `# ${words(title)}`, ...sections].join("\n\n")}\n`;
}

const markdownTable = ({ head, rows }: NonNullable<ReportPart["table"]>): string => {
  const row = (cells: readonly string[]): string => `| ${cells.map((cell) => words(cell)).join(" | ")} |`;
  return [row(head), `|${head.map(() => " --- |").join("")}`, ...rows.map(row)].join("\n");
};

/** Every character that could begin markup is written as what it is. */
const words = (text: string, charsMax = CELL_CHARS_MAX): string =>
  printableLine(text, charsMax)
    .replaceAll(/[\\`*_[\]~|#!$(){}]/g, (char) => `\\${char}`)
    // After the backslashes, which would break what stands for a character.
    .replaceAll(/[&<>@]/g, (char) => `&#${String(char.charCodeAt(0))};`)
    .replaceAll("://", "\\://")
    .replaceAll(/\bwww\./gi, (start) => `${start.slice(0, -1)}\\.`)
    .replace(/^([-+=:])/, "\\$1")
    .replace(/^(\d+)\./, "$1\\.");

/** Between more backticks than it holds, a command stays as it is. */
function fenced(commands: readonly string[]): string {
  const text = commands.map((command) => printableLine(command)).join("\n");
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}sh\n${text}\n${fence}`;
}

const STYLE =
  "body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}" +
  "table{border-collapse:collapse;width:100%}th,td{border:1px solid #ccc;padding:.25rem .5rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}" +
  "td{white-space:pre-wrap}pre{background:#f4f4f4;padding:.5rem;overflow:auto}";

/** One page with nothing from elsewhere: no script, no asset, and every text escaped. */
export function reportHtml({ title, parts }: Report): string {
  const sections = parts.map(({ title: name, lines = [], table, commands = [] }) =>
    [
      `<h2>${escaped(name)}</h2>`,
      ...lines.map((line) => `<p>${escaped(line, LINE_CHARS_MAX)}</p>`),
      ...commands.map((command) => `<pre>${escaped(command)}</pre>`),
      ...(table === undefined || table.rows.length === 0 ? [] : [htmlTable(table)]),
    ].join("\n"),
  );
  const head = [
    "<!doctype html>",
    REPORT_MARK,
    '<html lang="en"><head><meta charset="utf-8">',
    // Should an escape ever be missing, the page still runs and fetches nothing.
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>${escaped(title)}</title><style>${STYLE}</style></head><body>`,
    `<h1>${escaped(title)}</h1>`,
  ];
  return `${[...head, ...sections, "</body></html>"].join("\n")}\n`;
}

const htmlTable = ({ head, rows }: NonNullable<ReportPart["table"]>): string => {
  const cells = (tag: "th" | "td", texts: readonly string[]): string =>
    `<tr>${texts.map((text) => `<${tag}>${escaped(text)}</${tag}>`).join("")}</tr>`;
  return `<table>${cells("th", head)}\n${rows.map((row) => cells("td", row)).join("\n")}</table>`;
};

const escaped = (text: string, charsMax = CELL_CHARS_MAX): string => {
  const safe = printable(text);
  return (safe.length <= charsMax ? safe : `${safe.slice(0, charsMax).toWellFormed()}…`).replaceAll(
    /[&<>"'`]/g,
    (char) => `&#${String(char.charCodeAt(0))};`,
  );
};
