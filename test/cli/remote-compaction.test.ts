/** `precis compact` with the engine `handoff` and the provider's own compaction: used where it is offered, and else done without. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProvider } from "../../provider/src/index.ts";
import { fieldsOf, listOf } from "../../src/protocols/fields.ts";
import { bodyOf, worked } from "../gateway/support/asking.ts";
import { atEnd } from "../gateway/support/standing.ts";
import { precisHere, temporaryFolder, type Folder } from "./precis.ts";

const MODEL = "gpt-5.6-sol";
const STEPS = 40;

let folder: Folder;
beforeAll(() => {
  folder = temporaryFolder();
  folder.write("responses.json", bodyOf("openai-responses", worked("alpha", STEPS), { model: MODEL }));
  folder.write("chat.json", bodyOf("openai-chat", worked("alpha", STEPS)));
});
afterAll(() => folder.remove());

async function provider() {
  const strict = createProvider({ every: { windowTokens: 200_000 }, script: { text: "Done." } });
  const { url, close } = await strict.listen();
  atEnd(close);
  return { strict, url: `${url}/v1` };
}

/** An endpoint that answers the same to everybody, or never. */
async function endpoint(answer: { readonly status: number; readonly body: string } | undefined): Promise<string> {
  const server = createServer((_, response) => {
    if (answer !== undefined) response.writeHead(answer.status).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const KEY = { OPENAI_API_KEY: "sk-own" };
const at = (url: string): readonly string[] => ["--set", "model.provider=openai", "--set", `model.base_url=${url}`];
const ON = ["--engine", "handoff", "--set", "context.remote_compaction=on"];
const compact = (words: readonly string[], environment: Readonly<Record<string, string>> = KEY) =>
  precisHere(["compact", "--force", ...ON, ...words], { folder: folder.path, environment });
const reportOf = (out: string) => fieldsOf(fieldsOf(JSON.parse(out))["report"]);

describe("compact with the provider's own compaction", () => {
  it("puts the provider's item in place of the work, and says what it took", async () => {
    const { strict, url } = await provider();
    const { code, out } = await compact(["responses.json", "--json", ...at(url)]);
    expect(code).toBe(0);
    expect(strict.requests).toMatchObject([
      { path: "/v1/responses/compact", status: 200, key: expect.any(String) as string },
    ]);
    expect(JSON.parse(strict.requests[0]!.body)).toMatchObject({ model: MODEL });
    const report = reportOf(out);
    expect(report).toMatchObject({ degraded: [], modelCalls: 1 });
    expect(report["summary"]).toMatchObject({
      by: "model",
      steps: [{ model: MODEL, role: "provider", outcome: "written", calls: 1 }],
    });
    expect(report["costUsd"]).toBeGreaterThan(0);
  });

  it("names the setting for the key of a server that got none", async () => {
    const { url } = await provider();
    const { code, out } = await compact(["responses.json", "--json", "--set", `model.base_url=${url}`]);
    expect(code).toBe(0);
    expect(reportOf(out)).toMatchObject({
      summary: { by: "ledger" },
      degraded: [expect.stringMatching(/answered 401.*no key was sent: .*model\.api_key_env$/)],
    });
  });

  it("gives a request that the provider takes, with less to read", async () => {
    const { strict, url } = await provider();
    const { code, out, err } = await compact(["responses.json", ...at(url)]);
    expect([code, err]).toEqual([0, expect.stringContaining(`by ${MODEL}, at its provider`)]);
    const body = fieldsOf(JSON.parse(out));
    expect(listOf(body["input"]).map((item) => fieldsOf(item)["type"])).toContain("compaction");
    const response = await fetch(`${url}/responses`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer sk-own" },
      body: out,
    });
    expect(response.status).toBe(200);
    expect(strict.account().total.rejected).toEqual({});
  });

  it("is not used unless it is asked for", async () => {
    const { strict, url } = await provider();
    await compact(["responses.json", ...at(url), "--set", "context.remote_compaction=off"]);
    await compact(["responses.json", ...at(url), "--engine", "compressor"]);
    expect(strict.requests.map(({ path }) => path)).toEqual([]);
  });
});

describe("compact without it", () => {
  const OVERFLOWING = { status: 400, body: '{"error":{"message":"too long","code":"context_length_exceeded"}}' };
  it.each([
    [
      "is refused",
      { status: 401, body: '{"error":{"code":"invalid_api_key"}}' },
      "the provider answered 401 (invalid_api_key)",
    ],
    ["is too long", OVERFLOWING, "the provider answered 400 (context_length_exceeded)"],
    [
      "answers with something else",
      { status: 200, body: '{"output":[]}' },
      "the answer of the provider contains no compaction item",
    ],
    ["is late", undefined, "no answer within 1 s"],
  ])("where it %s: the handoff is written here, and the report says so", async (_, answer, because) => {
    const words = [...at(await endpoint(answer)), "--set", "auxiliary.compression.timeout_seconds=1"];
    const { code, out } = await compact(["responses.json", "--json", ...words]);
    expect(code).toBe(0);
    expect(reportOf(out)["degraded"]).toEqual([expect.stringContaining(because)]);
    expect(out).toContain("[precis handoff 1]");
  });

  it.each([
    ["the key is missing", ["responses.json"], {}, "set the environment variable OPENAI_API_KEY"],
    ["the protocol is another", ["chat.json"], KEY, "the result is openai-chat"],
    [
      "the provider is another",
      ["responses.json", "--set", "model.name=claude-opus-5"],
      KEY,
      "Anthropic does not offer",
    ],
    [
      "nobody knows the model",
      ["responses.json", "--set", "model.name=mine"],
      KEY,
      "the provider of mine is not known",
    ],
  ])("where %s, which a person is told", async (_, words, environment, because) => {
    const { code, err } = await compact(words, environment);
    expect([code, err.replace(/\s+/g, " ")]).toEqual([0, expect.stringContaining(because)]);
  });

  it("says in `config check` that another engine does not use it", async () => {
    const { out, err } = await precisHere(["config", "check", "--set", "context.remote_compaction=on"], {
      folder: folder.path,
    });
    expect(out + err).toContain("context.remote_compaction");
  });
});
