/** One entry for all session files: the format's reader finds what was said, assembly makes it valid. */
import { PrecisError } from "../core/errors.ts";
import {
  callsOf,
  type Message,
  type Transcript,
  contentText,
  textMessage,
  type ContentPart,
  type Part,
} from "../core/transcript/message.ts";
import { FORMATS } from "./formats.ts";
import {
  makeNote,
  type History,
  type LogFormat,
  type LogNote,
  type ReadLog,
  type FormatReading,
  type ReadOptions,
  type MessageDraft,
} from "./log.ts";
import type { LogText } from "./lines.ts";
import { createPairing } from "../core/transcript/pairing.ts";

/**
 * Reads a session file. The transcript has no violation of core's rules: what had none in the file is repaired, and
 * `notes` says where. By default it is the history that the agent would send now; `{ history: "all" }` goes back
 * behind recorded compactions. A session without a word gives an empty transcript.
 * Throws `unreadable_input` if no record of the format is found.
 */
export function readLog(text: LogText, format: LogFormat, { history = "live" }: ReadOptions = {}): ReadLog {
  const { reading, messages, injected, lines, notes } = readAssembled(text, format, history);
  const silent = messages.length > 0 ? [] : [makeNote("no_messages", 0, "no messages found")];
  const { id, model, cwd, usage } = reading;
  return Object.freeze({
    transcript: makeTranscript(reading, messages),
    format,
    speaks: FORMATS[format].speaks,
    ...(id !== undefined && { id }),
    ...(model !== undefined && { model }),
    ...(cwd !== undefined && { cwd }),
    ...(usage !== undefined && { usage }),
    toolNames: [...new Set(messages.flatMap(callsOf).map((call) => call.name))],
    injected,
    timesMs: Object.freeze(lines.map((line) => reading.times.get(line))),
    notes: groupNotes([...reading.notes, ...notes, ...silent]),
  });
}

/** What a reader found, paired and repaired. Throws `unreadable_input` if no record of the format is found. */
export function readAssembled(
  text: LogText,
  format: LogFormat,
  history: History,
): Assembled & { readonly reading: FormatReading } {
  const reading = FORMATS[format].read(text, history);
  if (reading.recognised === 0) throw unreadable(format);
  return { reading, ...assemble(reading.drafts) };
}

function makeTranscript({ system = [], model }: FormatReading, messages: readonly Message[]): Transcript {
  return Object.freeze({ system: Object.freeze(system.map(freeze)), messages, ...(model !== undefined && { model }) });
}

