/** What was sent is known by its own links, and what is weighed by the report about its beginning. */
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import type { Workbench } from "../../src/core/engines/contract.ts";
import { createChain } from "../../src/core/transcript/links.ts";
import { createMeasure } from "../../src/core/transcript/measure.ts";
import { textMessage, type Transcript } from "../../src/core/transcript/message.ts";
import { createSituation } from "../../src/session/situation.ts";

const chain = createChain((text) => createHash("sha256").update(text).digest("hex"));
const bench: Workbench = { measure: createMeasure(), chain };
const REPORTED_TOKENS = 5_000;

function saying(...texts: readonly string[]): Transcript {
  return { system: [], messages: texts.map((text) => textMessage("user", text)) };
}

it("weighs what follows a reported beginning by the report, and names what is sent instead of what was weighed", () => {
  const situation = createSituation();
  const first = saying("fix the build");
  situation.reported(REPORTED_TOKENS, situation.sent(first, bench));
  const longer = { ...first, messages: [...first.messages, textMessage("user", "and the tests")] };
  const added = bench.measure.messages(longer.messages.slice(1));
  expect(situation.tokensOf(longer, bench)).toBe(REPORTED_TOKENS + added);
  const other = saying("something else", "was sent");
  expect(situation.sent(other, bench).link).toBe(chain.linksOf(other.messages).at(-1));
  expect(situation.tokensOf(other, bench)).toBe(bench.measure.transcript(other));
});
