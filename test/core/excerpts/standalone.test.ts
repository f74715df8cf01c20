/** What says something by itself is worth quoting before what does not. */
import { expect, it } from "vitest";
import { standaloneShare } from "../../../src/core/excerpts/standalone.ts";

const shareOf = (text: string): number => standaloneShare(text, { start: 0, end: text.length });

const DEFINITIONS = [
  "110→func runSessionShow(commitRef string) error {",
  "src/port.ts:12:export async function portOf(settings: Settings): number {",
  "private updateList(): void {",
  "export const defaultTheme: Theme = {",
  "    def parse_rows(self, text):",
  "CREATE TABLE orders (id integer, placed timestamp)",
];
const VALUES = [
  "The shop refuses orders above 500 unless a manager approves them.",
  "// Reuse the identifier where the files overlap.",
  "- RGB of the accent colour: `r=0, g=215, b=255`",
];
/** Names without words about them. */
const WORDLESS = '"success": "darkGreen", "warning": "darkYellow",';
const STATEMENTS = [
  "this.updateDisplay();",
  "157→	start := strategyFor(request)",
  "const themes = getAvailableThemes();",
  'import { Editor } from "../src/components/editor.js";',
  "if (currentModel?.id === item.model.id) return 1;",
  '145→	slog.String("shadow_branch", shadowBranchName),',
  't.Fatalf("GetSessionState failed: %v", err)',
  "382→\t\tstate.CheckpointCount = 0",
];
const PIECES = ["Apple's Stock Price Reaches All-Time ...", "https://www.example.com > sites > investor-hub > article"];

it("ranks definitions before values, values before statements, and pieces of lines last", () => {
  const worst = (texts: readonly string[]): number => Math.min(...texts.map(shareOf));
  const best = (texts: readonly string[]): number => Math.max(...texts.map(shareOf));
  expect(worst(DEFINITIONS)).toBeGreaterThan(best(VALUES));
  expect(worst(VALUES)).toBeGreaterThan(best(STATEMENTS));
  expect(best(PIECES)).toBeLessThan(worst([...STATEMENTS, WORDLESS]));
});

it("judges a passage by its most telling line", () => {
  expect(shareOf("func Ready() bool {\n\treturn s.done()")).toBe(shareOf("func Ready() bool {"));
});
