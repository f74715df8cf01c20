/**
 * `precis hook`: what the plugin for Claude Code does at a compaction. While a gateway of ours compacts, Claude Code's own automatic
 * compaction is held off; after any other one, what the user wrote comes back.
 */
import { readFile, stat } from "node:fs/promises";
import { personText } from "../../core/events/person.ts";
import { createRedactor } from "../../core/redaction/redactor.ts";
import { readLog } from "../../logs/index.ts";
import { answerCompaction, type ClaudeCompaction } from "../claude-compaction.ts";
import type { Arguments, Command } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { isGateway } from "../gateway-url.ts";
import { HISTORY_ARGS } from "../history.ts";
import type { Terminal } from "../terminal.ts";

/** Longer session files are not read: Claude Code waits. */
const SESSION_BYTES_MAX = 64 * 1024 * 1024;
/** Of the user's messages, this much comes back; Claude Code puts longer additions into a file. */
const MESSAGES_CHARS_MAX = 8_000;
/** A longer message was pasted, at least in part. */
const MESSAGE_CHARS_MAX = 2_000;
/** What Claude Code takes as "do not do that". */
const BLOCKED: ExitCode = EXIT.usage;

export const hookCommand: Command = {
  name: "hook",
  summary: "Answer a hook of Claude Code; the precis plugin calls it.",
  about: [
    "Reads the event from standard input. `PreCompact`: while a gateway answers at ANTHROPIC_BASE_URL, an automatic compaction of Claude Code is blocked (exit code 2), because the gateway compacts. `SessionStart` after a compaction: prints what the user wrote in the session, newest first, for Claude Code to add. `SessionCompact`, of the plugin's own module: prints the conversation that takes the place of the compacted one, as JSON, or nothing. Every other event is ignored. See docs/hosts.md.",
  ],
  examples: [{ line: "precis hook < event.json", says: "as Claude Code calls it" }],
  args: HISTORY_ARGS,
  run: async (args, terminal) => {
    const event = eventIn(Buffer.from(await terminal.readStandardInput()).toString("utf8"));
    if (event.hook_event_name === "PreCompact") return beforeCompaction(event, terminal);
    if (event.hook_event_name === "SessionCompact") return compact(event, args, terminal);
    if (event.hook_event_name === "SessionStart" && event.source === "compact") return afterCompaction(event, terminal);
    return EXIT.done;
  },
};

interface HookEvent {
  readonly hook_event_name?: unknown;
  readonly trigger?: unknown;
  readonly source?: unknown;
  readonly transcript_path?: unknown;
  /** Of the plugin's own module. */
  readonly compaction?: unknown;
}

/** What cannot be read is no event, and nothing is done. */
function eventIn(text: string): HookEvent {
  try {
    return (JSON.parse(text) ?? {}) as HookEvent;
  } catch {
    return {};
  }
}

const AT_GATEWAY = "precis compacts this conversation at the gateway.";

async function beforeCompaction({ trigger }: HookEvent, terminal: Terminal): Promise<ExitCode> {
  if (trigger !== "auto" || !(await hasGateway(terminal))) return EXIT.done;
  await terminal.err.write(`${AT_GATEWAY}\n`);
  return BLOCKED;
}

/** A person who asks for a compaction gets it. */
async function compact({ trigger, compaction }: HookEvent, args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const answer =
    trigger === "auto" && (await hasGateway(terminal))
      ? { skip: AT_GATEWAY }
      : await answerCompaction(compaction as ClaudeCompaction, args, terminal);
  if (answer !== undefined) await terminal.out.write(`${JSON.stringify(answer)}\n`);
  return EXIT.done;
}

async function hasGateway({ environment }: Terminal): Promise<boolean> {
  const base = environment["ANTHROPIC_BASE_URL"];
  return base !== undefined && URL.canParse(base) && isGateway(new URL(base).origin);
}

async function afterCompaction({ transcript_path: path }: HookEvent, terminal: Terminal): Promise<ExitCode> {
  // Set by the plugin's module where the compaction is ours: its handoff has these words.
  if (terminal.environment["PRECIS_COMPACTED"] !== undefined) return EXIT.done;
  const said = typeof path === "string" ? await messagesIn(path).catch(() => "") : "";
  if (said === "") return EXIT.done;
  const additionalContext = `What the user wrote earlier in this session, word for word, the newest first; where two differ, the newer holds:\n${said}`;
  const output = { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext } };
  await terminal.out.write(`${JSON.stringify(output)}\n`);
  return EXIT.done;
}

/** From everything that was said, and not from the summary. */
async function messagesIn(path: string): Promise<string> {
  if ((await stat(path)).size > SESSION_BYTES_MAX) return "";
  const { transcript } = readLog(await readFile(path, "utf8"), "claude-code", { history: "all" });
  const redact = createRedactor();
  const said: string[] = [];
  let left = MESSAGES_CHARS_MAX;
  for (const message of transcript.messages.toReversed()) {
    const text = personText(message);
    if (text === "" || text.length > Math.min(left, MESSAGE_CHARS_MAX)) continue;
    left -= text.length;
    said.push(`- ${redact(text)}`);
  }
  return said.join("\n");
}
