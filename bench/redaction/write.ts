/** `npm run eval:redaction`: plants every shape of secret everywhere, counts what is hidden, and renews docs/redaction.md. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { redactionRows } from "../redaction.ts";
import { markdownTable, withGenerated } from "../../scripts/docs/markdown.ts";
import { redact } from "../../src/core/redaction/redact.ts";
import { readCorpus } from "../../eval/src/recall/corpus.ts";
import { identifiersOf, textOf } from "../../eval/src/recall/future-use.ts";
import { loadSecretRules } from "../../src/secrets/rules.ts";
import { withShapes } from "./shapes.ts";

const PAGE = join(import.meta.dirname, "../..", "docs", "redaction.md");

const rules = await loadSecretRules();
const speeds = await redactionRows();

let page = withShapes(readFileSync(PAGE, "utf8"));
page = withGenerated(page, "mistakes", mistakes());
page = withGenerated(
  page,
  "speed",
  markdownTable([
    ["text", "MB/s", "with secretlint"],
    ...speeds.map((row) => [row.name, row.megabytesPerSecond.toFixed(0), row.withSecretlint.toFixed(0)]),
  ]),
);
writeFileSync(PAGE, page);

/** Identifiers of real transcripts that are gone after redaction, by the kind of what was masked. */
function mistakes(): string {
  let identifiers = 0;
  let masked = 0;
  let characters = 0;
  const kinds = new Map<string, number>();
  for (const message of readCorpus().flatMap(({ messages }) => messages)) {
    const text = textOf(message);
    const names = identifiersOf(text);
    const safe = redact(text, rules);
    characters += text.length;
    identifiers += names.size;
    if (safe.count === 0) continue;
    const gone = [...names].filter((name) => text.includes(name) && !safe.text.includes(name)).length;
    masked += gone;
    for (const kind of safe.kinds) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const share = ((masked / identifiers) * 100).toFixed(4);
  const rows = [...kinds].toSorted((a, b) => b[1] - a[1]).map(([kind, count]) => [kind, String(count)]);
  return `Of ${identifiers.toLocaleString("en-US")} identifiers in the messages of the corpus (${(characters / 1e6).toFixed(1)} MB of text), ${masked} are masked: ${share} %.

${markdownTable([["what was masked", "messages"], ...rows])}`;
}
