/**
 * A client's own `POST /responses/compact`, by OpenAI's SDK and by plain HTTP: passed on to its provider, or answered by the
 * gateway with items that the provider takes in the next request.
 */
import { join } from "node:path";
import OpenAI from "openai";
import { describe, expect, it, vi } from "vitest";
import type { GatewayOptions } from "../../src/gateway/index.ts";
import { fieldsOf, listOf, textOf } from "../../src/protocols/fields.ts";
import { openSqliteStore } from "../../src/store/index.ts";
import { bodyOf, worked } from "./support/asking.ts";
import { largeSource } from "./support/large-options.ts";
import { atEnd, front, stand, temporaryFolder, TENANT, type Standing } from "./support/standing.ts";

const PATH = "/v1/responses/compact";
const MODEL = "gpt-5.6-sol";
const STEPS = 40;
type Input = OpenAI.Responses.ResponseInput;

const conversation = (steps = STEPS): { input: Input; instructions: string } => {
  const body = fieldsOf(JSON.parse(bodyOf("openai-responses", worked("alpha", steps))));
  return { input: body["input"] as Input, instructions: textOf(body["instructions"])! };
};
const standing = (gateway: Partial<GatewayOptions>) =>
  stand({ provider: { every: { windowTokens: 200_000 }, script: { text: "Done." } }, gateway });
