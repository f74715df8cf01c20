/** No answer above its bound, no argument that does harm: the text's own rules, and the process under odd calls. */
import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { estimateText } from "../../../src/core/transcript/estimate.ts";
import { MCP_LIMITS } from "../../../src/integrations/mcp/contract.ts";
import { pageOf, written } from "../../../src/core/recall/pages.ts";
import { NODE_ENVIRONMENT, temporaryFolder, type Folder } from "../../cli/precis.ts";
import { connected, gatewayOn, workedAfter, type Connected } from "./client.ts";

const BIN = resolve(import.meta.dirname, "../../../src/cli/bin.ts");
const RUNS = Math.min(Number(process.env["PRECIS_TEST_RUNS"] ?? 200), 1_000);
const PROCESS_RUNS = 60;
const TOKENS = fc.integer({ min: MCP_LIMITS.answerTokensMin, max: 2_000 });
const TEXT = fc.oneof(
  fc.string({ unit: "binary", maxLength: 3_000 }),
  fc
    .array(fc.constantFrom("端口", "🦘", "word", "\n", " ", "0x1f", "ééé", "\u200d"), { maxLength: 3_000 })
    .map((all) => all.join("")),
);

describe("a text", () => {
  it("is never above its bound", () => {
    fc.assert(
      fc.property(fc.array(TEXT, { maxLength: 12 }), TOKENS, (body, tokensMax) => {
        const text = written({ head: "Found:", body, rest: (shown) => `(${body.length - shown} more)` }, tokensMax);
        expect(estimateText(text)).toBeLessThanOrEqual(tokensMax);
      }),
      { numRuns: RUNS },
    );
  });

  it("is, page by page, the whole, no page above its bound", () => {
    fc.assert(
      fc.property(TEXT, fc.integer({ min: 50, max: 1_000 }), (text, tokensMax) => {
        let whole = "";
        for (let offset: number | undefined = 0; offset !== undefined;) {
          const page = pageOf(text, offset, tokensMax);
          expect(estimateText(page.text)).toBeLessThanOrEqual(tokensMax);
          if (page.next !== undefined) expect(page.next).toBeGreaterThan(offset);
          whole += page.text;
          offset = page.next;
        }
        expect(whole).toBe(text);
      }),
      { numRuns: RUNS },
    );
  });
});

