/**
 * `npm start`: a first look, in two acts. Compacts the recorded example with the command line itself, shows what a model
 * would read in place of what is gone, and fetches something back; then lives the session again, without and with precis.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { styleText } from "node:util";
import { livedTwice, WINDOW_TOKENS } from "./start/session.ts";

const ROOT = join(import.meta.dirname, "..");
const EXAMPLE = "examples/refunds.openai-chat.json";
const FOLDER = ".precis";
const RESULT = `${FOLDER}/refunds.json`;
const ORIGINALS = `${FOLDER}/originals.json`;
const HANDOFF_LINES_SHOWN = 40;
const ORIGINAL_LINES_SHOWN = 5;
const COLUMNS = Math.min(process.stdout.columns ?? 100, 110);
const RECALL_ID = /\br[0-9a-f]{16}\b/;

mkdirSync(join(ROOT, FOLDER), { recursive: true });
say(`A recorded session: an agent finds a missing cent in a small shop, adds vouchers, meets an old fault,
and is asked for one more thing. precis compacts it to a fifth, with no model, no key and no network.`);

precis("compact", EXAMPLE, "--budget", "20%", "--out", RESULT, "--keep", ORIGINALS);

const handoff = handoffOf(JSON.parse(readFileSync(join(ROOT, RESULT), "utf8")));
say("The handoff, which the model reads in place of what is gone:");
quote(handoff, HANDOFF_LINES_SHOWN);

say("Would a provider take the result?");
precis("check", RESULT);

const id = RECALL_ID.exec(handoff)?.[0];
if (id !== undefined) {
  say("Nothing is gone for good. What stands under a recall id that the handoff shows:");
  const { stdout } = precis("recall", id, "--keep", ORIGINALS);
  quote(stdout, ORIGINAL_LINES_SHOWN);
}
say(`The result is ${RESULT}.`);

const window = WINDOW_TOKENS.toLocaleString("en-US");
say(`Now the whole session again, turn by turn, as its agent lived it: against a strict local provider whose window is
${window} tokens, once straight and once through the gateway. A column is a turn, as high as the window is full:`);
say(await livedTwice(readFileSync(join(ROOT, EXAMPLE), "utf8")));

say(`For your own agent, whichever it is:

  precis serve
  ANTHROPIC_BASE_URL=http://127.0.0.1:4020 claude        in another terminal; docs/gateway.md has the others

For a transcript of your own: precis compact SESSION.jsonl --budget 20% > smaller.json

The README says how to install precis from this clone.`);

/** Runs the command line as a person would; what `recall` prints is returned, all else is shown. */
function precis(command: string, ...words: readonly string[]): { readonly stdout: string } {
  process.stdout.write(`\n${styleText("dim", "$")} ${styleText("bold", ["precis", command, ...words].join(" "))}\n`);
  const { status, stdout } = spawnSync(process.execPath, ["src/cli/bin.ts", command, ...words], {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", command === "recall" ? "pipe" : "inherit", "inherit"],
  });
  if (status !== 0) process.exit(status ?? 1);
  return { stdout: stdout ?? "" };
}

function handoffOf(body: {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
}): string {
  const texts = body.messages.filter(({ role }) => role === "user").map(({ content }) => String(content));
  return texts.find((text) => text.startsWith("[precis handoff")) ?? "";
}

function say(text: string): void {
  process.stdout.write(`\n${text}\n`);
}

function quote(text: string, linesShown: number): void {
  const lines = text.trimEnd().split("\n");
  const shown = lines
    .slice(0, linesShown)
    .map((line) => (line.length > COLUMNS - 4 ? `${line.slice(0, COLUMNS - 5)}…` : line));
  if (lines.length > linesShown) shown.push(`… ${lines.length - linesShown} more lines`);
  process.stdout.write(`${shown.map((line) => styleText("dim", `  │ ${line}`)).join("\n")}\n`);
}
