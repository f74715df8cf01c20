/**
 * What a person is told where something is poorer than it should be, in each protocol: an engine that rests, a model that
 * failed and is left alone, a handoff that code wrote in its place; each with what can be done about it.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textMessage } from "../../src/core/transcript/message.ts";
import type { GatewayEvent, NoticeEvent } from "../../src/gateway/contract.ts";
import { createHistory } from "../../src/gateway/history/history.ts";
import { createTally, type Totals } from "../../src/gateway/operation/tally.ts";
import type { ProtocolName } from "../../src/core/protocols.ts";
import { filler } from "../support/compacting.ts";
import { fail, startEndpoint, type ScriptedEndpoint } from "../support/scripted-endpoint.ts";
import { writerAt } from "../support/writers.ts";
import { ask, bodyOf, PROTOCOLS, worked } from "./support/asking.ts";
import { stand, TENANT } from "./support/standing.ts";

const WINDOW_TOKENS = 30_000;

const notices = (events: readonly GatewayEvent[], code: NoticeEvent["code"]): readonly string[] =>
  events.flatMap((event) => (event.kind === "notice" && event.code === code ? [event.message] : []));

/** No thinking that is bound to what comes before it. */
const modelOf = (protocol: ProtocolName) => (protocol === "anthropic-messages" ? { model: "claude-sonnet-4-5" } : {});

function noticesCounted(events: readonly GatewayEvent[]): Totals["notices"] {
  const tally = createTally();
  for (const event of events) tally.onEvent(event);
  return tally.totals().notices;
}

let writer: ScriptedEndpoint;
beforeAll(async () => {
  writer = await startEndpoint({ script: fail("insufficient-quota") });
});
afterAll(() => writer.close());

describe.each(PROTOCOLS)("%s", (protocol) => {
  it("tells of a model that failed, until when it is left alone and what to do, and of the handoff that code wrote", async () => {
    const { url, events, gateway, store } = await stand({
      provider: { every: { windowTokens: WINDOW_TOKENS }, script: { text: "Read." } },
      gateway: { contextLength: WINDOW_TOKENS, writers: { auxiliary: writerAt(writer, "small-1") } },
    });
    for (let steps = 8; steps < 20 && notices(events, "degraded").length === 0; steps++) {
      await ask(url, { protocol, body: bodyOf(protocol, worked("alpha", steps), modelOf(protocol)) });
      await gateway.settled();
    }
    expect(notices(events, "model_resting")).toEqual([
      "the auxiliary model small-1 failed (quota) and is not asked for 60 minutes: check the credit or the quota of its account",
    ]);
    expect(notices(events, "degraded")).toEqual([
      expect.stringMatching(/small-1 failed \(quota\).*; the handoff was written by code: no model wrote it$/),
    ]);
    expect(noticesCounted(events)).toMatchObject({
      model_resting: { message: expect.stringContaining("small-1 failed (quota)") as string },
      degraded: { message: expect.stringContaining("a compaction is poorer than it should be") as string },
    });
    const [session] = await createHistory({ store, contextLength: WINDOW_TOKENS }).list(TENANT, 1);
    expect(session?.resting).toMatchObject([{ model: "small-1", class: "quota" }]);
  });

  it("tells once that no compaction frees enough, and what to do", async () => {
    const { url, events, gateway, store } = await stand({
      provider: { every: { windowTokens: WINDOW_TOKENS }, script: { text: "Read." } },
      gateway: { contextLength: WINDOW_TOKENS },
    });
    const system = [textMessage("system", filler(23_000, "rules"))];
    for (let steps = 1; steps < 9 && notices(events, "backed_off").length === 0; steps++) {
      const transcript = { ...worked("alpha", steps, 120), system };
      const { status } = await ask(url, { protocol, body: bodyOf(protocol, transcript, modelOf(protocol)) });
      expect(status).toBe(200);
      await gateway.settled();
    }
    const advice = "Use fewer tools, a client with tool search, or a model with a larger window";
    expect(notices(events, "backed_off")).toEqual([expect.stringContaining(advice)]);
    expect(noticesCounted(events).backed_off?.message).toContain(advice);
    const [session] = await createHistory({ store, contextLength: WINDOW_TOKENS }).list(TENANT, 1);
    expect(session?.timing?.postponed).toMatchObject({
      by: "back_off",
      because: expect.stringContaining(advice) as string,
    });
  });
});