describe("the process", () => {
  let folder: Folder;
  let agent: Connected;
  beforeAll(async () => {
    folder = temporaryFolder();
    const kept = await gatewayOn(folder.path, 14_000);
    const wide = ["日本語のとても長い行".repeat(400), `${"x".repeat(200_000)} needle`, "needle 🦘".repeat(2_000)];
    await kept.say("local", workedAfter("alpha", wide.join("\n"), 6), "🦘".length === 2 ? "wide" : "");
    await kept.say("local", workedAfter("beta", "needle"), "b".repeat(150));
    await kept.close();
    agent = await connected(folder.path);
  });
  afterAll(async () => {
    await agent.client.close();
    folder.remove();
  });

  it("answers within the tokens that were asked for, whatever is called", async () => {
    const number = fc.integer({ min: 1, max: 40 });
    const id = fc.constantFrom("wide", "b", "needle", undefined);
    const call = fc.oneof(
      fc.record({
        name: fc.constant("search"),
        words: fc.constantFrom("needle", "日本", "line", "word7 step", "of"),
        hits: number,
      }),
      fc.record({ name: fc.constant("expand"), id, messages: number.map(String), offset: fc.nat(3_000) }),
      fc.record({ name: fc.constant("timeline"), id }),
      fc.record({ name: fc.constant("describe"), id }),
    );
    await fc.assert(
      fc.asyncProperty(call, TOKENS, async ({ name, ...given }, tokens) => {
        const { text } = await agent.call(name, { ...given, tokens });
        expect(estimateText(text)).toBeLessThanOrEqual(tokens);
        expect(text).not.toBe("");
      }),
      { numRuns: PROCESS_RUNS },
    );
  });

  it("refuses what is not as its tools take it, in our words, and goes on", async () => {
    const odd: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
      ["search", {}],
      ["search", { words: "" }],
      ["search", { words: "x".repeat(501) }],
      ["search", { words: ["needle"] }],
      ["search", { words: { $ne: "" } }],
      ["search", { words: "needle", hits: 51 }],
      ["search", { words: "needle", tokens: 499 }],
      ["search", { words: "needle", tokens: 16_001 }],
      ["search", { words: "needle", tenant: "other" }],
      ["describe", { id: "x".repeat(201) }],
      ["describe", { id: null }],
      ["describe", { id: 7 }],
      ["expand", { messages: 99 }],
      ["expand", { messages: "1".repeat(41) }],
      ["expand", { role: "nobody" }],
      ["expand", { outline: "true" }],
      ["expand", { offset: -5 }],
      ["timeline", { from: 0 }],
      ["timeline", Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`key${at}`, at]))],
    ];
    for (const [name, given] of odd) {
      const { text, failed } = await agent.call(name, given);
      expect(failed, JSON.stringify(given).slice(0, 80)).toBe(true);
      expect(text).toMatch(/^bad_arguments: .* See the tool's input schema/s);
      expect(text.length).toBeLessThan(1_000);
    }
    for (const name of ["", "__proto__", "constructor", "toString", "search ", "SEARCH", "restore", "x".repeat(9_999)])
      expect((await agent.call(name, {})).text).toMatch(/^unknown_tool: /);
    const past = await agent.call("expand", { messages: "1", offset: 900_000 });
    expect(past.text).toMatch(/^bad_range: /);
    expect((await agent.call("search", { words: "needle" })).failed).toBe(false);
  });

  it("answers many calls at once in turn, and turns those away that are too many", async () => {
    const asked = Array.from({ length: 60 }, () => agent.call("search", { words: "needle" }));
    const texts = (await Promise.all(asked)).map(({ text }) => text);
    const busy = texts.filter((text) => text.startsWith("busy: "));
    expect(busy.length).toBeGreaterThan(0);
    expect(texts.length - busy.length).toBeGreaterThanOrEqual(MCP_LIMITS.waiting);
    expect((await agent.call("search", { words: "needle" })).failed).toBe(false);
  });
});

describe("a line that is no message", () => {
  it("is answered as JSON-RPC has it, and the next one is read", async () => {
    const folder = temporaryFolder();
    const server = spawn(process.execPath, [BIN, "mcp"], {
      env: { ...NODE_ENVIRONMENT, HOME: folder.path },
      cwd: folder.path,
    });
    onTestFinished(() => {
      server.kill();
      folder.remove();
    });
    const lines = createInterface(server.stdout)[Symbol.asyncIterator]();
    const asked = async (line: string): Promise<unknown> => {
      server.stdin.write(`${line}\n`);
      return JSON.parse((await lines.next()).value as string) as unknown;
    };
    const refused = (code: number) => ({
      jsonrpc: "2.0",
      id: null,
      error: { code, message: expect.any(String) as string },
    });
    for (const line of ["{bad", "[".repeat(100_000), "\u0000"]) expect(await asked(line)).toEqual(refused(-32_700));
    const odd = [
      "[]",
      "5",
      "null",
      '"x"',
      '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
      '{"id":1}',
      '{"jsonrpc":"2.0","id":null,"method":5}',
    ];
    for (const line of odd) expect(await asked(line)).toEqual(refused(-32_600));
    const deep = `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"x":${"[".repeat(50_000)}${"]".repeat(50_000)}}}}`;
    expect(await asked(deep)).toMatchObject({ id: 7 });
    expect(await asked('{"jsonrpc":"2.0","id":8,"method":"ping"}')).toEqual({ jsonrpc: "2.0", id: 8, result: {} });
  });
});

describe("a message longer than a message may be", () => {
  it("ends the connection, and nothing is held of it", async () => {
    const own = temporaryFolder();
    const kept = await gatewayOn(own.path, 16_000);
    await kept.close();
    const one = await connected(own.path);
    try {
      await expect(one.call("search", { words: "x".repeat(5_000_000) })).rejects.toMatchObject({ code: -32_000 });
    } finally {
      await one.client.close();
      own.remove();
    }
  });
});
