/** `precis-eval replay` from the outside: what it prints and writes, and what it asks for where it cannot go on. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXIT } from "../../../src/cli/program/exit.ts";
import { precisHere, temporaryFolder, type Folder } from "../../../test/cli/precis.ts";

const START_MS = Date.parse("2026-03-01T09:00:00Z");
const MINUTE_MS = 60_000;

/** A pi session of some rounds; the person takes ten minutes before each. */
function session(rounds: number, model: string | undefined): string {
  const entries = Array.from({ length: rounds }, (_, at) => [
    { role: "user", content: `Question ${at}: ${"why does it wait for the queue ".repeat(60)}` },
    {
      role: "assistant",
      stopReason: "stop",
      ...(model === undefined ? {} : { model }),
      content: [{ type: "text", text: `Answer ${at}: ${"because the queue is full ".repeat(30)}` }],
    },
  ]).flat();
  const lines = entries.map((message, at) => ({
    type: "message",
    id: String(at),
    parentId: at === 0 ? null : String(at - 1),
    timestamp: new Date(START_MS + Math.floor(at / 2) * 10 * MINUTE_MS + (at % 2) * 5_000).toISOString(),
    message,
  }));
  return [{ type: "session", id: "s", cwd: "/work" }, ...lines].map((line) => JSON.stringify(line)).join("\n");
}

interface Told {
  readonly requests: number;
  readonly untimed: number;
  readonly gapMs: number;
  readonly terms: {
    readonly model: string;
    readonly protocol: string;
    readonly windowTokens: number;
    readonly prices: object;
  };
  readonly runs: readonly {
    readonly strategy: { readonly name: string };
    readonly requests: readonly { readonly atMs: number; readonly use: { readonly inputTokens: number } }[];
    readonly totals: {
      readonly usd: number;
      readonly input: number;
      readonly compactions: number;
      readonly busts: { readonly expired: number };
    };
  }[];
}

let folder: Folder;
let file: string;
beforeAll(() => {
  folder = temporaryFolder();
  file = folder.write("session.jsonl", session(12, "claude-sonnet-4-5"));
});
afterAll(() => folder.remove());

async function json(words: readonly string[]): Promise<Told> {
  const ran = await precisHere(["precis-eval", "replay", ...words, "--json"], { folder: folder.path });
  expect(ran.err).toBe("");
  expect(ran.code).toBe(EXIT.done);
  return JSON.parse(ran.out) as Told;
}

const refused = async (...words: readonly string[]) =>
  precisHere(["precis-eval", "replay", ...words], { folder: folder.path });

