/**
 * What the gateway's transport adds to a call, and what memory it takes: the same calls side by side, directly and through
 * a handle that does nothing. Three processes: this one asks, one answers, one is between.
 *
 *     node bench/transport.ts [rounds]
 */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Pool } from "undici";
import type { RequestHandler } from "../src/gateway/contract.ts";
import { GATEWAY_LIMITS } from "../src/gateway/limits.ts";
import { backwardHeaders, onwardHeaders } from "../src/gateway/transport/headers.ts";
import { receiveBody } from "../src/gateway/transport/request-body.ts";
import { listen } from "../src/gateway/transport/listen.ts";
import { createSender } from "../src/gateway/transport/send.ts";
import { createUpstreams } from "../src/gateway/transport/upstreams.ts";

const KB = 1024;
const ROUNDS = 1_000;
const MEMORY_REQUESTS = 10_000;
const MEMORY_EVERY = 2_000;

type Case = "4 KB" | "400 KB" | "first byte";
const BODY_BYTES: Readonly<Record<Case, number>> = { "4 KB": 4 * KB, "400 KB": 400 * KB, "first byte": 4 * KB };

/** Answers with as many bytes as it got, or, asked for a stream, with one event and its end some time later. */
async function answering(): Promise<void> {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    let bytes = 0;
    request.on("data", (chunk: Buffer) => (bytes += chunk.length));
    request.on("end", () => {
      if (request.url !== "/v1/stream") return void response.end(Buffer.alloc(bytes, "a"));
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('data: {"choices":[]}\n\n');
      setTimeout(() => response.end("data: [DONE]\n\n"), 1);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  process.send?.({ port: (server.address() as AddressInfo).port });
}

async function between(port: string): Promise<void> {
  const upstreams = createUpstreams({ upstream: { url: `http://127.0.0.1:${port}` } });
  const sender = createSender(GATEWAY_LIMITS);
  const handle: RequestHandler = async (arrival) => {
    const to = upstreams.pick(arrival);
    if ("refused" in to) return to.refused;
    const intake = await receiveBody(arrival, GATEWAY_LIMITS);
    if ("refused" in intake) return intake.refused;
    const headers = onwardHeaders(arrival.headers, "same");
    const { method, signal } = arrival;
    const {
      status,
      headers: came,
      body,
    } = await sender.send({ to, tenant: "", method, headers, body: intake.raw, signal });
    return { status, headers: backwardHeaders(came), body };
  };
  const listening = await listen(handle);
  process.send?.({ port: listening.port });
}

/** Milliseconds until the whole body is here, or its first byte. */
async function ask(pool: Pool, which: Case, body: Buffer): Promise<number> {
  const started = performance.now();
  const path = which === "first byte" ? "/v1/stream" : "/v1/chat/completions";
  const headers = { "content-type": "application/json", authorization: "Bearer sk-none", "user-agent": "bench" };
  const answer = await pool.request({ path, method: "POST", headers, body });
  let firstMs: number | undefined;
  for await (const _ of answer.body) firstMs ??= performance.now() - started;
  return which === "first byte" ? firstMs! : performance.now() - started;
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(sorted.length * share)]!;
}

async function compare(which: Case, direct: Pool, through: Pool, rounds: number): Promise<void> {
  const body = Buffer.alloc(BODY_BYTES[which], "a");
  const times: { direct: number[]; through: number[] } = { direct: [], through: [] };
  for (let round = -rounds / 4; round < rounds; round++) {
    const [near, far] = [await ask(direct, which, body), await ask(through, which, body)];
    if (round < 0) continue;
    times.direct.push(near);
    times.through.push(far);
  }
  const [near, far] = [times.direct, times.through].map((list) => list.toSorted((a, b) => a - b));
  const row = [0.25, 0.5, 0.9].map((share) => {
    const [one, other] = [quantile(near!, share), quantile(far!, share)];
    return `p${share * 100} ${one.toFixed(3)} → ${other.toFixed(3)} (+${(other - one).toFixed(3)})`;
  });
  process.stdout.write(`${which.padEnd(11)} ${row.join("   ")} ms\n`);
}

function residentMb(pid: number): number {
  const pages = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(pages) / KB;
}

async function memory(through: Pool, pid: number): Promise<void> {
  const body = Buffer.alloc(4 * KB, "a");
  const seen: string[] = [residentMb(pid).toFixed(0)];
  for (let sent = 0; sent < MEMORY_REQUESTS; sent += 8) {
    await Promise.all(Array.from({ length: 8 }, () => ask(through, "4 KB", body)));
    if ((sent + 8) % MEMORY_EVERY === 0) seen.push(residentMb(pid).toFixed(0));
  }
  process.stdout.write(`resident, every ${MEMORY_EVERY} requests: ${seen.join(" ")} MB\n`);
}

async function start(...args: string[]): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(import.meta.filename, args);
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  return { child, port };
}

async function main(rounds: number): Promise<void> {
  const far = await start("answering");
  const gateway = await start("between", String(far.port));
  const [direct, through] = [far, gateway].map(({ port }) => new Pool(`http://127.0.0.1:${port}`));
  for (const which of ["4 KB", "400 KB", "first byte"] as const) await compare(which, direct!, through!, rounds);
  await memory(through!, gateway.child.pid!);
  for (const { child } of [far, gateway]) child.kill();
  await Promise.all([direct!.destroy(), through!.destroy()]);
}

const [role, value] = process.argv.slice(2);
if (role === "answering") await answering();
else if (role === "between") await between(value!);
else await main(Number(role ?? ROUNDS));
