/**
 * The episodes of a session: for each thing that a person asked, in order, what was said and done until the next. Calls
 * that changed something are described one by one, calls that only looked are gathered.
 */
import type { ActionEntry, Ledger } from "../../ledger/ledger.ts";
import { callsOf, contentText, resultOf, type Message, type ToolCallPart } from "../../transcript/message.ts";
import { pairingOf, type Pairs } from "../../transcript/pairing.ts";
import { opensWithHandoff } from "../marks.ts";

export type EpisodeEntry =
  | { readonly kind: "asked"; readonly message: number; readonly from: Message; readonly text: string }
  /** `ends`: the assistant made no further call, so this is how it summed the turn up. */
  | {
      readonly kind: "said";
      readonly message: number;
      readonly from: Message;
      readonly text: string;
      readonly ends: boolean;
    }
  | {
      readonly kind: "done";
      readonly message: number;
      readonly call: ToolCallPart;
      readonly action: ActionEntry;
      readonly result: string;
      /** Index of the message that holds the result, and the message; -1 where there is none. */
      readonly answered: number;
      readonly answer: Message | undefined;
    };

export interface Episode {
  /** Index of the message that opens it; the span's first where nobody asked anything before. */
  readonly start: number;
  readonly entries: readonly EpisodeEntry[];
}

export interface EpisodeSpan {
  readonly messages: readonly Message[];
  readonly ledger: Ledger;
  /** What is described: `messages[from .. until)`. */
  readonly from: number;
  readonly until: number;
}

export function episodesOf({ messages, ledger, from, until }: EpisodeSpan): readonly Episode[] {
  const { requests, actions } = byMessage(ledger);
  const answeredAt = answersTo(messages);
  const episodes: { start: number; entries: EpisodeEntry[] }[] = [];
  const current = (at: number): EpisodeEntry[] => {
    if (episodes.length === 0) episodes.push({ start: at, entries: [] });
    return episodes.at(-1)!.entries;
  };
  for (let at = from; at < until; at++) {
    const message = messages[at]!;
    const asked = requests[at];
    if (asked !== undefined)
      episodes.push({ start: at, entries: [{ kind: "asked", message: at, from: message, text: asked }] });
    if (message.role !== "assistant") continue;
    const text = contentText(message.parts).trim();
    if (text !== "" && !opensWithHandoff(text))
      current(at).push({ kind: "said", message: at, from: message, text, ends: callsOf(message).length === 0 });
    const made = actions[at];
    const done = made === undefined ? [] : callsDoneIn({ messages, at, made, answeredAt });
    if (done.length > 0) current(at).push(...done);
  }
  return episodes;
}

/** The calls of a span alone, in order. */
export function callsDone({ messages, ledger, from, until }: EpisodeSpan): readonly Done[] {
  const { actions } = byMessage(ledger);
  const answeredAt = answersTo(messages);
  const done: Done[] = [];
  for (let at = from; at < until; at++) {
    const made = actions[at];
    if (made !== undefined) done.push(...callsDoneIn({ messages, at, made, answeredAt }));
  }
  return done;
}

interface MessageCalls {
  readonly messages: readonly Message[];
  /** Index of the message that makes the calls. */
  readonly at: number;
  readonly made: readonly ActionEntry[];
  readonly answeredAt: AnsweredAt;
}

/** What the calls of a message were last: a call and its result are mostly the same in one handoff after another. */
const lastDone = new WeakMap<Message, readonly Done[]>();

function callsDoneIn({ messages, at, made, answeredAt }: MessageCalls): readonly Done[] {
  const message = messages[at]!;
  const isAsBefore = ({ call, message: before, action, answered, answer }: Done, place: number): boolean =>
    before === at &&
    action === made[place] &&
    answered === answeredAt(call, at, answered) &&
    answer === messages[answered];
  let done = lastDone.get(message);
  if (done?.length !== made.length || !done.every(isAsBefore)) {
    const calls = callsOf(message);
    done = made.slice(0, calls.length).map((action, place) => {
      const call = calls[place]!;
      const answered = answeredAt(call, at);
      const answer = messages[answered];
      const result = contentText(answer === undefined ? [] : (resultOf(answer)?.content ?? []));
      return { kind: "done", message: at, call, action, result, answered, answer };
    });
    lastDone.set(message, done);
  }
  return done;
}

/** What a message asked for, and the calls that it made. */
interface ByMessage {
  readonly requests: readonly (string | undefined)[];
  readonly actions: readonly (readonly ActionEntry[] | undefined)[];
}

/** Episodes are asked for twice in a compaction: for the record, and for the list that is worked through. */
const known = new WeakMap<Ledger, ByMessage>();

function byMessage(ledger: Ledger): ByMessage {
  let found = known.get(ledger);
  if (found === undefined) {
    const requests: string[] = [];
    const actions: ActionEntry[][] = [];
    for (const { message, text } of ledger.requests) requests[message] = text;
    for (const action of ledger.actions) (actions[action.message] ??= []).push(action);
    known.set(ledger, (found = { requests, actions }));
  }
  return found;
}

/** For each message that made calls, where their results are; for each pairing of a conversation. */
const answers = new WeakMap<Pairs, readonly (readonly number[] | undefined)[]>();

function answersOf(pairs: Pairs): readonly (readonly number[] | undefined)[] {
  let found = answers.get(pairs);
  if (found === undefined) {
    const places: (number[] | undefined)[] = Array.from({ length: pairs.answers.length });
    pairs.answers.forEach((asked, at) => {
      if (asked !== undefined) (places[asked.message] ??= []).push(at);
    });
    answers.set(pairs, (found = places));
  }
  return found;
}

/** Index of the message that answers a call of another, which is looked at first where it may be; -1 where none does. */
type AnsweredAt = (call: ToolCallPart, message: number, mayBe?: number) => number;

function answersTo(messages: readonly Message[]): AnsweredAt {
  const pairs = pairingOf(messages);
  const isAt = (call: ToolCallPart, at: number): boolean => pairs.answers[at]?.call === call;
  return (call, message, mayBe = -1) =>
    isAt(call, mayBe) ? mayBe : (answersOf(pairs)[message]?.find((at) => isAt(call, at)) ?? -1);
}

type Done = Extract<EpisodeEntry, { kind: "done" }>;
