/**
 * When the gateway compacts by each schedule, in each protocol, and where an operator reads the figure in force and why a
 * compaction that is due waits: in notices, the log, the kept sessions and the totals.
 */
import { describe, expect, it } from "vitest";
import type { Schedule } from "../../src/core/caching/schedule.ts";
import { createRedactor } from "../../src/core/redaction/redactor.ts";
import type { GatewayEvent, NoticeEvent } from "../../src/gateway/contract.ts";
import { createHistory } from "../../src/gateway/history/history.ts";
import { createLog } from "../../src/gateway/operation/log.ts";
import { createTally } from "../../src/gateway/operation/tally.ts";
import type { ProtocolName } from "../../src/core/protocols.ts";
import { ask, bodyOf, MAX_OUTPUT_TOKENS, PROTOCOLS, worked } from "./support/asking.ts";
import { upstreamOf } from "./support/upstream.ts";
import { front, stand, TENANT, type Standing as Stood } from "./support/standing.ts";
import { spread } from "../support/cases.ts";

const WINDOW_TOKENS = 30_000;
const USABLE_TOKENS = WINDOW_TOKENS - MAX_OUTPUT_TOKENS;
const THRESHOLD = WINDOW_TOKENS / 2;
/** Where the provider reports how full the window is. */
const LATEST = Math.floor(USABLE_TOKENS * 0.95);
/** Of some 1,200 tokens, or 1,500 of Claude's: nothing can begin closer to a figure. */
const STEP_TOKENS_MAX = 2_000;

const notices = (events: readonly GatewayEvent[], code: NoticeEvent["code"]) =>
  events.flatMap((event) => (event.kind === "notice" && event.code === code ? [event.message] : []));
const compactions = (events: readonly GatewayEvent[]) =>
  events.flatMap((event) => (event.kind === "compaction" ? [event] : []));

/** No thinking that is bound to what comes before it. */
const modelOf = (protocol: ProtocolName) => (protocol === "anthropic-messages" ? { model: "claude-sonnet-4-5" } : {});

type Standing = Pick<Stood, "url" | "store" | "events" | "gateway">;

async function standing(schedule: Schedule): Promise<Standing> {
  return stand({
    provider: { every: { windowTokens: WINDOW_TOKENS }, script: { text: "Read." } },
    gateway: { contextLength: WINDOW_TOKENS, caching: { schedule } },
  });
}

/** An agent's requests, one step longer each, until something was told. */
async function work(
  { url, gateway, events }: Standing,
  protocol: ProtocolName,
  kind: (event: GatewayEvent) => boolean,
  more: object = {},
) {
  for (let steps = 1; steps < 40 && !events.some(kind); steps++) {
    const body = bodyOf(protocol, worked("alpha", steps), { ...modelOf(protocol), ...more });
    const { status, text } = await ask(url, { protocol, body });
    expect([status, text]).toEqual([200, expect.stringContaining("Read.")]);
    await gateway.settled();
  }
}

const isCompaction = ({ kind }: GatewayEvent): boolean => kind === "compaction";
const isPostponed = (event: GatewayEvent): boolean => event.kind === "notice" && event.code === "postponed";

async function operatorOf({ store, events }: Standing) {
  const lines: string[] = [];
  const log = createLog({ write: (line) => void lines.push(line), redact: createRedactor() });
  const tally = createTally();
  for (const event of events) for (const each of [log, tally]) each.onEvent(event);
  const [session] = await createHistory({ store, contextLength: WINDOW_TOKENS }).list(TENANT, 1);
  return { session, log: lines.join(""), timing: Object.values(tally.totals().timing) };
}

