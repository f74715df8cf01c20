/** Options are checked by the configuration's own schema, and told of like its settings: the place, the value, the fix. */
import { textMessage } from "../../src/core/transcript/message.ts";
import { describe, expect, it } from "vitest";
import { SETTINGS } from "../../src/config/settings.ts";
import { createGateway } from "../../src/gateway/index.ts";
import { createRuntime, createSession } from "../../src/index.ts";
import { protocols } from "../../src/protocols/index.ts";
import { type ProtocolName } from "../../src/core/protocols.ts";
import { filler } from "../support/compacting.ts";

const doors = {
  createSession: (options: unknown) => createSession(options as never),
  createRuntime: (options: unknown) => createRuntime(options as never),
  createGateway: (options: unknown) => createGateway(options as never),
};

/** What is wrong, where it is, and words of the fix. */
const WRONG: readonly (readonly [options: unknown, place: string, fix: RegExp])[] = [
  [{ settings: { contextLength: "200k" } }, "settings.contextLength", /contextLength: 200000/],
  [{ settings: { contextLength: -1 } }, "settings.contextLength", /./],
  [{ settings: { contextLength: Number.NaN } }, "settings.contextLength", /./],
  [{ settings: { contextLength: 0.5 } }, "settings.contextLength", /./],
  [{ settings: { threshold: 7 } }, "settings.threshold", /./],
  [{ settings: { threshold: 50 } }, "settings.threshold", /threshold: 0.5/],
  [{ settings: { thresold: 0.5 } }, "settings.thresold", /settings\.threshold/],
  [{ settings: { contextLength: 10, maxOutputTokens: 10 } }, "settings.maxOutputTokens", /Lower it/],
  [{ settings: 12 }, "settings", /object/],
  [{ theshold: 0.5 }, "theshold", /settings\.threshold/],
  [{ engine: 12 }, "engine", /engine/],
  [{ store: {} }, "store", /store/],
  [{ ingestLimitTokens: "8k" }, "ingestLimitTokens", /ingestLimitTokens: 8000/],
  [{ redactOutgoing: "yes" }, "redactOutgoing", /redactOutgoing: false/],
  [{ now: 12 }, "now", /function/],
  ["gpt-5.6", "", /object/],
];

describe.each(Object.entries(doors))("%s", (call, door) => {
  it.each(WRONG)("refuses %j", (options, place, fix) => {
    expect(() => door(options)).toThrow(
      expect.objectContaining({
        name: "PrecisError",
        code: "bad_options",
        place: place === "" ? call : place,
        hint: expect.stringMatching(fix) as string,
      }),
    );
  });

  it("takes what is left out as undefined", () => {
    expect(() => door({ settings: undefined, now: undefined })).not.toThrow();
  });
});

describe("options of a session", () => {
  it.each([
    [{ protocol: "openai" }, "protocol", /openai-chat/],
    [{ contextLength: 200_000 }, "contextLength", /settings\.contextLength/],
    [{ caching: { layout: "native", ttl: "5min" } }, "caching.ttl", /5m/],
    [{ hooks: { afterCompaction: () => undefined } }, "hooks.afterCompaction", /hooks\.afterCompact/],
    [{ tenat: "me" }, "tenat", /tenant/],
    [{ state: { schemaVersion: 1, contextLength: 200_000, factor: null } }, "state.factor", /state\(\)/],
    [{ factor: 0 }, "factor", /./],
  ])("refuses %j", (options, place, fix) => {
    expect(() => createSession(options as never)).toThrow(
      expect.objectContaining({ code: "bad_options", place, hint: expect.stringMatching(fix) as string }),
    );
  });

  it("names every problem at once", () => {
    const settings = { contextLength: "200k", threshold: 7 };
    expect(() => createSession({ settings } as never)).toThrow(/contextLength[^]*threshold/);
  });

  it("refuses unknown events, and calls that would unsettle it", async () => {
    const session = createSession();
    expect(() => session.on("compact" as never, () => undefined)).toThrow(
      expect.objectContaining({ code: "unknown_event", hint: expect.stringContaining("compacted") as string }),
    );
    expect(() => session.on("compacted", undefined as never)).toThrow(expect.objectContaining({ code: "bad_options" }));
    expect(() => session.modelChanged({ contextLength: "200k" } as never)).toThrow(
      expect.objectContaining({ code: "bad_options", place: "contextLength" }),
    );
    for (const budget of [Number.NaN, -1, "2k"])
      await expect(session.compact({ messages: [] }, { budget } as never)).rejects.toMatchObject({
        code: "bad_options",
      });
  });
});

