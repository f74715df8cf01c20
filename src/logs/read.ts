/** One entry for all session files: the format's reader finds what was said, assembly makes it valid. */
import { PrecisError } from "../core/errors.ts";
import { callsOf, type Message, type Transcript } from "../core/transcript/message.ts";
import { assemble, freeze } from "./assemble.ts";
import { readClaudeCode } from "./claude-code.ts";
import { readCodex } from "./codex.ts";
import { readGemini } from "./gemini.ts";
import {
  SPEAKS,
  type History,
  type LogFormat,
  type LogNote,
  type ReadLog,
  type FormatReading,
  type ReadOptions,
} from "./log.ts";
import type { LogText } from "./lines.ts";
import { readPi } from "./pi.ts";

const READERS: Readonly<Record<LogFormat, (text: LogText, history: History) => FormatReading>> = {
  "claude-code": readClaudeCode,
  codex: readCodex,
  pi: readPi,
  gemini: readGemini,
};

/**
 * Reads a session file. The transcript has no violation of core's rules: what had none in the file is repaired, and
 * `notes` says where. By default it is the history that the agent would send now; `{ history: "all" }` goes back
 * behind recorded compactions. A session without a word gives an empty transcript.
 * Throws `unreadable_input` where no record of the format is found.
 */
export function readLog(text: LogText, format: LogFormat, { history = "live" }: ReadOptions = {}): ReadLog {
  const reading = READERS[format](text, history);
  if (reading.recognised === 0) throw unreadable(format);
  const { messages, injected, lines, notes } = assemble(reading.drafts);
  const silent: readonly LogNote[] =
    messages.length > 0 ? [] : [{ code: "no_messages", line: 0, text: "no messages found" }];
  const { model, cwd, usage } = reading;
  return Object.freeze({
    transcript: transcriptOf(reading, messages),
    format,
    speaks: SPEAKS[format],
    ...(model !== undefined && { model }),
    ...(cwd !== undefined && { cwd }),
    ...(usage !== undefined && { usage }),
    toolNames: [...new Set(messages.flatMap(callsOf).map((call) => call.name))],
    injected,
    timesMs: Object.freeze(lines.map((line) => reading.times.get(line))),
    notes: gathered([...reading.notes, ...notes, ...silent]),
  });
}

function transcriptOf({ system = [], model }: FormatReading, messages: readonly Message[]): Transcript {
  return Object.freeze({ system: Object.freeze(system.map(freeze)), messages, ...(model !== undefined && { model }) });
}

/** In the order of the file, what happened often reported once. */
function gathered(notes: readonly LogNote[]): readonly LogNote[] {
  const groups = Map.groupBy(notes, (note) => `${note.code}\n${note.text}`);
  return [...groups.values()]
    .map((group) =>
      group.length === 1 ? group[0]! : { ...group[0]!, text: `${group[0]!.text} (${group.length} times)` },
    )
    .toSorted((a, b) => a.line - b.line);
}

function unreadable(format: LogFormat): PrecisError {
  return new PrecisError(`no record of a ${format} session was found`, {
    code: "unreadable_input",
    hint: "Check that the file is complete, or omit --from so that its format is detected.",
  });
}
