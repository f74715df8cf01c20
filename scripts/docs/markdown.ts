/** Generated pieces of Markdown pages: tables as the formatter writes them, and the marks between which they stand. */

/** The first row is the header. Columns are padded, as the formatter would. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const escaped = rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = escaped[0]!.map((_, column) => Math.max(...escaped.map((row) => row[column]!.length), DASHES_MIN));
  const line = (cells: readonly string[], pad = " "): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!, pad)).join(" | ")} |`;
  const [header, ...body] = escaped;
  return [
    line(header!),
    line(
      header!.map(() => "-"),
      "-",
    ),
    ...body.map((row) => line(row)),
  ].join("\n");
}

const DASHES_MIN = 3;

/** Names with what they mean. */
export function definitions(rows: readonly (readonly [name: string, meaning: string])[]): string {
  return rows.map(([name, meaning]) => `- ${name}: ${meaning}`).join("\n");
}

/** The page with the text between `<!-- start of NAME… -->` and `<!-- end of NAME -->` replaced. */
export function withGenerated(page: string, name: string, text: string): string {
  const start = page.indexOf(`<!-- start of ${name}`);
  const from = page.indexOf("-->", start) + "-->".length;
  const to = page.indexOf(`<!-- end of ${name} -->`);
  if (start < 0 || to < from) throw new Error(`the page lacks the marks "start of ${name}" and "end of ${name}"`);
  return `${page.slice(0, from)}\n\n${text.trim()}\n\n${page.slice(to)}`;
}
