/**
 * What digests make of tool results, by kind of tool: how short they are, and how much of what the continuation then
 * asked for is still in them. The Dual Compression chapter gives such a table in 16.4 without saying how it came about.
 */
import { hash } from "node:crypto";
import { described } from "../../../src/core/digest/call.ts";
import { taskWords } from "../../../src/core/digest/focus.ts";
import { DIGEST_TRIGGER_TOKENS } from "../../../src/core/digest/digest.ts";
import { digestResults } from "../../../src/core/passes/digest-results.ts";
import { contentText } from "../../../src/core/transcript/message.ts";
import { pairingOf } from "../../../src/core/transcript/pairing.ts";
import { measureOfDefinition } from "../recall/compactor.ts";
import { identifiersOf, tokensOf } from "../recall/future-use.ts";
import type { PreparedCut } from "./contest.ts";
import type { DigestCount } from "./plan.ts";

const NOTHING: DigestCount = { results: 0, before: 0, after: 0, asked: 0, held: 0 };

/** Results of more than 500 tokens (Dual Compression chapter, 16.3), every one digested, wherever it is. */
export function digestCounts({ cut: { demand }, messages }: PreparedCut): Readonly<Record<string, DigestCount>> {
  const live = messages.findLast(({ role }) => role === "user");
  const context = {
    measure: measureOfDefinition(),
    hash: (text: string) => hash("sha256", text),
    protect: () => false,
    focus: live === undefined ? [] : taskWords(contentText(live.parts)),
  };
  const digested = digestResults(messages, context).messages;
  const { answers } = pairingOf(messages);
  const counts: Record<string, DigestCount> = {};
  messages.forEach((message, at) => {
    if (message.role !== "tool") return;
    const [before, after] = [contentText(message.parts), contentText(digested[at]!.parts)];
    if (tokensOf(before) <= DIGEST_TRIGGER_TOKENS) return;
    const asked = [...identifiersOf(before)].filter((id) => demand.has(id));
    const left = identifiersOf(after);
    const call = answers[at]?.call;
    const action = call === undefined ? "other" : described(call).action;
    counts[action] = sumOf(counts[action] ?? NOTHING, {
      results: 1,
      before: tokensOf(before),
      after: tokensOf(after),
      asked: asked.length,
      held: asked.filter((id) => left.has(id)).length,
    });
  });
  return counts;
}

export function sumOf(one: DigestCount, other: DigestCount): DigestCount {
  return {
    results: one.results + other.results,
    before: one.before + other.before,
    after: one.after + other.after,
    asked: one.asked + other.asked,
    held: one.held + other.held,
  };
}
