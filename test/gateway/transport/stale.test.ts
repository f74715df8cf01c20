/** A provider that closes idle connections: none of them is used after this thread was too busy to see that. */
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { GATEWAY_LIMITS } from "../../../src/gateway/limits.ts";
import { createSender } from "../../../src/gateway/transport/send.ts";
import { createUpstreams } from "../../../src/gateway/transport/upstreams.ts";

const IDLE_MS = 300;

/** Without the hint, as many model servers answer, and in a thread: it closes them while this one is busy. */
const PROVIDER = `
const { parentPort } = require("node:worker_threads");
const server = require("node:net").createServer((socket) => {
  let idle;
  socket.on("error", () => undefined);
  socket.on("data", (chunk) => {
    clearTimeout(idle);
    if (!String(chunk).endsWith("hello")) return;
    socket.write("HTTP/1.1 200 OK\\r\\ncontent-length: 2\\r\\n\\r\\nok");
    idle = setTimeout(() => socket.destroy(), ${IDLE_MS});
  });
});
server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
`;

test("a POST after the thread was busy for longer than its provider keeps an idle connection", async () => {
  const provider = new Worker(PROVIDER, { eval: true });
  const port = await new Promise<number>((resolve) => provider.once("message", resolve));
  const sender = createSender(GATEWAY_LIMITS);
  onTestFinished(async () => {
    await sender.close();
    await provider.terminate();
  });
  const { signal } = new AbortController();
  const to = createUpstreams({ upstream: { url: `http://127.0.0.1:${port}` } }).pick({
    target: "/v1/x",
    headers: [],
  } as never);
  if ("refused" in to) throw new Error("there is no upstream");
  const send = async (): Promise<string> => {
    const headers = [["content-length", "5"]] as const;
    const answer = await sender.send({ to, tenant: "", method: "POST", headers, body: Buffer.from("hello"), signal });
    let text = "";
    for await (const chunk of answer.body) text += String(Buffer.from(chunk));
    return text;
  };
  for (let round = 0; round < 3; round++) {
    expect(await send()).toBe("ok");
    const until = performance.now() + IDLE_MS * 3;
    while (performance.now() < until);
    expect(await send()).toBe("ok");
  }
});
