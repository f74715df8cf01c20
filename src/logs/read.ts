/** One entry for all session files: the format's reader finds what was said, assembly makes it valid. */
import { PrecisError } from "../core/errors.ts";
import { callsOf, type Message, type Transcript } from "../core/transcript/message.ts";
import { assemble, freeze, type Assembled } from "./assemble.ts";
import { FORMATS } from "./formats.ts";
import type { History, LogFormat, LogNote, ReadLog, FormatReading, ReadOptions } from "./log.ts";
import type { LogText } from "./lines.ts";

/**
 * Reads a session file. The transcript has no violation of core's rules: what had none in the file is repaired, and
 * `notes` says where. By default it is the history that the agent would send now; `{ history: "all" }` goes back
 * behind recorded compactions. A session without a word gives an empty transcript.
 * Throws `unreadable_input` where no record of the format is found.
 */
export function readLog(text: LogText, format: LogFormat, { history = "live" }: ReadOptions = {}): ReadLog {
  const { reading, messages, injected, lines, notes } = readAssembled(text, format, history);
  const silent: readonly LogNote[] =
    messages.length > 0 ? [] : [{ code: "no_messages", line: 0, text: "no messages found" }];
  const { id, model, cwd, usage } = reading;
  return Object.freeze({
    transcript: transcriptOf(reading, messages),
    format,
    speaks: FORMATS[format].speaks,
    ...(id !== undefined && { id }),
    ...(model !== undefined && { model }),
    ...(cwd !== undefined && { cwd }),
    ...(usage !== undefined && { usage }),
    toolNames: [...new Set(messages.flatMap(callsOf).map((call) => call.name))],
    injected,
    timesMs: Object.freeze(lines.map((line) => reading.times.get(line))),
    notes: gathered([...reading.notes, ...notes, ...silent]),
  });
}

/** What a reader found, paired and repaired. Throws `unreadable_input` where no record of the format is found. */
export function readAssembled(
  text: LogText,
  format: LogFormat,
  history: History,
): Assembled & { readonly reading: FormatReading } {
  const reading = FORMATS[format].read(text, history);
  if (reading.recognised === 0) throw unreadable(format);
  return { reading, ...assemble(reading.drafts) };
}

function transcriptOf({ system = [], model }: FormatReading, messages: readonly Message[]): Transcript {
  return Object.freeze({ system: Object.freeze(system.map(freeze)), messages, ...(model !== undefined && { model }) });
}

/** In the order of the file, what happened often reported once. */
export function gathered(notes: readonly LogNote[]): readonly LogNote[] {
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
