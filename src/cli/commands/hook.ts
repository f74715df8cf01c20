/**
 * `precis hook`: what the plugin for Claude Code does at a compaction. While a gateway of ours compacts, Claude Code's own automatic
 * compaction is held off; after any other one, the rules of the session come back.
 */
import { readFile, stat } from "node:fs/promises";
import { createLedgerKeeper } from "../../core/ledger/ledger.ts";
import { createRedactor } from "../../core/redaction/redactor.ts";
import { readLog } from "../../logs/index.ts";
import type { Command } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { isGateway } from "../gateway-url.ts";
import type { Terminal } from "../terminal.ts";

/** Longer session files are not read: Claude Code waits. */
const SESSION_BYTES_MAX = 64 * 1024 * 1024;
/** Of the rules, this much comes back; Claude Code puts longer additions into a file. */
const RULES_CHARS_MAX = 8_000;
/** What Claude Code takes as "do not do that". */
const BLOCKED: ExitCode = EXIT.usage;

export const hookCommand: Command = {
  name: "hook",
  summary: "Answer a hook of Claude Code; the precis plugin calls it.",
  about: [
    "Reads the event from standard input. `PreCompact`: while a gateway answers at ANTHROPIC_BASE_URL, an automatic compaction of Claude Code is blocked (exit code 2), because the gateway compacts. `SessionStart` after a compaction: prints the rules that the user stated in the session, for Claude Code to add. Every other event is ignored. See docs/hosts.md.",
  ],
  examples: [{ line: "precis hook < event.json", says: "as Claude Code calls it" }],
  args: {},
  run: async (_, terminal) => {
    const event = eventIn(Buffer.from(await terminal.readStandardInput()).toString("utf8"));
    if (event.hook_event_name === "PreCompact") return beforeCompaction(event, terminal);
    if (event.hook_event_name === "SessionStart" && event.source === "compact") return afterCompaction(event, terminal);
    return EXIT.done;
  },
};

interface HookEvent {
  readonly hook_event_name?: unknown;
  readonly trigger?: unknown;
  readonly source?: unknown;
  readonly transcript_path?: unknown;
}

/** What cannot be read is no event, and nothing is done. */
function eventIn(text: string): HookEvent {
  try {
    return (JSON.parse(text) ?? {}) as HookEvent;
  } catch {
    return {};
  }
}

/** A person who asks for a compaction gets it. */
async function beforeCompaction({ trigger }: HookEvent, terminal: Terminal): Promise<ExitCode> {
  const base = terminal.environment["ANTHROPIC_BASE_URL"];
  if (trigger !== "auto" || base === undefined || !URL.canParse(base)) return EXIT.done;
  if (!(await isGateway(new URL(base).origin))) return EXIT.done;
  await terminal.err.write("precis compacts this conversation at the gateway.\n");
  return BLOCKED;
}

async function afterCompaction({ transcript_path: path }: HookEvent, terminal: Terminal): Promise<ExitCode> {
  const rules = typeof path === "string" ? await rulesIn(path).catch(() => "") : "";
  if (rules === "") return EXIT.done;
  const additionalContext = `Rules that the user stated earlier in this session, word for word; they still hold:\n${rules}`;
  const output = { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext } };
  await terminal.out.write(`${JSON.stringify(output)}\n`);
  return EXIT.done;
}

/** From everything that was said, and not from the summary. */
async function rulesIn(path: string): Promise<string> {
  if ((await stat(path)).size > SESSION_BYTES_MAX) return "";
  const { transcript } = readLog(await readFile(path, "utf8"), "claude-code", { history: "all" });
  const { constraints } = createLedgerKeeper().ledgerOf(transcript.messages);
  const redact = createRedactor();
  return constraints
    .map(({ text }) => `- ${redact(text)}`)
    .join("\n")
    .slice(0, RULES_CHARS_MAX);
}
