/** How fast secrets are looked for: our own rules, and with secretlint's; and what a text without a break costs. */
import { redact, type RedactOptions } from "../src/core/redaction/redact.ts";
import { loadSecretRules } from "../src/secrets/rules.ts";
import { timed, type Times } from "./stopwatch.ts";
import { createNames } from "./traffic/names.ts";
import { json, log, source } from "./traffic/outputs.ts";

const ROUNDS = { warmups: 40, samples: 21 };
const UNBROKEN_CHARACTERS = 100_000;

export interface RedactionRow {
  readonly name: string;
  readonly times: Times;
  readonly megabytesPerSecond: number;
  /** With secretlint's preset beside our own rules. */
  readonly withSecretlint: number;
}

export async function redactionRows(): Promise<readonly RedactionRow[]> {
  const names = createNames(31);
  const fill = (piece: string): string =>
    piece.repeat(Math.ceil(UNBROKEN_CHARACTERS / piece.length)).slice(0, UNBROKEN_CHARACTERS);
  const texts: Readonly<Record<string, string>> = {
    source: source(names, 4_000),
    log: log(names, 2_000),
    JSON: json(names, 600),
    "all three": [source(names, 2_000), log(names, 1_000), json(names, 300)].join("\n"),
    "100,000 characters, ordinary": log(names, 2_000).slice(0, UNBROKEN_CHARACTERS),
    "100,000 unbroken, one letter": fill("a"),
    "100,000 unbroken, base64": fill(btoa(names.hex(64))),
    "100,000 unbroken, hexadecimal": fill(names.hex(64)),
  };
  const rules = await loadSecretRules();
  const rows: RedactionRow[] = [];
  for (const [name, text] of Object.entries(texts)) {
    const own = await timesOf(text, {});
    const both = await timesOf(text, rules);
    const speed = (times: Times): number => text.length / 1e3 / Math.max(times.medianMs, 1e-6);
    rows.push({ name, times: own, megabytesPerSecond: speed(own), withSecretlint: speed(both) });
  }
  return rows;
}

function timesOf(text: string, options: RedactOptions): Promise<Times> {
  return timed(() => redact(text, options), ROUNDS);
}