describe("options of a gateway", () => {
  it.each([
    [{ mode: "watch" }, "mode", /observe/],
    [{ limits: { bodyByte: 12 } }, "limits.bodyByte", /limits\.bodyBytes/],
    [{ limits: { bodyBytes: Number.NaN } }, "limits.bodyBytes", /./],
    [{ recall: { offer: "sometimes" } }, "recall.offer", /always/],
    [{ onFault: "retry" }, "onFault", /pass/],
    [{ tenant: "me" }, "tenant", /name/],
  ])("refuses %j", (options, place, fix) => {
    expect(() => createGateway(options as never)).toThrow(
      expect.objectContaining({ code: "bad_options", place, hint: expect.stringMatching(fix) as string }),
    );
  });
});

it("an engine's settings have the ranges of the configuration file", () => {
  const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  for (const name of ["threshold", "targetRatio", "protectLastN", "protectFirstN", "note", "template"]) {
    const setting = SETTINGS.find(({ path }) => path === `compression.${snake(name)}`)!;
    for (const value of [-1, 0, 0.05, 0.5, 1, 2, "system", "seven", null, "x"]) {
      const taken = setting.schema.safeParse(value).success;
      const make = () => createSession({ settings: { [name]: value } });
      if (taken) expect(make).not.toThrow();
      else expect(make).toThrow(expect.objectContaining({ code: "bad_options" }));
    }
  }
});

describe("a history of another protocol", () => {
  const call = { kind: "tool-call", id: "1", name: "f", arguments: "{}" } as const;
  const calledIn = (protocol: ProtocolName): unknown =>
    protocols[protocol].encode({
      system: [],
      messages: [textMessage("user", "hi"), { role: "assistant", parts: [call] }],
    }).messages[1];
  const names = Object.keys(protocols) as ProtocolName[];
  const listOf = (protocol: ProtocolName, message: unknown) => {
    const list = [{ role: "user", content: "hi" }, message];
    return { [protocols[protocol].keys.messages]: list };
  };

  it.each(names.flatMap((own) => names.map((other) => [other, own] as const)))(
    "%s in a session of %s",
    async (other, own) => {
      const session = createSession({ protocol: own });
      const prepared = session.prepare(listOf(own, calledIn(other)));
      if (own === other) await expect(prepared).resolves.toMatchObject({ compacted: false });
      else
        await expect(prepared).rejects.toMatchObject({
          code: "protocol_mismatch",
          hint: expect.stringContaining(other) as string,
        });
    },
  );

  it("is refused every time, also where it is the AI SDK's own", async () => {
    const session = createSession();
    const message = { role: "assistant", content: [{ type: "tool-call", toolCallId: "1", toolName: "f", input: {} }] };
    for (let time = 0; time < 2; time++)
      await expect(session.prepare([message])).rejects.toMatchObject({
        code: "protocol_mismatch",
        place: "messages[0]",
      });
  });
});

it("a gateway goes by the window in its settings", async () => {
  const requests: string[] = [];
  const { createServer } = await import("node:http");
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => (body += piece.toString()));
    request.on("end", () => {
      requests.push(body);
      response.writeHead(200, { "content-type": "application/json" }).end('{"choices":[]}');
    });
  });
  await new Promise<void>((ready) => void server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as { readonly port: number };
  const gateway = createGateway({
    settings: { contextLength: 20_000 },
    upstreams: { local: { url: `http://127.0.0.1:${port}` } },
  });
  const messages = Array.from({ length: 30 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: filler(1_000, `part${at}`),
  }));
  const body = JSON.stringify({ model: "gpt-5.6", messages });
  const headers = { "content-type": "application/json" };
  const answer = await gateway.fetch(
    new Request("http://127.0.0.1/v1/chat/completions", { method: "POST", headers, body }),
  );
  await answer.text();
  await gateway.close();
  server.close();
  expect(answer.headers.get("x-precis")).toMatch(/^rewritten/);
  expect(requests[0]!.length).toBeLessThan(body.length / 2);
});
