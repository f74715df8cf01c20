/** Looking for secrets: how fast, how many of the planted ones are found, and what is taken for one that is none. */
import { redact, type RedactOptions } from "../../../src/core/redaction/redact.ts";
import { loadSecretRules } from "../../../src/secrets/rules.ts";
import { PLANTED, survivors } from "../../../test/core/redaction/everywhere.ts";
import { TOKENS } from "../../../test/core/redaction/planted.ts";
import { medianOf } from "../compaction/pooled.ts";
import { installed, isAbsent, load, orAbsent, type Absent } from "../load.ts";
import { createProgress } from "../progress.ts";
import { texts } from "./texts.ts";
import { speedsOf } from "./timed.ts";

interface Secretlint {
  readonly lintSource: (options: object) => Promise<{
    readonly messages: readonly { readonly range: readonly [number, number] }[];
  }>;
}

/** Answers with the text without what it found. */
type Hide = (text: string) => Promise<string>;

interface Finder {
  readonly name: string;
  readonly from: string;
  readonly hide: Hide;
}

export interface SecretRow {
  readonly name: string;
  readonly from: string;
  readonly speed: Readonly<Record<string, number>>;
  readonly medianSpeed: number;
  /** Shares of 1: of vendors' tokens, and of secrets known by their name or place. */
  readonly tokens: number;
  readonly named: number;
  /** Texts without any secret that it changed, of that many. */
  readonly falseAlarms: number;
}

export interface Secrets {
  readonly rows: readonly SecretRow[];
  readonly absent: readonly Absent[];
  readonly planted: { readonly tokens: number; readonly named: number };
  readonly clean: number;
}

const FINDERS: Readonly<Record<string, () => Promise<Finder>>> = {
  precis: async () => ours("precis", {}),
  "precis with secretlint's rules": async () => ours("precis with secretlint's rules", await loadSecretRules()),
  secretlint: async () => {
    const { lintSource } = await load<Secretlint>("@secretlint/core");
    const { creator } = await load<{ creator: object }>("@secretlint/secretlint-rule-preset-recommend");
    const id = "@secretlint/secretlint-rule-preset-recommend";
    const config = { rules: [{ id, rule: creator, options: {} }] };
    const hide: Hide = async (content) => {
      const source = { filePath: "/result.txt", content, ext: ".txt", contentType: "text" };
      const { messages } = await lintSource({ source, options: { config, noPhysicFilePath: true } });
      return messages
        .toSorted((a, b) => b.range[0] - a.range[0])
        .reduce((text, { range }) => `${text.slice(0, range[0])}…${text.slice(range[1])}`, content);
    };
    return { name: "secretlint, recommended preset", from: installed("@secretlint/core"), hide };
  },
};

function ours(name: string, options: RedactOptions): Finder {
  return { name, from: "this repository", hide: async (text) => redact(text, options).text };
}

/** Speed is taken on these; base64 is no text that a person wrote, and is told by itself. */
export async function secrets(): Promise<Secrets> {
  const loaded = await Promise.all(Object.entries(FINDERS).map(([name, make]) => orAbsent(name, make)));
  const finders = loaded.flatMap((one) => (isAbsent(one) ? [] : [one]));
  const kinds = Object.entries(texts());
  const progress = createProgress("looking for secrets", kinds.length + finders.length);
  const speeds = new Map<string, Readonly<Record<string, number>>>();
  for (const [kind, text] of kinds) {
    speeds.set(kind, await speedsOf(Object.fromEntries(finders.map(({ name, hide }) => [name, hide])), text));
    progress.step(kind);
  }
  const rows: SecretRow[] = [];
  for (const { name, from, hide } of finders) {
    const speed = Object.fromEntries(kinds.map(([kind]) => [kind, speeds.get(kind)![name]!]));
    const [tokens, named] = [await foundShare(hide, true), await foundShare(hide, false)];
    const changed = await Promise.all(kinds.map(async ([, text]) => ((await hide(text)) === text ? 0 : 1)));
    const falseAlarms = changed.reduce<number>((sum, one) => sum + one, 0);
    rows.push({ name, from, speed, medianSpeed: medianOf(Object.values(speed)), tokens, named, falseAlarms });
    progress.step(name);
  }
  progress.end();
  const planted = { tokens: plantedOf(true).length, named: plantedOf(false).length };
  return { rows, absent: loaded.filter(isAbsent), planted, clean: kinds.length };
}

function plantedOf(tokens: boolean) {
  return PLANTED.filter(({ shape }) => shape in TOKENS === tokens);
}

async function foundShare(hide: Hide, tokens: boolean): Promise<number> {
  const planted = plantedOf(tokens);
  let hidden = 0;
  for (const { secret, text } of planted) if (survivors(secret, await hide(text)).length === 0) hidden += 1;
  return hidden / planted.length;
}
