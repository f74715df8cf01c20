/** `precis doctor` says whom it is going to call before it calls, and calls nobody else. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { run } from "../../src/cli/main.ts";
import type { Stream } from "../../src/cli/screen/terminal.ts";
import { temporaryFolder } from "./precis.ts";

describe("precis doctor", () => {
  it.each([
    [[], true],
    [["--offline"], false],
  ])("%j names its upstreams before the first request", async (words, calls) => {
    const folder = temporaryFolder();
    const happened: string[] = [];
    const server = createServer((_, response) => {
      happened.push("called");
      response.writeHead(401).end("{}");
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    folder.write("mine.yaml", `gateway:\n  port: 1\n  upstreams:\n    house: { url: "${url}", protocol: openai }\n`);
    const stream = (name: string): Stream => ({
      write: async (text) => void happened.push(`${name}: ${text}`),
      put: async (text) => void happened.push(`${name}: ${text}`),
      say: async (text) => void happened.push(`${name}: ${text}`),
      fit: (text) => text,
      shown: (text) => text,
      paint: (_, text) => text,
      columns: 100,
      interactive: false,
    });
    await run(["doctor", "--config", "mine.yaml", ...words], {
      out: stream("out"),
      err: stream("err"),
      readStandardInput: async () => new Uint8Array(),
      environment: { HOME: folder.path },
      folder: folder.path,
      platform: process.platform,
    });
    server.closeAllConnections();
    server.close();
    folder.remove();
    const told = happened.findIndex((one) => one.startsWith(`err: Asking ${url}`));
    const called = happened.indexOf("called");
    expect([told >= 0, called >= 0]).toEqual([calls, calls]);
    if (calls) expect(told).toBeLessThan(called);
  });
});
