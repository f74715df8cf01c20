/**
 * From drafts to a conversation that a provider accepts: every call is followed by its results, late results move to
 * their call, a call without one gets an honest stub, and a result without a call is kept as a note.
 */
import {
  callsOf,
  contentText,
  textMessage,
  type ContentPart,
  type Message,
  type Part,
} from "../core/transcript/message.ts";
import type { Draft, LogNote } from "./log.ts";

const NO_RESULT = "[precis: the session file records no result for this call; whether it ran is not known]";

export interface Assembled {
  readonly messages: readonly Message[];
  readonly injected: readonly number[];
  /** The line that each message stands in; a result's own, a stub's that of its call. */
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

type ResultDraft = Extract<Draft, { kind: "result" }>;

export function assemble(drafts: readonly Draft[]): Assembled {
  const notes: LogNote[] = [];
  const turns: Turn[] = [];
  const pairing = createPairing();
  for (const draft of drafts) {
    if (draft.kind === "said") {
      const turn = turnOf(draft, notes);
      if (turn === undefined) continue;
      turns.push(turn);
      pairing.ask(turn);
    } else if (!pairing.answer(draft)) {
      const orphan = orphanOf(draft, pairing.answered(draft), notes);
      if (orphan !== undefined) turns.push(orphan);
    }
  }
  return { ...flatten(turns, notes), notes };
}

/** Who waits for which result. The most recent turn that asked is answered first; within a turn, calls in order. */
function createPairing() {
  const waiting = new Map<string, Turn[]>();
  const recent: Turn[] = [];
  const given = new Map<string, string>();
  const close = (turn: Turn, id: string, draft: ResultDraft): true => {
    turn.open.splice(turn.open.indexOf(id), 1);
    turn.results.push({ message: resultMessage(id, draft.content, draft.isError === true), line: draft.line });
    given.set(id, contentText(draft.content));
    return true;
  };
  return {
    ask(turn: Turn): void {
      if (turn.open.length > 0) recent.push(turn);
      for (const id of turn.open) {
        const turns = waiting.get(id);
        if (turns === undefined) waiting.set(id, [turn]);
        else turns.push(turn);
      }
    },
    answer(draft: ResultDraft): boolean {
      if (draft.callId !== undefined) {
        const turns = waiting.get(draft.callId);
        let turn = turns?.pop();
        while (turn !== undefined && !turn.open.includes(draft.callId)) turn = turns?.pop();
        return turn !== undefined && close(turn, draft.callId, draft);
      }
      while (recent.at(-1)?.open.length === 0) recent.pop();
      const turn = recent.at(-1);
      return turn !== undefined && close(turn, turn.open[0]!, draft);
    },
    /** True when the same answer was given to the same call before. */
    answered(draft: ResultDraft): boolean {
      return draft.callId !== undefined && given.get(draft.callId) === contentText(draft.content);
    },
  };
}

function turnOf(draft: Extract<Draft, { kind: "said" }>, notes: LogNote[]): Turn | undefined {
  const { line, injected } = draft;
  const parts = draft.message.parts.filter((part) => part.kind !== "text" || part.text.trim() !== "");
  if (parts.length === 0) return undefined;
  if (parts.every((part) => part.kind === "reasoning")) {
    const characters = parts.reduce((sum, part) => sum + part.text.length, 0);
    notes.push({
      code: "thinking_only",
      line,
      text: `a reply of nothing but thinking (${characters} characters) was left out`,
    });
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
function orphanOf(draft: ResultDraft, repeated: boolean, notes: LogNote[]): Turn | undefined {
  const { line, content, callId } = draft;
  const text = contentText(content);
  if (repeated) {
    notes.push({ code: "repeated", line, text: `the result of ${callId ?? "a call"} stands in the file again` });
    return undefined;
  }
  notes.push({
    code: "orphan_result",
    line,
    text: `a result of ${text.length} characters answers no call in the file (${callId ?? "no id"})`,
  });
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
    messages.push(turn.message, ...turn.results.map(({ message }) => message), ...turn.open.map(stub));
    lines.push(turn.line, ...turn.results.map(({ line }) => line), ...turn.open.map(() => turn.line));
    if (turn.open.length === 0) continue;
    const names = callsOf(turn.message).filter((call) => turn.open.includes(call.id));
    notes.push({
      code: "dangling_call",
      line: turn.line,
      text: `no result is recorded for ${names.map((call) => call.name).join(", ")}`,
    });
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

export function freeze(message: Message): Message {
  return Object.freeze({ ...message, parts: Object.freeze(message.parts.map((part) => Object.freeze(part))) });
}
