/** The settings as a Markdown table, as it stands in docs/configuration.md; a test keeps the page up to date. */
import { ALIASES, SECTIONS, SETTINGS, type Setting } from "./settings.ts";

/** Lines between which the page holds what `settingsReference` writes. */
export const REFERENCE_START = "<!-- settings: generated from src/config/schema.ts by `npm run docs` -->";
export const REFERENCE_END = "<!-- end of settings -->";

/** The page with its table renewed. */
export function withReference(page: string): string {
  const [start, end] = [page.indexOf(REFERENCE_START), page.indexOf(REFERENCE_END)];
  if (start < 0 || end < start)
    throw new Error(`docs/configuration.md lacks the line ${REFERENCE_START} or ${REFERENCE_END}`);
  return `${page.slice(0, start)}${REFERENCE_START}\n\n${settingsReference()}\n${page.slice(end)}`;
}

/** One table a section, a row a setting. */
export function settingsReference(): string {
  return SECTIONS.map(({ path, description }) => {
    const own = SETTINGS.filter((setting) => setting.path.slice(0, setting.path.lastIndexOf(".")) === path);
    return own.length === 0 ? "" : `### \`${path}\`\n\n${description}\n\n${table(own)}\n`;
  })
    .filter((text) => text !== "")
    .join("\n");
}

function table(settings: readonly Setting[]): string {
  const rows = settings.map((setting) => {
    const key = setting.path.slice(setting.path.lastIndexOf(".") + 1);
    return [`\`${key}\``, setting.expects, `\`${String(setting.default)}\``, meaningOf(setting)];
  });
  return markdownTable([["setting", "takes", "default", ""], ...rows]);
}

/** The first row is the header. Columns are padded, as the formatter would. */
function markdownTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length), RULE_DASHES_MIN));
  const line = (cells: readonly string[], pad = " "): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!, pad)).join(" | ")} |`;
  const [header, ...body] = rows;
  return [
    line(header!),
    line(
      header!.map(() => "-"),
      "-",
    ),
    ...body.map((row) => line(row)),
  ].join("\n");
}

const RULE_DASHES_MIN = 3;

function meaningOf(setting: Setting): string {
  const alias = Object.keys(ALIASES).find((name) => ALIASES[name] === setting.path);
  const also = alias === undefined ? "" : ` Also written \`${alias}\`.`;
  const later = setting.later ? " _Nothing reads it yet._" : "";
  return `${setting.description}${also}${later}`;
}
