/** The digest of a table counts its rows and columns right, however it is written (Dual Compression chapter, 16.3). */
import { describe, expect, test } from "vitest";
import { describeCall } from "../../../src/core/digest/call.ts";
import { digestResult } from "../../../src/core/digest/digest.ts";
import { estimateText } from "../../../src/core/transcript/estimate.ts";

const ROWS = 120;
const rows = Array.from({ length: ROWS }, (_, at) => [`${at + 1}`, `user ${at + 1}`, `${(at * 7) % 50}`] as const);
const padded = rows.map(([id, name, score]) => [id.padStart(3), name.padEnd(8), score.padStart(5)] as const);

function digestOf(command: string, text: string): string {
  const call = describeCall("shell", JSON.stringify({ command }));
  const digest = digestResult({ text, call, focus: [], recall: "r012345678", tokens: estimateText });
  expect([digest?.kind, command]).toEqual(["table", command]);
  return digest!.text;
}

const lines = (...all: readonly string[]): string => `${all.join("\n")}\n`;
const bordered = (bar: string): readonly string[] => padded.map((row) => `${bar} ${row.join(` ${bar} `)} ${bar}`);
const GRID = "+-----+----------+-------+";
const GRID_HEADER = "| id  |   name   | score |";
const PSQL_ROWS = padded.map((row) => ` ${row.join(" | ")}`);
const MARKDOWN = ["| id | name | score |", "|---:|:-----|:-----:|", ...rows.map((row) => `| ${row.join(" | ")} |`)];

describe("a table of 120 rows and 3 columns", () => {
  test.each<[string, string, string]>([
    ["CSV", "cat users.csv", lines("id,name,score", ...rows.map((row) => row.join(",")))],
    ["CSV by a script", "python report.py", lines("id,name,score", ...rows.map((row) => row.join(",")))],
    ["CSV with quoted commas", "cat a.csv", lines("id,name,score", ...rows.map(([id, , n]) => `${id},"Doe, J.",${n}`))],
    ["a Markdown table", "python report.py", lines(...MARKDOWN)],
    ["a Markdown table in a file of its own", "cat docs/users.md", lines(...MARKDOWN)],
    ["a Markdown table in a text", "cat x", lines("# Users", "", "All of today:", "", ...MARKDOWN, "", "That is all.")],
    [
      "a Markdown table with a bar in a cell",
      "cat x",
      lines(...MARKDOWN.map((line) => line.replace("user", "a \\| b"))),
    ],
    [
      "psql",
      "psql -c 'select 1'",
      lines(" id  |   name   | score ", "-----+----------+-------", ...PSQL_ROWS, "(120 rows)", "", "Time: 1.204 ms"),
    ],
    ["psql with borders", "psql -c 'select 1'", lines(GRID, GRID_HEADER, GRID, ...bordered("|"), GRID, "(120 rows)")],
    [
      "sqlite3, with a header",
      "sqlite3 -header a.db 'select 1'",
      lines("id|name|score", ...rows.map((row) => row.join("|"))),
    ],
    [
      "sqlite3 in columns",
      "sqlite3 -column a.db 'select 1'",
      lines("id   name      score", "---  --------  -----", ...padded.map((row) => row.join("  "))),
    ],
    [
      "sqlite3 in a box",
      "sqlite3 -box a.db 'select 1'",
      lines(
        "┌─────┬──────────┬───────┐",
        "│ id  │   name   │ score │",
        "├─────┼──────────┼───────┤",
        ...bordered("│"),
        "└─────┴──────────┴───────┘",
      ),
    ],
    ["sqlite3 as a table", "sqlite3 -table a.db 'select 1'", lines(GRID, GRID_HEADER, GRID, ...bordered("|"), GRID)],
    [
      "mysql",
      "mysql -e 'select 1'",
      lines(GRID, GRID_HEADER, GRID, ...bordered("|"), GRID, "120 rows in set (0.00 sec)"),
    ],
  ])("is counted in %s", (_, command, text) => {
    const digest = digestOf(command, text);
    expect(digest).toContain("· 120 rows · 3 columns · table ·");
    expect(digest).toMatch(/\bid\b.*\bname\b.*\bscore\b|\bid\b[^]*\bname\b[^]*\bscore\b/);
  });

  test.each<[string, string, string]>([
    ["psql", "psql -t -c 'select 1'", lines(...PSQL_ROWS)],
    ["sqlite3 as a list", "sqlite3 a.db 'select 1'", lines(...rows.map((row) => row.join("|")))],
    ["sqlite3 as CSV", "sqlite3 -csv a.db 'select 1'", lines(...rows.map((row) => row.join(",")))],
    ["a script", "python report.py", lines(...rows.map((row) => row.join(",")))],
  ])("is counted without a header in %s", (_, command, text) => {
    const digest = digestOf(command, text);
    expect(digest).toContain("· 120 rows · 3 columns · no header · table ·");
    expect(digest).toContain("(column 1 1 to 120; column 3 0 to 49)");
  });
});

describe("the answer of a database", () => {
  test.each(["sqlite", "run_query", "mcp__postgres__query", "execute_sql", "ask_warehouse"])(
    "is a table by %s",
    (tool) => {
      const forms = [
        lines("id|name|score", ...rows.map((row) => row.join("|"))),
        lines("id,name,score", ...rows.map((row) => row.join(","))),
        lines(" id  |   name   | score ", "-----+----------+-------", ...PSQL_ROWS, "(120 rows)"),
      ];
      for (const text of forms) {
        const call = describeCall(tool, JSON.stringify({ query: "SELECT id, name, score FROM users" }));
        const digest = digestResult({ text, call, focus: [], recall: "r012345678", tokens: estimateText });
        expect(digest?.text).toContain("· 120 rows · 3 columns · table ·");
      }
    },
  );
});

describe("a text that only looks like a table", () => {
  test("is none", () => {
    const call = describeCall("shell", JSON.stringify({ command: "cat notes" }));
    const text = lines("Results", "-------", ...rows.map(([id]) => `All is well in step ${id}, as it was before.`));
    const digest = digestResult({ text, call, focus: [], recall: "r012345678", tokens: estimateText });
    expect(digest?.kind).toBe("text");
  });
});
