/**
 * `precis statusline` inside the real Claude Code: the settings of docs/clients.md, questions typed into its terminal, and
 * the line read from its screen while the conversation grows and after the gateway has compacted it.
 */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createProvider, type Answer, type Provider, type ScriptedRequest } from "../provider/src/index.ts";
import { claudeCode } from "./claude-code.ts";
import { startGateway } from "./gateway.ts";
import { findInstalled } from "./install.ts";
import { hasTerminal, openScreen, type Screen } from "./screen.ts";
import { writeSettings } from "./trial.ts";

export const STATUS_LINE = "status-line";

const ROOT = join(import.meta.dirname, "..");
const BIN = join(ROOT, "dist", "cli", "bin.js");
const RECORDING = join(ROOT, "docs", "status-line.txt");
const WINDOW_TOKENS = 56_000;
const KEY = "key-of-claude-code";
/** How long it answers: enough to be seen in the figures. */
const LONG_LINES = 2_200;
const OUTPUT_TOKENS = "24000";

export interface StatusLineVerdict {
  readonly client: string;
  readonly version: string;
  /** The lines as they were on the screen, in the order in which they came. */
  readonly lines: readonly string[];
  readonly faults: readonly string[];
}

/** Undefined where the client cannot be installed, or there is no terminal. */
export async function runStatusLine({ record }: { readonly record: boolean }): Promise<StatusLineVerdict | undefined> {
  const done = await findInstalled(claudeCode);
  if (done.kind === "missing" || !hasTerminal()) return undefined;
  const root = await mkdtemp(join(tmpdir(), "precis-e2e-status-line-"));
  const [home, workspace, programs] = [join(root, "home"), join(root, "work"), join(root, "bin")];
  await Promise.all([mkdir(home), mkdir(workspace), mkdir(programs)]);
  await writeFile(join(programs, "precis"), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`);
  await chmod(join(programs, "precis"), 0o755);
  const provider = createProvider({ every: { windowTokens: WINDOW_TOKENS }, script: answerTo });
  const listening = await provider.listen();
  const gateway = await startGateway({
    upstream: listening.url,
    contextTokens: WINDOW_TOKENS,
    store: join(root, "history.db"),
    home,
  });
  const place = { base: gateway.url, home, workspace, installed: done.folder };
  await writeSettings({ ...settingsFor(workspace), ".claude/settings.json": await documentedSettings() }, home);
  const screen = openScreen({
    words: [...claudeCode.program(place), "--model", claudeCode.model],
    folder: workspace,
    environment: {
      ...claudeCode.environment(place),
      CLAUDE_CODE_MAX_OUTPUT_TOKENS: OUTPUT_TOKENS,
      HOME: home,
      PATH: `${programs}:${process.env["PATH"] ?? ""}`,
      LANG: "C.UTF-8",
      SHELL: "/bin/bash",
    },
  });
  try {
    const { lines, faults, pictures } = await watch(screen, provider);
    if (record) await writeFile(RECORDING, pictures.replaceAll(root, "~").replaceAll(/\n{3,}/g, "\n\n"));
    return { client: STATUS_LINE, version: claudeCode.version, lines, faults };
  } finally {
    screen.close();
    await gateway.stop();
    await listening.close();
    await rm(root, { recursive: true, force: true });
  }
}

interface Step {
  readonly says: string;
  readonly title: string;
  /** Whether the context, in thousands of tokens, is what it has to be after the step. */
  readonly holds: (now: number, before: number) => boolean;
}

const STEPS: readonly Step[] = [
  { says: "How many parcels are there?", title: "After a short answer", holds: (now) => now > 0 },
  { says: "List all of them.", title: "After a long answer", holds: (now, before) => now > before },
  {
    says: "Thank you. How many was that?",
    title: "After the gateway has compacted the conversation",
    holds: (now, before) => now < before,
  },
];

/** What has to be on the screen at each step: the share of the window, the next compaction, the cost and the cache. */
const LINE = /precis · .*?([\d.]+)k of \d+[km] \([\d.]+ %\) · compacts at ([\d.]+k) · \$\d+\.\d\d · cache \d+ %/;

async function watch(screen: Screen, provider: Provider) {
  const lines: string[] = [];
  const pictures: string[] = [];
  const faults: string[] = [];
  await screen.shown(/❯/);
  let before = 0;
  for (const { says, title, holds } of STEPS) {
    screen.type(says);
    try {
      const text = await screen.shown((now) => {
        const tokens = Number(LINE.exec(now)?.[1] ?? Number.NaN);
        return tokens !== before && holds(tokens, before);
      });
      const [line, tokens] = LINE.exec(text)!;
      before = Number(tokens);
      lines.push(line);
      pictures.push(`# ${title}\n\n${text.trimEnd()}\n`);
    } catch (error) {
      faults.push(`${title}: ${error instanceof Error ? error.message : String(error)}`);
      break;
    }
  }
  const compacted = provider.requests.some(({ body }) => body.includes("[precis handoff 1]"));
  if (!compacted) faults.push("the gateway compacted nothing");
  return { lines, faults, pictures: pictures.join("\n") };
}

function answerTo({ body }: ScriptedRequest): Answer {
  const said = JSON.stringify(body).matchAll(/How many parcels are there|List all of them\.|How many was that/g);
  if ([...said].at(-1)?.[0].startsWith("List") !== true) return { text: "There are 412 parcels." };
  return { text: Array.from({ length: LONG_LINES }, (_, at) => `Parcel ${at} weighs ${at * 7} g.`).join("\n") };
}

/** What its first start asks a person: the look, the key, and whether the folder is trusted. */
function settingsFor(workspace: string): Readonly<Record<string, string>> {
  const answers = {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: [KEY], rejected: [] },
    projects: { [workspace]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  };
  return { ".claude.json": JSON.stringify(answers) };
}

async function documentedSettings(): Promise<string> {
  const page = await readFile(join(ROOT, "docs", "clients.md"), "utf8");
  const block = /```json\n(\{ "statusLine"[^`]*)```/.exec(page)?.[1];
  if (block === undefined) throw new Error("docs/clients.md says no settings for the status line");
  return block;
}

export function statusLineText({ version, lines, faults }: StatusLineVerdict): string {
  const seen = lines.map((line) => `  ${line}\n`).join("");
  return `Claude Code ${version}, its status line:\n${seen}${faults.map((fault) => `  FAULT ${fault}\n`).join("")}`;
}
