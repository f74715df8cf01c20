/** What was sent is known by its own links, and what is weighed by the report about its beginning. */
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import type { Estimator } from "../../src/core/engines/contract.ts";
import { createChain } from "../../src/core/transcript/links.ts";
import { createMeasure } from "../../src/core/transcript/measure.ts";
import { textMessage, type Transcript } from "../../src/core/transcript/message.ts";
import { createContextUsage } from "../../src/session/context.ts";

const chain = createChain((text) => createHash("sha256").update(text).digest("hex"));
const estimator: Estimator = { measure: createMeasure(), chain };
const REPORTED_TOKENS = 5_000;

function saying(...texts: readonly string[]): Transcript {
  return { system: [], messages: texts.map((text) => textMessage("user", text)) };
}

it("weighs what follows a reported beginning by the report, and names what is sent instead of what was weighed", () => {
  const usage = createContextUsage();
  const first = saying("fix the build");
  usage.reported(REPORTED_TOKENS, usage.sent(first, { estimator, isNew: true }));
  const longer = { ...first, messages: [...first.messages, textMessage("user", "and the tests")] };
  const added = estimator.measure.messages(longer.messages.slice(1));
  expect(usage.tokensOf(longer, estimator)).toBe(REPORTED_TOKENS + added);
  const other = saying("something else", "was sent");
  expect(usage.sent(other, { estimator, isNew: true }).link).toBe(chain.linksOf(other.messages).at(-1));
  expect(usage.tokensOf(other, estimator)).toBe(estimator.measure.transcript(other));
});
