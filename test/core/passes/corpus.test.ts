/** The passes over real transcripts: what generated ones promise must hold there too, and the digests must pay. */
import { expect, test } from "vitest";
import { digestResults } from "../../../src/core/passes/digest-results.ts";
import type { Pass } from "../../../src/core/passes/pass.ts";
import { repairPairs } from "../../../src/core/passes/repair.ts";
import { replaceDuplicatesWhere } from "../../../src/core/passes/replace-duplicates.ts";
import { shrinkArguments } from "../../../src/core/passes/shrink-arguments.ts";
import { recallId } from "../../../src/core/transcript/links.ts";
import { contentText, type Message, type Part } from "../../../src/core/transcript/message.ts";
import { violationsOf } from "../../../src/core/transcript/oracle.ts";
import { spread } from "../../support/cases.ts";
import { corpusFiles, corpusText, describeCorpus } from "../../support/corpus.ts";
import { contextOf, hash, measure } from "./building.ts";

interface ChatMessage {
  readonly role: Message["role"];
  readonly content: string | readonly { readonly text?: string }[] | null;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

function read(file: string): readonly Message[] {
  const parsed = JSON.parse(corpusText(file)) as readonly ChatMessage[] | { readonly messages: readonly ChatMessage[] };
  return (
    Array.isArray(parsed)
      ? (parsed as readonly ChatMessage[])
      : (parsed as { messages: readonly ChatMessage[] }).messages
  ).map(messageOf);
}

function messageOf({ role, content, tool_call_id, tool_calls = [] }: ChatMessage): Message {
  const text = typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n");
  const texts = [{ kind: "text", text } as const];
  if (role === "tool") return { role, parts: [{ kind: "tool-result", callId: tool_call_id ?? "", content: texts }] };
  const calls = tool_calls.map((call): Part => ({
    kind: "tool-call",
    id: call.id,
    name: call.function.name,
    arguments: call.function.arguments,
  }));
  return { role, parts: [...texts, ...calls] };
}

const PASSES: readonly Pass[] = [repairPairs, replaceDuplicatesWhere(() => true), digestResults, shrinkArguments];
/** Digests aim at 150 tokens and may take twice that; estimates of the joined text differ a little. */
const DIGEST_TOKENS_MAX = 310;
/** Large results are most of what an agent's transcript weighs. */
const DIGESTED_SHARE_MAX = 0.2;

describeCorpus("passes over the corpus", () => {
  const weights = { before: 0, after: 0 };

  test.each(spread(corpusFiles("openai")))("%s", (file) => {
    let messages = read(file);
    for (const pass of PASSES) {
      const before = messages;
      const result = pass(before, contextOf());
      messages = result.messages;
      expect(pass(messages, contextOf()).messages).toBe(messages);
      for (const one of result.evicted) expect(one.id).toBe(recallId(one.original!, hash));
      if (pass !== digestResults) continue;
      messages.forEach((message, at) => {
        if (message === before[at]) return;
        weights.before += measure.message(before[at]!);
        weights.after += measure.message(message);
        expect(measure.text(contentText(message.parts))).toBeLessThanOrEqual(DIGEST_TOKENS_MAX);
      });
    }
    const codes = violationsOf({ system: [], messages }).map(({ code }) => code);
    expect(codes).not.toContain("call_without_result");
    expect(codes).not.toContain("result_without_call");
  });

  test("digests take a small part of what they replace", () => {
    expect(weights.after).toBeLessThan(weights.before * DIGESTED_SHARE_MAX);
    expect(weights.before).toBeGreaterThan(0);
  });
});
