/**
 * Messages that a person compacted or dropped by hand. An edit is data: a compaction carries those that hold for it, and the
 * next one is made from the conversation as they leave it. What they take out is behind a recall id.
 */
import { digestResultsWith } from "../passes/digest-results.ts";
import { evictMedia } from "../passes/evict-media.ts";
import { inSequence } from "../passes/pass.ts";
import { shrinkArguments } from "../passes/shrink-arguments.ts";
import { stripReasoning } from "../passes/strip-reasoning.ts";
import { recallId, type Chain } from "../transcript/links.ts";
import { exchangesOf } from "../transcript/exchanges.ts";
import { resultOf, textMessage, withParts, type Message } from "../transcript/message.ts";
import type { Estimator } from "../engines/contract.ts";
import { spanLabel, type Evicted, type HandEdit } from "./compaction.ts";

/** A message, where it was in the original (-1 for one of ours), and how many original messages come before it. */
export interface PlacedOriginal {
  readonly message: Message;
  readonly from: number;
  readonly start: number;
}

export interface EditedMessages {
  readonly placed: readonly PlacedOriginal[];
  /** In places of the original. */
  readonly evicted: readonly Evicted[];
}

export function placesOf(messages: readonly Message[]): readonly PlacedOriginal[] {
  return messages.map((message, at) => ({ message, from: at, start: at }));
}

/** The messages as the edits leave them, in their order; what is not whole any more is not shortened once more. */
export function editByHand(
  placed: readonly PlacedOriginal[],
  edits: readonly HandEdit[],
  estimator: Estimator,
  isWhole: (one: PlacedOriginal) => boolean = () => true,
): EditedMessages {
  return edits.reduce<EditedMessages>(
    (before, edit) => {
      const { placed: next, evicted } =
        edit.how === "drop"
          ? drop(before.placed, edit, estimator.chain)
          : compact(before.placed, edit, estimator, isWhole);
      return { placed: next, evicted: [...before.evicted, ...evicted] };
    },
    { placed, evicted: [] },
  );
}

function isMeant({ from, end }: HandEdit, one: PlacedOriginal): boolean {
  return one.from >= from && one.from < end;
}

/** A person who asks for it wants it small; results below this stay. */
const DIGEST_TOKENS = 100;
const shorten = inSequence([
  stripReasoning,
  evictMedia,
  digestResultsWith({ triggerTokens: DIGEST_TOKENS, targetTokens: DIGEST_TOKENS }),
  shrinkArguments,
]);

function compact(
  placed: readonly PlacedOriginal[],
  edit: HandEdit,
  estimator: Estimator,
  isWhole: (one: PlacedOriginal) => boolean,
): EditedMessages {
  const protect = (at: number): boolean => !isMeant(edit, placed[at]!) || !isWhole(placed[at]!);
  const { messages, evicted } = shorten(
    placed.map(({ message }) => message),
    { measure: estimator.measure, hash: estimator.chain.hash, protect, focus: [] },
  );
  return {
    placed: placed.map((one, at) => (messages[at] === one.message ? one : { ...one, message: messages[at]! })),
    evicted: evicted.map((one) => ({ ...one, message: placed[one.message]!.from })),
  };
}

function drop(placed: readonly PlacedOriginal[], edit: HandEdit, chain: Chain): EditedMessages {
  const next: PlacedOriginal[] = [];
  const evicted: Evicted[] = [];
  let run: PlacedOriginal[] = [];
  const endRun = (): void => {
    const [first] = run;
    if (first === undefined) return;
    const span = spanOf(run, chain);
    evicted.push(span);
    const text = `[${capital(span.label)} of the conversation were dropped by hand. Originals: recall ${span.id}.]`;
    next.push({ message: textMessage("user", text, "stub"), from: -1, start: first.start });
    run = [];
  };
  for (const { start, end } of exchangesOf(placed.map(({ message }) => message))) {
    const own = placed.slice(start, end);
    const isWhole = own.every((one) => isMeant(edit, one));
    // Two that did not stand together are two spans.
    if (!isWhole || (run.length > 0 && run.at(-1)!.from + 1 !== own[0]!.from)) endRun();
    if (isWhole) for (const each of own) run.push(each);
    else
      for (const each of own.map((one) => (isMeant(edit, one) ? withoutResult(one, chain, evicted) : one)))
        next.push(each);
  }
  endRun();
  return { placed: next, evicted };
}

function spanOf(run: readonly PlacedOriginal[], chain: Chain): Evicted {
  const [first, last] = [run[0]!.from, run.at(-1)!.from];
  const id = recallId(run.map(({ message }) => chain.hashOf(message)).join("\n"), chain.hash);
  return { id, kind: "span", message: first, end: last + 1, label: spanLabel(first, last + 1) };
}

/** A call keeps an answer, which says that its content is gone. */
function withoutResult(one: PlacedOriginal, chain: Chain, evicted: Evicted[]): PlacedOriginal {
  const result = resultOf(one.message);
  if (result === undefined) return one;
  const original = JSON.stringify(result.content);
  const plain = result.content.map((part) => (part.kind === "text" ? part.text : undefined));
  const text = plain.every((piece) => piece !== undefined) ? plain.join("\n") : original;
  const id = recallId(text, chain.hash);
  evicted.push({ id, kind: "result", message: one.from, original: text, label: `result of message ${one.from + 1}` });
  const said = Object.freeze({
    kind: "text",
    text: `[This result was dropped by hand. Original: recall ${id}.]`,
  } as const);
  const parts = one.message.parts.map((part) =>
    part === result ? Object.freeze({ ...result, content: Object.freeze([said]) }) : part,
  );
  return { ...one, message: withParts(one.message, parts, "stub") };
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
