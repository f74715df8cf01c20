/** Metrics, tally and log on a real gateway in front of the strict provider: what happened is what they say. */
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/core/redaction/redactor.ts";
import { createGateway, type GatewayOptions } from "../../../src/gateway/index.ts";
import { createLog } from "../../../src/gateway/operation/log.ts";
import { createMetrics } from "../../../src/gateway/operation/metrics.ts";
import { createTally } from "../../../src/gateway/operation/tally.ts";
import { createProvider, type ProviderOptions } from "../../../provider/src/provider.ts";

const KEY = "the-key-of-a-client-4711";
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function watched(provider: ProviderOptions, options: GatewayOptions = {}) {
  const upstream = await createProvider(provider).listen();
  const tally = createTally();
  const lines: string[] = [];
  const log = createLog({ write: (line) => void lines.push(line), redact: createRedactor() });
  const metrics = createMetrics({
    upstreams: ["behind", "gone"],
    inFlight: () => gateway.underWay(),
    processMetrics: false,
  });
  const gateway = createGateway({
    upstreams: { behind: { url: upstream.url }, gone: { url: "http://127.0.0.1:9" } },
    ...options,
    onEvent: (event) => [tally.onEvent, metrics.onEvent, log.onEvent].forEach((onEvent) => onEvent(event)),
  });
  const { url, close } = await gateway.listen();
  ends.push(upstream.close, gateway.close, close);
  const ask = (body: object, path = "/v1/chat/completions"): Promise<Response> =>
    fetch(`${url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}` },
      body: JSON.stringify({ model: "gpt-5.4", messages: [{ role: "user", content: "the words" }], ...body }),
    });
  const metric = async (name: string): Promise<string | undefined> =>
    (await metrics.text()).split("\n").find((line) => line.startsWith(name));
  return { url, ask, metric, tally, lines, gateway };
}

describe("what is told of a real gateway", () => {
  it("is each request once, with what its provider reported, and no word or key of it", async () => {
    const { ask, metric, tally, lines } = await watched({ script: { text: "an answer" } });
    const whole = (await (await ask({})).json()) as { usage: { prompt_tokens: number; completion_tokens: number } };
    await (await ask({ stream: true, stream_options: { include_usage: true } })).text();
    await (await ask({ model: "nothing-of-that-name" })).text();
    expect(tally.totals()).toMatchObject({
      requests: 3,
      outcomes: { answered: 2, refused: 1 },
      treatments: { unchanged: 3 },
      usage: { input: 2 * whole.usage.prompt_tokens, output: 2 * whole.usage.completion_tokens },
    });
    expect(await metric('precis_requests_total{route="chat_completions",upstream="behind",status="404"')).toMatch(
      / 1$/,
    );
    expect(lines.map((line) => (JSON.parse(line) as { streamed: boolean }).streamed)).toEqual([false, true, false]);
    expect(lines.join("")).not.toMatch(/the words|an answer|4711/);
  });

  it("is what is under way, and that a client left", async () => {
    const { url, metric, tally, gateway } = await watched({ pace: 5, script: { text: "word ".repeat(100) } });
    const leaving = new AbortController();
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}` },
      body: JSON.stringify({ model: "gpt-5.4", stream: true, messages: [{ role: "user", content: "x" }] }),
      signal: leaving.signal,
    });
    await answer.body!.getReader().read();
    expect(await metric("precis_in_flight")).toBe("precis_in_flight 1");
    leaving.abort();
    await expect.poll(() => gateway.underWay()).toBe(0);
    expect(tally.totals().outcomes).toMatchObject({ aborted: 1, answered: 0 });
  });

  it("is whose failure one was, with the status that the client got", async () => {
    const { ask, tally, lines } = await watched({}, { limits: { bodyBytes: 2_000 } });
    const gone = await ask({}, "/upstreams/gone/v1/chat/completions");
    const large = await ask({ user: "x".repeat(3_000) });
    const nowhere = await ask({}, "/upstreams/nowhere/v1/chat/completions");
    expect([gone.status, large.status, nowhere.status]).toEqual([502, 413, 404]);
    expect(tally.totals().outcomes).toMatchObject({ upstream_failed: 1, turned_away: 2 });
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ status: 502, outcome: "upstream_failed", level: "warn" }) as object,
      expect.objectContaining({ status: 413, outcome: "turned_away", level: "info" }) as object,
      expect.objectContaining({ status: 404, outcome: "turned_away" }) as object,
    ]);
  });

  it("is an answer that broke off", async () => {
    const breaking = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: {}\n\n", () => response.destroy());
    }).listen(0, "127.0.0.1");
    await once(breaking, "listening");
    ends.push(async () => breaking.close());
    const url = `http://127.0.0.1:${(breaking.address() as AddressInfo).port}`;
    const { ask, tally } = await watched({}, { upstreams: { behind: { url } } });
    await expect(ask({ stream: true }).then((answer) => answer.text())).rejects.toThrow("terminated");
    await expect.poll(() => tally.totals().outcomes.upstream_failed).toBe(1);
  });
});