describe.each(spread(PROTOCOLS, 2))("%s", (protocol) => {
  it("by threshold compacts at the threshold, and says from where on everywhere", async () => {
    const all = await standing("threshold");
    await work(all, protocol, isCompaction);
    const [made] = compactions(all.events);
    expect(made).toMatchObject({ reason: "threshold", because: undefined });
    expect(made!.dueTokens).toBeGreaterThanOrEqual(THRESHOLD);
    expect(made!.dueTokens).toBeLessThan(THRESHOLD + STEP_TOKENS_MAX);
    expect(notices(all.events, "pressure")).toEqual([expect.stringMatching(/ and is compacted at 15,000$/)]);
    expect(notices(all.events, "postponed")).toEqual([]);
    const { session, log, timing } = await operatorOf(all);
    expect(session?.timing).toEqual({ thresholdTokens: THRESHOLD, compactsAtTokens: THRESHOLD });
    expect(log).toContain('"timing":{"thresholdTokens":15000,"compactsAtTokens":15000}');
    expect(timing).toMatchObject([{ thresholdTokens: THRESHOLD, compactsAtTokens: THRESHOLD, postponed: {} }]);
  });

  it.each(["auto", "cost"] as const)(
    "by %s may wait, says until where and why everywhere, and compacts there at the latest",
    async (schedule) => {
      const all = await standing(schedule);
      await work(all, protocol, isPostponed);
      const { session, log, timing } = await operatorOf(all);
      expect(session?.timing).toMatchObject({
        thresholdTokens: THRESHOLD,
        compactsAtTokens: LATEST,
        postponed: { by: "prices", because: expect.stringMatching(/^a rewrite costs /) as string },
      });
      expect(log).toContain('"compactsAtTokens":28025,"postponed":"prices"');
      expect(timing).toMatchObject([
        { thresholdTokens: THRESHOLD, compactsAtTokens: LATEST, postponed: { prices: 1 } },
      ]);
      expect(notices(all.events, "pressure")).toEqual([
        expect.stringMatching(
          /is compacted when its price is justified, at 28,025 at the latest; its threshold is 15,000$/,
        ),
      ]);
      await work(all, protocol, isCompaction);
      const [made] = compactions(all.events);
      expect(made!.dueTokens).toBeGreaterThan(THRESHOLD + STEP_TOKENS_MAX);
      expect(made!.dueTokens).toBeLessThan(LATEST + STEP_TOKENS_MAX);
      // It is told once, however many requests it waits for.
      expect(notices(all.events, "postponed")).toEqual([
        expect.stringMatching(
          /above its threshold of 15,000, and is compacted at 28,025 at the latest: a rewrite costs /,
        ),
      ]);
    },
  );

  it.each(["auto", "cost"] as const)(
    "by %s waits no longer where its provider reports that nothing was read from a cache",
    async (schedule) => {
      const { url: upstream } = await upstreamOf((_, { body }) => ({ pieces: [answerWithoutCache(protocol, body)] }));
      const gateway = { contextLength: WINDOW_TOKENS, caching: { schedule } };
      const upstreams = { any: { url: upstream, caching: "native" as const } };
      const all = await front(upstream, { ...gateway, upstreams });
      await work(all, protocol, isCompaction);
      const [made] = compactions(all.events);
      expect(made).toMatchObject({ because: expect.stringContaining("read nothing of the last request") as string });
      expect(made!.dueTokens).toBeLessThan(THRESHOLD + STEP_TOKENS_MAX);
    },
  );
});

describe("by auto, where precis sets no markers", () => {
  const pausing = async (more: object): Promise<number> => {
    const all = await stand({
      provider: { every: { windowTokens: WINDOW_TOKENS }, script: { text: "Read." } },
      gateway: { contextLength: WINDOW_TOKENS, caching: { enabled: false, schedule: "auto" } },
    });
    await work(all, "anthropic-messages", isCompaction, more);
    return compactions(all.events)[0]!.dueTokens;
  };

  it("waits if the client has its conversation cached by markers of its own", async () => {
    expect(await pausing({ cache_control: { type: "ephemeral" } })).toBeGreaterThan(THRESHOLD + STEP_TOKENS_MAX);
  });

  it("compacts at the threshold if nobody has it cached, as reading then costs the full price", async () => {
    expect(await pausing({})).toBeLessThan(THRESHOLD + STEP_TOKENS_MAX);
  });
});

/** As a provider answers whose cache holds nothing. */
function answerWithoutCache(protocol: ProtocolName, body: string): string {
  const input = Math.ceil(body.length / 4);
  const answers: Readonly<Record<ProtocolName, object>> = {
    "openai-chat": {
      choices: [{ message: { role: "assistant", content: "Read." } }],
      usage: { prompt_tokens: input, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 0 } },
    },
    "openai-responses": {
      output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Read." }] }],
      usage: { input_tokens: input, output_tokens: 2, input_tokens_details: { cached_tokens: 0 } },
    },
    "anthropic-messages": {
      content: [{ type: "text", text: "Read." }],
      usage: { input_tokens: 0, output_tokens: 2, cache_read_input_tokens: 0, cache_creation_input_tokens: input },
    },
    "google-gemini": {
      candidates: [{ content: { role: "model", parts: [{ text: "Read." }] } }],
      usageMetadata: { promptTokenCount: input, candidatesTokenCount: 2 },
    },
  };
  return JSON.stringify(answers[protocol]);
}