const client = ({ url }: Standing) => new OpenAI({ baseURL: `${url}/v1`, apiKey: "key", maxRetries: 0 });
const post = (url: string, body: object) =>
  fetch(`${url}${PATH}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer key" },
    body: JSON.stringify({ model: MODEL, ...body }),
  });

describe("a client's own compaction, passed on", () => {
  it("is answered by its provider, as it came", async () => {
    const proof = await standing({});
    const { data, response } = await client(proof)
      .responses.compact({ model: MODEL, ...conversation() })
      .withResponse();
    expect(response.headers.get("x-precis")).toBe("untouched; because=client_compaction");
    expect(data.output.at(-1)!.type).toBe("compaction");
    expect(proof.provider.requests.map(({ path }) => path)).toEqual([PATH]);
    expect(JSON.parse(proof.provider.requests[0]!.body)).toEqual({ model: MODEL, ...conversation() });
  });

  it.each([["observe"], ["off"]] as const)("where nothing is rewritten, whatever is configured: %s", async (mode) => {
    const proof = await standing({ mode, compactRequests: "local" });
    await client(proof).responses.compact({ model: MODEL, ...conversation() });
    expect(proof.provider.requests.map(({ path }) => path)).toEqual([PATH]);
  });

  it("where its provider holds the history", async () => {
    const proof = await standing({ compactRequests: "local" });
    const { output } = await client(await standing({})).responses.compact({ model: MODEL, ...conversation() });
    const response = await post(proof.url, { input: [...output, { role: "user", content: "Go on." }] });
    expect(response.headers.get("x-precis")).toBe("untouched; because=held_by_provider");
    expect(proof.provider.requests.map(({ path }) => path)).toEqual([PATH]);
  });
});

describe.each(["compressor", "handoff"])("a client's own compaction, made here by %s", (engine) => {
  it("is items that go out in the next request, and the provider is not asked", async () => {
    const proof = await standing({ compactRequests: "local", engine });
    const { data, response } = await client(proof)
      .responses.compact({ model: MODEL, ...conversation() })
      .withResponse();
    expect(proof.provider.requests).toEqual([]);
    expect(response.headers.get("x-precis")).toMatch(/^rewritten; before=\d+; after=\d+; fresh$/);
    expect([data.object, data.usage.total_tokens]).toEqual(["response.compaction", 0]);
    expect(JSON.stringify(data.output)).toContain("[precis handoff 1]");
    for (const item of data.output) expect(item.type).toEqual(expect.any(String));
    const next = await client(proof).responses.create({
      model: MODEL,
      input: [...(data.output as Input), { type: "message", role: "user", content: "And now?" }],
    });
    expect(next.output_text).toBe("Done.");
    expect(next.usage!.input_tokens).toBeLessThan(20_000);
    expect(proof.provider.account().total.rejected).toEqual({});
    expect(proof.events.filter(({ kind }) => kind === "compaction")).toMatchObject([{ reason: "explicit" }]);
    expect(proof.events.find(({ kind }) => kind === "request")).toMatchObject({ outcome: "answered", status: 200 });
  });

  it("keeps what it leaves out: each id in it leads to the original", async () => {
    const proof = await standing({ compactRequests: "local", engine });
    const { output } = await client(proof).responses.compact({ model: MODEL, ...conversation() });
    const [id] = /r[0-9a-f]{16}\b/.exec(JSON.stringify(output))!;
    const original = await proof.store.getOriginal("proof", id);
    expect(original?.text).toContain("word");
  });

  it("is the same as a stream, for a client that asks for one", async () => {
    const first = await standing({ compactRequests: "local", engine });
    const whole = fieldsOf(await (await post(first.url, conversation())).json());
    // Another gateway: asked a second time, the first may make its result smaller still.
    const second = await standing({ compactRequests: "local", engine });
    const response = await post(second.url, { ...conversation(), stream: true });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const events = (await response.text())
      .trim()
      .split("\n\n")
      .map((event) => fieldsOf(JSON.parse(event.slice(event.indexOf("data: ") + 6))));
    expect(events.map(({ sequence_number: at }) => at)).toEqual(events.map((_, at) => at));
    expect([events[0]!["type"], events.at(-1)!["type"]]).toEqual(["response.created", "response.completed"]);
    const done = events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item);
    expect(done).toEqual(listOf(fieldsOf(events.at(-1)!["response"])["output"]));
    expect(done).toEqual(whole["output"]);
  });
});

describe("what a client asks to have compacted here", () => {
  it("is answered by the thread for large requests, too", async () => {
    const path = join(temporaryFolder(), "history.db");
    const store = await openSqliteStore({ path });
    atEnd(store.close);
    const strict = await standing({});
    const gateway = {
      upstreams: { openai: { url: strict.providerUrl } },
      tenant: { name: TENANT },
      compactRequests: "local",
      limits: { largeBodyBytes: 8_000 },
    } as const;
    const largeRequests = largeSource({ path, options: gateway });
    const { url, events } = await front(strict.providerUrl, { ...gateway, store, largeRequests });
    const response = await post(url, conversation());
    expect(fieldsOf(await response.json())["object"]).toBe("response.compaction");
    expect(strict.provider.requests).toEqual([]);
    await vi.waitFor(() => expect(events.some(({ kind }) => kind === "request")).toBe(true));
    expect(events.find(({ kind }) => kind === "request")).toMatchObject({ outcome: "answered", status: 200 });
  });

  it("holds no item of its provider's own compaction", async () => {
    const steps = { near: 72, past: 82 };
    const contextLength = 100_000;
    const remote = { engine: "handoff", remoteCompaction: true, contextLength } as const;
    const proof = await standing({ ...remote, compactRequests: "local" });
    for (const length of Object.values(steps)) {
      await client(proof).responses.create({ model: MODEL, ...conversation(length) });
      await proof.gateway.settled();
    }
    expect(proof.provider.requests.at(-1)!.body).toContain('"type":"compaction"');
    const { output } = await client(proof).responses.compact({ model: MODEL, ...conversation(steps.past) });
    expect(output.map(({ type }) => type)).not.toContain("compaction");
    expect(JSON.stringify(output)).toContain("[precis handoff 1]");
  });

  it("is made smaller also where the engine's figures would keep all of it", async () => {
    const proof = await standing({ compactRequests: "local" });
    const answer = await (await post(proof.url, conversation(8))).text();
    expect(answer.length).toBeLessThan(JSON.stringify(conversation(8)).length / 2);
  });

  it("comes back as it was where nothing can be left out, each message in full", async () => {
    const proof = await standing({ compactRequests: "local" });
    const answer = fieldsOf(await (await post(proof.url, { input: [{ role: "user", content: "Hello." }] })).json());
    const message = { type: "message", role: "user", content: [{ type: "input_text", text: "Hello." }] };
    expect(answer["output"]).toEqual([message]);
    const text = fieldsOf(await (await post(proof.url, { input: "Hello." })).json());
    expect(text["output"]).toEqual([message]);
  });

  it("goes to the provider where it cannot be read", async () => {
    const proof = await standing({ compactRequests: "local" });
    const response = await post(proof.url, { input: 7 });
    expect(response.status).toBe(400);
    expect(proof.provider.requests.map(({ path }) => path)).toEqual([PATH]);
  });
});
