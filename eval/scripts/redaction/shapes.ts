/** The table of shapes in docs/redaction.md: how often each was planted, and how often it was hidden. */
import { markdownTable, withGenerated } from "../../../scripts/docs/markdown.ts";
import { redact } from "../../../src/core/redaction/redact.ts";
import { createSecretlintFinder } from "../../../src/secrets/secretlint.ts";
import { PLANTED, survivors, type Planted } from "../../../test/core/redaction/everywhere.ts";
import { TOKENS } from "../../../test/core/redaction/planted.ts";

/** The page with its table of shapes renewed. */
export function withShapes(page: string): string {
  const byShape = Object.groupBy(PLANTED, familyOf) as Readonly<Record<string, readonly Planted[]>>;
  const rows = Object.entries(byShape).map(([shape, planted]) => rowOf(shape, planted));
  const total = rowOf(`all ${new Set(PLANTED.map(({ shape }) => shape)).size} shapes`, PLANTED);
  return withGenerated(
    page,
    "shapes",
    markdownTable([["shape", "planted", "hidden", "by secretlint alone"], ...rows, total]),
  );
}

/** Vendors are distinguished; the ways to write one thing are counted together. */
function familyOf({ shape }: Planted): string {
  return shape in TOKENS ? `token: ${shape}` : shape.split(", ")[0]!;
}

const secretlint = createSecretlintFinder();

function rowOf(shape: string, planted: readonly Planted[]): readonly string[] {
  const hidden = planted.filter(({ secret, text }) => survivors(secret, redact(text).text).length === 0);
  const without = planted.filter(({ secret, text }) => survivors(secret, withoutFound(text)).length === 0);
  return [shape, String(planted.length), String(hidden.length), String(without.length)];
}

function withoutFound(text: string): string {
  const found = secretlint(text).toSorted((a, b) => b.start - a.start);
  return found.reduce((rest, { start, end }) => `${rest.slice(0, start)}…${rest.slice(end)}`, text);
}
