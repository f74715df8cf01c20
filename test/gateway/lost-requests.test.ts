/** Requests of the user that a compaction has no room for: told wherever an operator or a client looks, or kept where that is wanted. */
import { describe, expect, it } from "vitest";
import type { CompactionEvent } from "../../src/gateway/contract.ts";
import { createLog } from "../../src/gateway/operation/log.ts";
import { createMetrics } from "../../src/gateway/operation/metrics.ts";
import { createTally } from "../../src/gateway/operation/tally.ts";
import { createRedactor } from "../../src/core/redaction/redactor.ts";
import { contentText, type Transcript } from "../../src/core/transcript/message.ts";
import { protocols } from "../../src/protocols/index.ts";
import { filler, ran, says, talk, user } from "../support/compacting.ts";
import { ask, bodyOf, PROTOCOLS } from "./support/asking.ts";
import { stand, type Standing } from "./support/standing.ts";

const WINDOW_TOKENS = 16_000;

/** Forty requests, each of that many tokens, with work between them. */
function wordy(requestTokens: number, resultTokens: number): Transcript {
  const turns = Array.from({ length: 40 }, (_, at) => [
    user(`Request ${at}: ${filler(requestTokens, `wish ${at}`)}`),
    ...ran("read", { path: `src/p${at}.ts` }, filler(resultTokens, `p${at}`), `call_${at}`),
    says("Done."),
  ]);
  return { ...talk(...turns, user("Go on.")), system: [] };
}

const standWith = (settings: object): Promise<Standing> =>
  stand({ gateway: { contextLength: WINDOW_TOKENS, settings } });

/** Every request is in the text of the body, in the words it was said in. */
function requestsIn(body: string, protocol: (typeof PROTOCOLS)[number]): readonly string[] {
  const { messages } = protocols[protocol].decode(body).transcript;
  return messages.filter(({ role }) => role === "user").map(({ parts }) => contentText(parts));
}

describe.each(PROTOCOLS)("requests that do not fit, in %s", (protocol) => {
  it("are told in the header, the log, the metrics and the totals", async () => {
    const { url, events } = await standWith({});
    const transcript = wordy(400, 100);
    for (const more of [[], [says("Gone on."), user("And on.")]]) {
      const body = bodyOf(protocol, { ...transcript, messages: [...transcript.messages, ...more] });
      const answer = await ask(url, { protocol, body });
      expect(answer.status).toBe(200);
      expect(answer.treatment).toMatch(/^rewritten; .*lost_requests=[1-9]\d*/);
    }
    await expect.poll(() => events.filter(({ kind }) => kind === "request").length).toBe(2);
    const compactions = events.filter((event): event is CompactionEvent => event.kind === "compaction");
    const lost = compactions.reduce((sum, { lostRequests }) => sum + lostRequests, 0);
    expect(lost).toBeGreaterThan(0);
    expect(events.find(({ kind }) => kind === "request")).toMatchObject({
      treatment: { lostRequests: compactions[0]!.lostRequests },
    });

    const lines: string[] = [];
    const metrics = createMetrics({ upstreams: [], processMetrics: false });
    const tally = createTally();
    const log = createLog({ write: (line) => void lines.push(line), redact: createRedactor() });
    for (const event of events) for (const { onEvent } of [metrics, tally, log]) onEvent(event);
    const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(logged.find(({ event }) => event === "compaction")).toMatchObject({
      level: "warn",
      lostRequests: compactions[0]!.lostRequests,
    });
    expect(await metrics.text()).toContain(`precis_compaction_lost_requests_total ${lost}\n`);
    expect(tally.totals().lost).toEqual({ compactions: compactions.length, requests: lost });
  });

  it("go on word for word where all are kept", async () => {
    const { url, provider } = await standWith({ keepRequests: "all" });
    const transcript = wordy(20, 500);
    const body = bodyOf(protocol, transcript);
    const answer = await ask(url, { protocol, body });
    expect(answer.status).toBe(200);
    expect(answer.treatment).toMatch(/^rewritten; before=\d+; after=\d+; fresh$/);
    const sent = requestsIn(provider.requests.at(-1)!.body, protocol).join("\n");
    for (const request of requestsIn(body, protocol)) expect(sent).toContain(request);
  });

  it("leave a request as it came where all are to be kept, and the reason is told", async () => {
    const { url, events } = await standWith({ keepRequests: "all" });
    const answer = await ask(url, { protocol, body: bodyOf(protocol, wordy(400, 100)) });
    expect(answer.treatment).toBe("untouched; because=requests_kept");
    expect(events.filter((event) => event.kind === "notice" && event.code === "irreducible")).toMatchObject([
      { code: "irreducible", message: expect.stringContaining("compression.keep_requests") as string },
    ]);
    expect(events.some(({ kind }) => kind === "compaction")).toBe(false);
  });
});