export function groupNotes(notes: readonly LogNote[]): readonly LogNote[] {
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

const NO_RESULT = "[precis: the session file records no result for this call; whether it ran is not known]";

interface Assembled {
  readonly messages: readonly Message[];
  readonly injected: readonly number[];
  /** The line that each message is in; a result's own, a stub's that of its call. */
  readonly lines: readonly number[];
  readonly notes: readonly LogNote[];
}

interface Turn {
  readonly line: number;
  readonly message: Message;
  readonly injected: boolean;
  /** Ids of calls that wait for a result, in the order of the calls. */
  readonly open: string[];
  readonly results: { readonly message: Message; readonly line: number }[];
}

type ResultDraft = Extract<MessageDraft, { kind: "result" }>;

function assemble(drafts: readonly MessageDraft[]): Assembled {
  const notes: LogNote[] = [];
  const turns: Turn[] = [];
  const waiting = createWaiting();
  for (const draft of drafts) {
    if (draft.kind === "said") {
      const turn = makeTurn(draft, notes);
      if (turn === undefined) continue;
      turns.push(turn);
      waiting.ask(turn);
    } else if (!waiting.answer(draft)) {
      const orphan = makeOrphan(draft, waiting.answered(draft), notes);
      if (orphan !== undefined) turns.push(orphan);
    }
  }
  return { ...flatten(turns, notes), notes };
}

/** Who waits for which result: by its id, and without one the newest turn that waits, its calls in order. */
function createWaiting() {
  const pairing = createPairing<Turn>();
  const recent: Turn[] = [];
  const given = new Map<string, string>();
  let asked = 0;
  return {
    ask(turn: Turn): void {
      if (turn.open.length > 0) recent.push(turn);
      asked++;
      for (const id of turn.open) pairing.ask(id, asked, turn);
    },
    answer({ callId, content, isError, line }: ResultDraft): boolean {
      while (recent.at(-1)?.open.length === 0) recent.pop();
      const id = callId ?? recent.at(-1)?.open[0];
      const turn = pairing.answer(id);
      if (id === undefined || turn === undefined) return false;
      turn.open.splice(turn.open.indexOf(id), 1);
      turn.results.push({ message: resultMessage(id, content, isError === true), line });
      given.set(id, contentText(content));
      return true;
    },
    /** True when the same answer was given to the same call before. */
    answered(draft: ResultDraft): boolean {
      return draft.callId !== undefined && given.get(draft.callId) === contentText(draft.content);
    },
  };
}

function makeTurn(draft: Extract<MessageDraft, { kind: "said" }>, notes: LogNote[]): Turn | undefined {
  const { line, injected } = draft;
  const parts = draft.message.parts.filter((part) => part.kind !== "text" || part.text.trim() !== "");
  if (parts.length === 0) return undefined;
  if (parts.every((part) => part.kind === "reasoning")) {
    const characters = parts.reduce((sum, part) => sum + part.text.length, 0);
    notes.push(
      makeNote("thinking_only", line, `a reply of nothing but thinking (${characters} characters) was left out`),
    );
    return undefined;
  }
  const message = { ...draft.message, parts: named(parts, line) };
  return {
    line,
    message: freeze(message),
    injected: injected === true,
    open: callsOf(message).map((call) => call.id),
    results: [],
  };
}

/** Old files record calls without ids; the place in the file gives one that is the same at every reading. */
function named(parts: readonly Part[], line: number): readonly Part[] {
  return parts.map((part, at) =>
    part.kind === "tool-call" && part.id === "" ? { ...part, id: `call_${line}_${at}` } : part,
  );
}

/** What a person would expect of a result whose call is lost: its text stays readable, and says what it is. */
function makeOrphan(draft: ResultDraft, repeated: boolean, notes: LogNote[]): Turn | undefined {
  const { line, content, callId } = draft;
  const text = contentText(content);
  if (repeated) {
    notes.push(makeNote("repeated", line, `the result of ${callId ?? "a call"} is in the file more than once`));
    return undefined;
  }
  const said = `a result of ${text.length} characters answers no call in the file (${callId ?? "no id"})`;
  notes.push(makeNote("orphan_result", line, said));
  if (text.trim() === "") return undefined;
  const message = textMessage(
    "user",
    `[precis: a tool result whose call is missing from the session file]\n${text}`,
    "note",
  );
  return { line, message, injected: true, open: [], results: [] };
}

function flatten(turns: readonly Turn[], notes: LogNote[]): Omit<Assembled, "notes"> {
  const messages: Message[] = [];
  const lines: number[] = [];
  const injected: number[] = [];
  for (const turn of turns) {
    if (turn.injected) injected.push(messages.length);
    for (const { message, line } of [
      turn,
      ...turn.results,
      ...turn.open.map((id) => ({ message: stub(id), line: turn.line })),
    ]) {
      messages.push(message);
      lines.push(line);
    }
    if (turn.open.length === 0) continue;
    const names = callsOf(turn.message).filter((call) => turn.open.includes(call.id));
    const unanswered = names.map((call) => call.name).join(", ");
    notes.push(makeNote("dangling_call", turn.line, `no result is recorded for ${unanswered}`));
  }
  return { messages: Object.freeze(messages), injected: Object.freeze(injected), lines };
}

function stub(callId: string): Message {
  return freeze({ ...resultMessage(callId, [{ kind: "text", text: NO_RESULT }], false), origin: "stub" });
}

function resultMessage(callId: string, content: readonly ContentPart[], isError: boolean): Message {
  const result = {
    kind: "tool-result",
    callId,
    content: Object.freeze(content.map((part) => Object.freeze(part))),
  } as const;
  return freeze({ role: "tool", parts: [isError ? { ...result, isError: true } : result] });
}

function freeze(message: Message): Message {
  return Object.freeze({ ...message, parts: Object.freeze(message.parts.map((part) => Object.freeze(part))) });
}
