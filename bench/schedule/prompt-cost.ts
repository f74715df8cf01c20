/** What a session's requests cost at a provider with Anthropic's prompt cache: read, written and fresh tokens at their prices. */
import { hash } from "node:crypto";
import { dollars } from "../../provider/src/account.ts";
import { cacheEntries } from "../../provider/src/caches/entries.ts";
import { consultMarked } from "../../provider/src/caches/marked.ts";
import type { Block, TokenUse } from "../../provider/src/contract.ts";
import { LIMITS } from "../../provider/src/limits.ts";
import { createModelBook } from "../../provider/src/traits.ts";
import { calibrated, createMeasure, type Measure } from "../../src/core/transcript/measure.ts";
import type { Message, Transcript } from "../../src/core/transcript/message.ts";
import { createRegistry, lookUp } from "../../src/models/index.ts";
import { initialFactor } from "../../src/session/state.ts";

export const MODEL = "claude-sonnet-4-5";
/** This model's tokens for one of our estimator's. */
export const TOKEN_FACTOR = initialFactor(MODEL);
export const FACTS = lookUp(createRegistry(), MODEL)!;
/** Messages of the head that a compaction leaves as they are. */
const HEAD_MESSAGES = 3;

/** In the model's tokens. */
export const modelMeasure = (): Measure => calibrated(createMeasure(), TOKEN_FACTOR);

export interface PromptCost {
  /** What the provider reports for a request that is sent now. */
  readonly ask: (request: Transcript, atMs: number) => TokenUse;
  readonly answered: (use: TokenUse, outputTokens: number) => void;
  readonly usd: () => number;
}

export function createPromptCost(measure: Measure): PromptCost {
  const entries = cacheEntries(LIMITS.cacheEntries);
  const traits = createModelBook({}).find(MODEL)!;
  const { blockOf } = createBlocks(measure);
  let usd = 0;
  return {
    ask: ({ system, tools, messages }, atMs) => {
      const declared =
        tools === undefined ? [] : [{ section: "tools" as const, text: tools, tokens: measure.text(tools) }];
      const said = messages.map((message) => blockOf(message, "messages"));
      const handoff = messages.findIndex(({ origin }) => origin === "summary");
      const marked = new Set([(handoff < 0 ? HEAD_MESSAGES : handoff) - 1, said.length - 1]);
      const blocks = [
        ...declared,
        ...withMarkers(
          system.map((message) => blockOf(message, "system")),
          new Set([system.length - 1]),
        ),
        ...withMarkers(said, marked),
      ];
      const inputTokens = blocks.reduce((sum, { tokens }) => sum + tokens, 0);
      const prompt = { blocks, messageSettings: "", inputTokens, maxOutputTokens: undefined };
      const { use, commit } = consultMarked({ entries, scope: "", prompt, traits, nowMs: atMs });
      commit();
      return { inputTokens, ...use };
    },
    answered: (use, outputTokens) =>
      void (usd += dollars(use, outputTokens, { prices: FACTS.prices!, cache: "marked" })),
    usd: () => usd,
  };
}

function withMarkers(blocks: readonly Block[], at: ReadonlySet<number>): readonly Block[] {
  return blocks.map((block, index) => (at.has(index) ? { ...block, marker: "5m" } : block));
}

/** A history comes back with every request: each of its messages is read once. */
function createBlocks(measure: Measure) {
  const known = new WeakMap<Message, Block>();
  const blockOf = (message: Message, section: Block["section"]): Block => {
    const block = known.get(message) ?? {
      section,
      text: hash("sha256", `${message.role} ${JSON.stringify(message.parts)}`),
      tokens: measure.message(message),
      ends: true as const,
    };
    known.set(message, block);
    return block;
  };
  return { blockOf };
}