describe("precis-eval replay", () => {
  it("prints terms, a table and what happened on the way", async () => {
    const words = ["precis-eval", "replay", file, "--context-length", "8k"];
    const { code, out, err } = await precisHere(words, { folder: folder.path });
    const told = out.replaceAll(/\s+/g, " ");
    expect(err).toBe("");
    expect(code).toBe(EXIT.done);
    for (const name of ["nothing", "cache only", "compaction only", "both, threshold", "both, cost"])
      expect(out).toMatch(new RegExp(`^${name} .*\\$\\d`, "m"));
    expect(told).toContain("12 requests over 110 minutes, at the times in the file; each reserves 1,000 tokens");
    expect(out).toContain("$3 per million input tokens");
    expect(told).toMatch(/From .*genai-prices/);
    expect(told).toMatch(/cache only: the cache expired 1\d times; .* were billed again/);
    expect(
      Math.max(
        ...out
          .split("\n")
          .slice(1)
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(80);
  });

  it("gives a script each request, by the file's own clock and model", async () => {
    const told = await json([file]);
    expect(told.terms).toMatchObject({
      model: "claude-sonnet-4-5",
      protocol: "anthropic-messages",
      windowTokens: 200_000,
    });
    expect([told.requests, told.untimed]).toEqual([12, 0]);
    for (const { requests } of told.runs) expect(requests).toHaveLength(12);
    const [first, second] = told.runs[0]!.requests;
    expect(second!.atMs - first!.atMs).toBe(10 * MINUTE_MS);
    expect(told.runs[1]!.totals.busts.expired).toBeGreaterThan(8);
  });

  it("keeps a cache for an hour where that is configured", async () => {
    const told = await json([file, "--set", "prompt_caching.cache_ttl=1h"]);
    expect(told.runs[1]!.totals.busts.expired).toBe(0);
  });

  it("replays each engine that is named by each schedule, as another model, at prices of one's own", async () => {
    const told = await json([
      file,
      "--engines",
      "none,sacred-zone",
      "--model",
      "gpt-5.4",
      "--set",
      'models={"gpt-5.4":{"input_usd_per_mtok":1,"output_usd_per_mtok":2,"cache_read_usd_per_mtok":0.5}}',
    ]);
    expect(told.terms).toMatchObject({
      protocol: "openai-chat",
      prices: { inputUsdPerMtok: 1, outputUsdPerMtok: 2, cacheReadUsdPerMtok: 0.5 },
    });
    expect(told.runs.map(({ strategy }) => strategy.name)).toEqual([
      "nothing",
      "cache only",
      "compaction only none",
      "both, auto none",
      "both, threshold none",
      "both, cost none",
      "compaction only sacred-zone",
      "both, auto sacred-zone",
      "both, threshold sacred-zone",
      "both, cost sacred-zone",
    ]);
  });

  it("puts a system prompt in front, in the model's tokens", async () => {
    const [bare, longer] = [
      await json([file, "--engines", "none"]),
      await json([file, "--engines", "none", "--prompt-tokens", "5k"]),
    ];
    const more = longer.runs[0]!.requests[0]!.use.inputTokens - bare.runs[0]!.requests[0]!.use.inputTokens;
    expect(more).toBeGreaterThan(4_900);
    expect(more).toBeLessThan(5_100);
  });

  it("says which gap it assumed where the file has no times", async () => {
    const messages = [
      { role: "user", content: "Why?" },
      { role: "assistant", content: "So." },
    ];
    const path = folder.write("body.json", JSON.stringify({ model: "gpt-5.4", messages: [...messages, ...messages] }));
    const told = await json([path, "--gap", "2m"]);
    expect([told.untimed, told.gapMs]).toEqual([2, 2 * MINUTE_MS]);
    expect((await refused(path)).out).toContain("assumed to be 30 s apart");
  });
});

describe("precis-eval replay, asked for what it cannot do", () => {
  it("says what a session without a turn is missing", async () => {
    const path = folder.write("silent.json", JSON.stringify([{ role: "user", content: "Hello?" }]));
    const { code, err } = await refused(path, "--model", "gpt-5.4");
    expect(code).toBe(EXIT.unreadable);
    expect(err).toMatch(/contains\s+no\s+answer\s+of\s+a\s+model/);
  });

  it("says which flag gives a model, and which gives prices", async () => {
    const nameless = folder.write("nameless.jsonl", session(2, undefined));
    const unnamed = await refused(nameless);
    expect([unnamed.code, unnamed.err]).toEqual([EXIT.usage, expect.stringContaining("--model claude-sonnet-4-5")]);
    const unknown = await refused(nameless, "--model", "house-model");
    expect([unknown.code, unknown.err]).toEqual([EXIT.usage, expect.stringContaining('models={"house-model":')]);
    const { terms } = await json([
      nameless,
      "--model",
      "house-model",
      "--set",
      'models={"house-model":{"input_usd_per_mtok":1,"output_usd_per_mtok":2}}',
    ]);
    expect(terms).toMatchObject({ model: "house-model", windowTokens: 128_000 });
  });

  it.each([
    [["--engines", "nonsense"], "use one of"],
    [["--gap", "soon"], "--gap 30d"],
  ])("refuses %j and says what to write", async (words, hint) => {
    const { code, err } = await refused(file, ...words);
    expect(code).toBe(EXIT.usage);
    expect(err).toContain(hint);
  });

  it("asks for a file", async () => {
    const { code, err } = await refused();
    expect(code).toBe(EXIT.usage);
    expect(err).toContain("FILE");
  });
});
