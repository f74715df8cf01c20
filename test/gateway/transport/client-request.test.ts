/** What the gateway counts of bodies under way. */
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Load } from "../../../src/gateway/contract.ts";
import { clientRequestOf, createLoad } from "../../../src/gateway/transport/client.ts";

const BODIES_BYTES = 3_000;

function hasRoomFor(load: Load, bytes: number): boolean {
  const has = load.take(bytes);
  if (has) load.release(bytes);
  return has;
}

test("a body that is refused frees its share at once, though its answer is still to come", async () => {
  const load = createLoad({ bodiesBytes: BODIES_BYTES });
  const refused = Promise.withResolvers<unknown>();
  const server = createServer((request, response) => {
    const options = { load, bodyBytes: 100_000, expectsContinue: false };
    const read = async (): Promise<void> => {
      for await (const _ of clientRequestOf(request, response, options).body!);
    };
    read().then(() => refused.resolve(undefined), refused.resolve);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  socket.write("POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 8000\r\n\r\n");
  socket.write(Buffer.alloc(1_000));
  // In two pieces: what came before the refusal is what must be given back.
  await expect.poll(() => hasRoomFor(load, BODIES_BYTES - 999)).toBe(false);
  socket.write(Buffer.alloc(7_000));
  expect(await refused.promise).toMatchObject({ code: "gateway_busy" });
  expect(hasRoomFor(load, BODIES_BYTES)).toBe(true);
});
