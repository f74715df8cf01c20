/** Old tool results give way to their digests, the largest first, until enough is saved (Dual Compression chapter, 16.3). */
import { digestResults } from "../../passes/digest-results.ts";
import type { PassContext, PassResult } from "../../passes/pass.ts";
import type { Message, Transcript } from "../../transcript/message.ts";
import { RECALL_IDS } from "../../transcript/links.ts";

export interface DigestLargestRequest {
  /** Tokens to save. */
  readonly excessTokens: number;
  /** What is sent today: a result whose digest is there gives way before any other. */
  readonly standing: Transcript | undefined;
  readonly context: PassContext;
}

/** `messages[i]` is original `i` or its digest. */
export function digestLargestFirst(
  originals: readonly Message[],
  { excessTokens, standing, context }: DigestLargestRequest,
): Pick<PassResult, "messages" | "evicted"> {
  const { measure } = context;
  const digested = digestResults(originals, context);
  const already = idsIn(standing?.messages ?? []);
  const stands = new Set(digested.evicted.filter(({ id }) => already.has(id)).map(({ message }) => message));
  const order = originals
    .flatMap((message, at) => (digested.messages[at] === message ? [] : at))
    .toSorted(
      (a, b) =>
        Number(stands.has(b)) - Number(stands.has(a)) ||
        measure.message(originals[b]!) - measure.message(originals[a]!) ||
        a - b,
    );
  const taken = new Set<number>();
  let saved = 0;
  for (const at of order) {
    if (saved >= excessTokens && !stands.has(at)) break;
    taken.add(at);
    saved += measure.message(originals[at]!) - measure.message(digested.messages[at]!);
  }
  return {
    messages: originals.map((message, at) => (taken.has(at) ? digested.messages[at]! : message)),
    evicted: digested.evicted.filter(({ message }) => taken.has(message)),
  };
}

/** Ids that digests show. */
function idsIn(messages: readonly Message[]): ReadonlySet<string> {
  const digests = messages.filter(({ origin }) => origin === "digest");
  const texts = digests.flatMap(({ parts }) => parts.map((part) => JSON.stringify(part)));
  return new Set(texts.flatMap((text) => text.match(RECALL_IDS) ?? []));
}
