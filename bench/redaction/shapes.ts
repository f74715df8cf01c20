/** What docs/redaction.md says of the planted shapes: which there are, how often they were planted, and how often hidden. */
import { withGenerated } from "../../scripts/docs/markdown.ts";
import { redact } from "../../src/core/redaction/redact.ts";
import { createSecretlintFinder } from "../../src/secrets/secretlint.ts";
import { PLANTED, survivors, type Planted } from "../../test/core/redaction/everywhere.ts";
import { TOKENS } from "../../test/core/redaction/planted.ts";

/** The page with its shapes renewed. */
export function withShapes(page: string): string {
  const shapes = new Set(PLANTED.map(({ shape }) => shape));
  const hidden = countHidden((text) => redact(text).text);
  const byPeer = countHidden(withoutFound);
  return withGenerated(
    page,
    "shapes",
    [
      `Of ${PLANTED.length} secrets in ${shapes.size} shapes, ${hidden.length} are hidden; by secretlint alone, ${byPeer.length}.`,
      [
        ...missedLines(hidden),
        `- **Tokens** of ${[...new Set([...shapes].filter((shape) => shape in TOKENS).map((shape) => shape.split(", ")[0]))].join(", ")}.`,
      ].join("\n"),
    ].join("\n\n"),
  );
}

function countHidden(masked: (text: string) => string): readonly Planted[] {
  return PLANTED.filter(({ secret, text }) => survivors(secret, masked(text)).length === 0);
}

function missedLines(hidden: readonly Planted[]): readonly string[] {
  const missed = new Set(PLANTED.filter((one) => !hidden.includes(one)).map(({ shape }) => shape));
  return missed.size === 0 ? [] : [`- **Not always hidden**: ${[...missed].join(", ")}.`];
}

const secretlint = createSecretlintFinder();

function withoutFound(text: string): string {
  const found = secretlint(text).toSorted((a, b) => b.start - a.start);
  return found.reduce((rest, { start, end }) => `${rest.slice(0, start)}…${rest.slice(end)}`, text);
}
