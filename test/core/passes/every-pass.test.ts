/** What every pass promises, asked of each of them over generated transcripts. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clearResults } from "../../../src/core/passes/clear-results.ts";
import { digestResults, digestResultsWith } from "../../../src/core/passes/digest-results.ts";
import { evictMedia } from "../../../src/core/passes/evict-media.ts";
import type { Pass, PassContext } from "../../../src/core/passes/pass.ts";
import { redactMessage } from "../../../src/core/passes/redact-messages.ts";
import { repairPairs } from "../../../src/core/passes/repair.ts";
import { replaceDuplicatesWhere } from "../../../src/core/passes/replace-duplicates.ts";
import { shrinkArguments } from "../../../src/core/passes/shrink-arguments.ts";
import { stripReasoning } from "../../../src/core/passes/strip-reasoning.ts";
import { redact } from "../../../src/core/redaction/redact.ts";
import { recallId } from "../../../src/core/transcript/links.ts";
import { contentText, type Message, type Part, type Transcript } from "../../../src/core/transcript/message.ts";
import { violationsOf } from "../../../src/core/transcript/oracle.ts";
import { RUNS } from "../../support/transcripts.ts";
import { contextOf, hash, measure } from "./building.ts";
import { longTranscripts } from "./long-transcripts.ts";

/** What is sent out is masked message by message. */
const redactMessages: Pass = (messages, { protect }) => {
  const masked = messages.map((message, at) =>
    protect(at) ? message : redactMessage(message, (text) => redact(text).text),
  );
  const changed = masked.some((message, at) => message !== messages[at]);
  return { messages: changed ? masked : messages, from: messages.map((_, at) => at), evicted: [] };
};

const PASSES: Readonly<Record<string, Pass>> = {
  clearResults,
  digestResults,
  "digestResults from 200 characters": digestResultsWith({ triggerChars: 200 }),
  replaceDuplicates: replaceDuplicatesWhere(() => true),
  "digestResults from 50 tokens": digestResultsWith({ triggerTokens: 50 }),
  evictMedia,
  redactMessages,
  repairPairs,
  shrinkArguments,
  stripReasoning,
};
/** These mark nothing as rewritten: what they leave is still what was said. */
const UNMARKED = ["stripReasoning", "redactMessages"];
/** Each of several properties of each pass gets its part of the runs. */
const RUNS_EACH = Math.ceil(RUNS / 10);

const everySecond = fc.constantFrom<(index: number) => boolean>(
  () => false,
  (index) => index % 2 === 0,
  (index) => index < 3,
  (index) => index > 2,
);

function violationCounts(messages: readonly Message[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { code } of violationsOf({ system: [], messages })) counts.set(code, (counts.get(code) ?? 0) + 1);
  return counts;
}

/** Everything in a transcript that a pass may take away, as text. */
function originals(message: Message): readonly string[] {
  const of = (part: Part): readonly string[] => {
    switch (part.kind) {
      case "tool-call":
        return [part.arguments];
      case "tool-result":
        return [contentText(part.content), JSON.stringify(part.content), ...part.content.flatMap(of)];
      case "image":
      case "file":
        return [JSON.stringify(part.source)];
      case "opaque":
        return [];
      default:
        return [part.text];
    }
  };
  return [contentText(message.parts), ...message.parts.flatMap(of)];
}

function shownText(messages: readonly Message[]): string {
  return messages.map((message) => JSON.stringify(message.parts)).join("\n");
}

describe.each(Object.entries(PASSES))("%s", (name, pass) => {
  const holds = (property: (transcript: Transcript, context: PassContext) => void): void =>
    fc.assert(
      fc.property(longTranscripts(), everySecond, (transcript, protect) =>
        property(transcript, contextOf(protect, ["retry", "cache"])),
      ),
      { numRuns: RUNS_EACH },
    );

  test("makes no transcript less valid", () =>
    holds(({ messages }, context) => {
      const before = violationCounts(messages);
      for (const [code, count] of violationCounts(pass(messages, context).messages))
        expect(count, code).toBeLessThanOrEqual(before.get(code) ?? 0);
    }));

  test("lets no message grow", () =>
    holds(({ messages }, context) => {
      const result = pass(messages, context);
      result.messages.forEach((message, at) => {
        const from = result.from[at]!;
        if (from >= 0) expect(measure.message(message)).toBeLessThanOrEqual(measure.message(messages[from]!));
      });
    }));

  test("has nothing to do the second time, and then gives back the same messages", () =>
    holds(({ messages }, context) => {
      const once = pass(messages, context);
      const again = pass(once.messages, {
        ...context,
        protect: (index) => once.from[index]! >= 0 && context.protect(once.from[index]!),
      });
      expect(again.messages).toBe(once.messages);
      expect(again.evicted).toEqual([]);
    }));

  test("leaves protected messages as they are, and every message it does not edit", () =>
    holds(({ messages }, context) => {
      const result = pass(messages, context);
      result.messages.forEach((message, at) => {
        const from = result.from[at]!;
        if (from >= 0 && (context.protect(from) || (message.origin === undefined && !UNMARKED.includes(name))))
          expect(message).toBe(messages[from]);
      });
    }));

  test("hands back what it removed, byte for byte, under the id of its content", () =>
    holds(({ messages }, context) => {
      for (const one of pass(messages, context).evicted) {
        expect(originals(messages[one.message]!)).toContain(one.original);
        expect(one.id).toBe(recallId(one.original!, hash));
      }
    }));

  test("shows the id of everything it took out of a message that stays", () =>
    holds(({ messages }, context) => {
      const result = pass(messages, context);
      const shown = shownText(result.messages);
      for (const one of result.evicted) if (result.from.includes(one.message)) expect(shown).toContain(one.id);
    }));

  test("says the same every time, and says where each message came from", () =>
    holds(({ messages }, context) => {
      const result = pass(messages, context);
      expect(pass(messages, context)).toEqual(result);
      expect(result.from).toHaveLength(result.messages.length);
    }));
});
