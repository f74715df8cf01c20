/** What the recall tool costs, by the strict provider's account: its definition in every request, and each call. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Answer, ScriptedRequest } from "../../../provider/src/answers.ts";
import type { KeyAccount } from "../../../provider/src/account.ts";
import { RECALL_TOOL } from "../../../src/session/recall/answer.ts";
import { SDK_PROTOCOLS, type SdkProtocol } from "./support/sdk-protocols.ts";
import { stand } from "../support/standing.ts";
import { agentOf } from "./support/agents.ts";
import { longSession, recallCall, WINDOW_TOKENS } from "./support/scene.ts";

/** What docs/recall.md says of the definition, in tokens. */
const DEFINITION_TOKENS = 220;
/** What a session whose requests have about 7,000 to 9,000 tokens costs more with it. */
const DEARER_SHARE = 0.035;
/** So few that neither session is compacted again: a compaction would be billed to the calls. */
const ROUNDS = 50;
const PAGE = "a page of nothing much, ".repeat(20);
const EVERY = {
  windowTokens: 2 * WINDOW_TOKENS,
  cacheMinimumTokens: 100,
  prices: { inputUsdPerMtok: 3, outputUsdPerMtok: 15 },
};

interface Lived {
  readonly total: KeyAccount;
  readonly firstTokens: number;
  readonly bodies: readonly string[];
}

/** One session after its first compaction, by rounds of a page each. */
async function live(
  protocol: SdkProtocol,
  offer: "on" | "off",
  script: (asked: ScriptedRequest) => Answer,
): Promise<Lived> {
  const { provider, url } = await stand({
    provider: { every: EVERY, script },
    gateway: { contextLength: WINDOW_TOKENS * 2, recall: { offer } },
  });
  const agent = agentOf({ url, protocol, history: longSession(), stream: true });
  for (let round = 0; round < ROUNDS; round++) {
    agent.says(`Round ${round}. ${PAGE}`);
    await agent.ask();
  }
  const { total } = provider.account();
  expect(total.rejected).toEqual({});
  const firstTokens = provider.requests[0]!.use!.inputTokens;
  return { total, firstTokens, bodies: provider.requests.map(({ body }) => body) };
}

/** Input tokens that no cache had. */
const unread = ({ total: { tokens } }: Lived): number => tokens.input - tokens.cacheRead;

const says = (): Answer => ({ text: "Read it." });

describe.each(SDK_PROTOCOLS)("%s", (protocol) => {
  it("bills the definition once a request, read from the cache, and little more", async () => {
    const [off, on] = [await live(protocol, "off", says), await live(protocol, "on", says)];
    expect(on.bodies.every((body) => body.includes(RECALL_TOOL))).toBe(true);
    expect(off.bodies.some((body) => body.includes(RECALL_TOOL))).toBe(false);
    const definition = on.firstTokens - off.firstTokens;
    expect(definition).toBeGreaterThan(0);
    expect(definition).toBeLessThanOrEqual(DEFINITION_TOKENS);
    expect(on.total.tokens.input - off.total.tokens.input).toBe(definition * ROUNDS);
    // Written with the first request, read with all others.
    expect(unread(on) - unread(off)).toBeLessThanOrEqual(definition * 2);
    expect(on.total.usd / off.total.usd - 1).toBeLessThan(DEARER_SHARE);
  });

  it("bills a call as one more request that is read from the cache", async () => {
    let asked = 0;
    const recalling = (): Answer =>
      asked++ % 10 === 5 ? { calls: [recallCall("harbour keeper")] } : { text: "Read it." };
    const [quiet, calling] = [await live(protocol, "on", says), await live(protocol, "on", recalling)];
    const calls = calling.total.requests - quiet.total.requests;
    expect(calls).toBeGreaterThanOrEqual(ROUNDS / 10);
    const dearer = (calling.total.usd - quiet.total.usd) / calls;
    // What it brings back, up to 4,000 tokens, is written to the cache once.
    expect(dearer).toBeLessThan((2.5 * quiet.total.usd) / ROUNDS);
  });
});

it("is documented as it is measured", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/recall.md"), "utf8");
  expect(page).toContain(`at most ${DEFINITION_TOKENS} tokens`);
  expect(page).toContain(`below ${(DEARER_SHARE * 100).toFixed(1)} %`);
});
