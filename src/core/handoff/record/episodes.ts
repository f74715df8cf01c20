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
  const results = resultsOf(messages);
  const episodes: { start: number; entries: EpisodeEntry[] }[] = [];
  const current = (at: number): EpisodeEntry[] => {
    if (episodes.length === 0) episodes.push({ start: at, entries: [] });
    return episodes.at(-1)!.entries;
  };
  for (let at = from; at < until; at++) {
    const message = messages[at]!;
    const asked = requests.get(at);
    if (asked !== undefined)
      episodes.push({ start: at, entries: [{ kind: "asked", message: at, from: message, text: asked }] });
    if (message.role !== "assistant") continue;
    const text = contentText(message.parts).trim();
    const calls = callsOf(message);
    if (text !== "" && !opensWithHandoff(text))
      current(at).push({ kind: "said", message: at, from: message, text, ends: calls.length === 0 });
    const done = calls.length === 0 ? [] : callsDoneIn(at, calls, { actions, results });
    if (done.length > 0) current(at).push(...done);
  }
  return episodes;
}

/** The calls of a span alone, in order. */
export function callsDone({ messages, ledger, from, until }: EpisodeSpan): readonly Done[] {
  const known = { actions: byMessage(ledger).actions, results: resultsOf(messages) };
  const done: Done[] = [];
  for (let at = from; at < until; at++)
    if (known.actions.has(at)) done.push(...callsDoneIn(at, callsOf(messages[at]!), known));
  return done;
}

function callsDoneIn(
  message: number,
  calls: readonly ToolCallPart[],
  { actions, results }: { readonly actions: ByMessage["actions"]; readonly results: ResultOf },
): readonly Done[] {
  const made = (actions.get(message) ?? []).slice(0, calls.length);
  return made.map((action, place) => doneBy(calls[place]!, action, results));
}

function doneBy(call: ToolCallPart, action: ActionEntry, results: ResultOf): Done {
  const { answered, answer, result } = results(call, action.message);
  return { kind: "done", message: action.message, call, action, result, answered, answer };
}

interface ByMessage {
  readonly requests: ReadonlyMap<number, string>;
  readonly actions: ReadonlyMap<number, readonly ActionEntry[]>;
}

/** Episodes are asked for twice in a compaction: for the record, and for the list that is worked through. */
const known = new WeakMap<Ledger, ByMessage>();

function byMessage(ledger: Ledger): ByMessage {
  let found = known.get(ledger);
  if (found === undefined) {
    const requests = new Map(ledger.requests.map((request) => [request.message, request.text]));
    known.set(ledger, (found = { requests, actions: Map.groupBy(ledger.actions, ({ message }) => message) }));
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

type ResultOf = (call: ToolCallPart, message: number) => Pick<Done, "result" | "answered" | "answer">;

function resultsOf(messages: readonly Message[]): ResultOf {
  const pairs = pairingOf(messages);
  const places = answersOf(pairs);
  return (call, message) => {
    const answered = places[message]?.find((at) => pairs.answers[at]?.call === call) ?? -1;
    const answer = messages[answered];
    const content = answer === undefined ? [] : (resultOf(answer)?.content ?? []);
    return { answered, answer, result: contentText(content) };
  };
}

type Done = Extract<EpisodeEntry, { kind: "done" }>;
