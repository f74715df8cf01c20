/** Compressed bodies that grow: few are decompressed at once, in turn by tenant, and what they grow to is counted. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { request } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { createGateway } from "../../src/gateway/index.ts";
import { createUnfolding } from "../../src/gateway/request/unfolding.ts";

const MB = 1024 * 1024;

test("a gateway that is full of what came out of compressed bodies asks to come again, and has room afterwards", async () => {
  const answered = Promise.withResolvers<void>();
  let arrived = 0;
  const upstream = createServer((incoming, response) => {
    incoming.resume().on("end", async () => {
      arrived++;
      await answered.promise;
      response.end("{}");
    });
  });
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const gateway = createGateway({ upstreams: { upstream: { url } }, limits: { bodiesBytes: 3 * MB } });
  const listening = await gateway.listen();
  onTestFinished(async () => {
    upstream.closeAllConnections();
    await listening.close();
    await gateway.close();
    upstream.close();
  });
  const words = Array.from({ length: 280_000 }, (_, at) => (at * 7_919) % 99_991).join(" ");
  const body = gzipSync(Buffer.from(JSON.stringify({ model: "m", messages: [{ role: "user", content: words }] })));
  const headers = { "content-type": "application/json", "content-encoding": "gzip", authorization: "Bearer k" };
  const send = () => request(`${listening.url}/v1/messages`, { method: "POST", headers, body });
  const first = send();
  await expect.poll(() => arrived, { timeout: 10_000 }).toBe(1);
  const second = await send();
  expect(second.statusCode).toBe(503);
  expect(Number(second.headers["retry-after"])).toBeGreaterThan(0);
  expect(await second.body.json()).toMatchObject({
    error: { message: expect.stringContaining("limit of request bodies") },
  });
  answered.resolve();
  expect((await first).statusCode).toBe(200);
  await (await first).body.dump();
  await expect.poll(async () => (await send()).statusCode, { timeout: 5_000 }).toBe(200);
});

test("few are decompressed at once, and another tenant does not wait for all of one tenant's", async () => {
  const unfolding = createUnfolding({ unfolding: 4, unfoldingWaitMs: 5_000 });
  const { signal } = new AbortController();
  let [busy, most] = [0, 0];
  const order: string[] = [];
  const work = (tenant: string) =>
    unfolding(
      tenant,
      signal,
    )(async () => {
      most = Math.max(most, ++busy);
      await new Promise((resolve) => setTimeout(resolve, 5));
      busy--;
      order.push(tenant);
    });
  await Promise.all([...Array.from({ length: 20 }, () => work("many")), work("one")]);
  expect(most).toBeLessThanOrEqual(4);
  expect(order.indexOf("one")).toBeLessThan(6);
});

test("one whose turn does not come is asked to come again", async () => {
  const inTurn = createUnfolding({ unfolding: 1, unfoldingWaitMs: 20 })("one", new AbortController().signal);
  const ended = Promise.withResolvers<void>();
  const first = inTurn(() => ended.promise);
  await expect(inTurn(() => Promise.resolve())).rejects.toMatchObject({ code: "gateway_busy" });
  ended.resolve();
  await first;
});
