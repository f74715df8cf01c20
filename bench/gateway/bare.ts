/**
 * The least that a proxy in Node can do: `node bare.ts UPSTREAM` prints its address, and pipes every request and answer
 * without looking at either. What it adds is the price of one more process on the way; the rest is the gateway's own.
 */
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream";

const [, , upstream = ""] = process.argv;
const agent = new Agent({ keepAlive: true });

const server = createServer((incoming, outgoing) => {
  const { method, headers, url = "/" } = incoming;
  const onward = request(new URL(url, upstream), { method, headers, agent }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
    pipeline(answer, outgoing, () => undefined);
  });
  pipeline(incoming, onward, () => undefined);
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
