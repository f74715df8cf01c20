/** `keepRequests: "all"`: whatever the engine and the budget, every request of the user stays word for word, or nothing changes and the reason is given. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyCompaction } from "../../src/core/compaction/compaction.ts";
import { judge } from "../../src/plugins/suite/examine.ts";
import { ENGINE_NAMES } from "../../src/core/engines/names.ts";
import { contentText, type Message, type Transcript } from "../../src/core/transcript/message.ts";
import { missingIn } from "../../src/core/receipt/counts.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { chain, filler, measure, ran, says, talk, user } from "../support/compacting.ts";
import { RUNS } from "../support/transcripts.ts";

const WINDOW_TOKENS = 32_000;
const PICTURE = { kind: "image", source: { type: "url", url: "https://example.com/a.png" } } as const;

/** A conversation in which people say much: requests of any length among work. */
const conversations: fc.Arbitrary<Transcript> = fc
  .array(
    fc.record({
      request: fc.option(fc.nat(600), { nil: undefined }),
      shows: fc.boolean(),
      results: fc.array(fc.nat(900), { maxLength: 3 }),
    }),
    { minLength: 2, maxLength: 14 },
  )
  .map((turns) =>
    talk(
      user("Tidy the module."),
      ...turns.map(({ request, shows, results }, turn): readonly Message[] => {
        const asked = request === undefined ? [] : [user(`Request ${turn}: ${filler(request, `wish ${turn}`)}`)];
        const shown = asked.map((one) => (shows ? { ...one, parts: [...one.parts, PICTURE] } : one));
        const work = results.flatMap((tokens, at) =>
          ran("read_file", { path: `src/p${turn}${at}.ts` }, filler(tokens, `p${turn}${at}`)),
        );
        return [...shown, ...work, says(`Turn ${turn} is done.`)];
      }),
      user("Go on."),
    ),
  );

const requestsOf = ({ messages }: Transcript): string[] =>
  messages
    .filter(({ role, origin }) => role === "user" && (origin === undefined || origin === "anchor"))
    .map(({ parts }) => JSON.stringify(parts.map((part) => (part.kind === "text" ? part.text : part.kind))));

const runtimeWith = (engine: string) =>
  createRuntime({
    engine,
    chain,
    settings: { contextLength: WINDOW_TOKENS, keepRequests: "all", note: "handoff" },
  });

describe.each(ENGINE_NAMES.filter((name) => name !== "none"))("every request, kept by %s", (engine) => {
  it("stays in the result, or the compaction is refused with the reason", async () => {
    const kinds = new Set<string>();
    await fc.assert(
      fc.asyncProperty(conversations, fc.constantFrom(0.9, 0.7, 0.5, 0.3, 0.1), async (transcript, share) => {
        const before = measure.transcript(transcript);
        const budget = Math.max(1, Math.floor(before * share));
        const outcome = await runtimeWith(engine).compact(transcript, { budget, reason: "budget" });
        kinds.add(outcome.kind === "compacted" ? "compacted" : (outcome.irreducible?.code ?? "unchanged"));
        judge(outcome, transcript, { measure, chain, reason: "budget", budget });
        if (outcome.kind === "unchanged") {
          expect(outcome.irreducible).toBeDefined();
          return;
        }
        const { report } = outcome.compaction;
        const result = applyCompaction(transcript, outcome.compaction);
        expect(requestsOf(result).toSorted()).toEqual(requestsOf(transcript).toSorted());
        expect(measure.transcript(result)).toBeLessThanOrEqual(budget);
        expect(report.irreducible).toBeUndefined();
      }),
      { numRuns: Math.ceil(RUNS / 10) },
    );
    expect([...kinds]).toEqual(expect.arrayContaining(["compacted", "keep_requests"]));
  });
});

const wordy = talk(
  ...Array.from({ length: 40 }, (_, at) => [user(`Request ${at}: ${filler(500, `wish ${at}`)}`), says("Done.")]),
  user("Go on."),
);

/** So many that no handoff has room for the opening of each. */
const brief = talk(
  ...Array.from({ length: 400 }, (_, at) => [user(`Request ${at}: ${filler(50, `wish ${at}`)}`), says("Done.")]),
  user("Go on."),
);

describe("a session whose requests do not fit", () => {
  it("refuses, says so with a code, and sends what came", async () => {
    const runtime = runtimeWith("compressor");
    const heard: unknown[] = [];
    runtime.on("irreducible", (irreducible) => heard.push(irreducible));
    const { transcript, compaction, irreducible, compacted, lostRequests } = await runtime.prepare(wordy);
    expect(transcript).toBe(wordy);
    expect([compaction, compacted, lostRequests]).toEqual([undefined, false, 0]);
    expect(irreducible).toMatchObject({ code: "keep_requests" });
    expect(irreducible!.because).toContain("41 requests");
    expect(heard).toEqual([irreducible]);
  });

  it("says how many may be missing where it leaves some out, with every request that goes on so", async () => {
    const runtime = createRuntime({ chain, settings: { contextLength: WINDOW_TOKENS, note: "handoff" } });
    const first = await runtime.prepare(brief);
    const absent = missingIn(first.compaction!.report.receipt, "request");
    expect(absent).toBeGreaterThan(0);
    expect(first.lostRequests).toBe(absent);
    const more = { ...brief, messages: [...brief.messages, says("Done.")] };
    expect((await runtime.standing(more)).lostRequests).toBe(absent);
    const shown = first.transcript.messages.map(({ parts }) => contentText(parts)).join("\n");
    expect(shown).not.toContain(contentText(brief.messages[20]!.parts));
  });

  it("gives up no picture of theirs where a payload is too large", async () => {
    const big = filler(3_000, "page");
    const transcript = talk(
      { ...user("Like this?"), parts: [...user("Like this?").parts, PICTURE] },
      ...ran("read_file", { path: "a.ts" }, big),
      says("Yes."),
      user("Go on."),
    );
    const error = { kind: "payload" } as const;
    const again = await runtimeWith("compressor").recover(error, transcript);
    expect(requestsOf(again!.transcript)).toEqual(requestsOf(transcript));
  });
});

it("asks models once, when it is known how much room the requests leave", async () => {
  const transcript = talk(
    ...Array.from({ length: 30 }, (_, at) => [
      user(`Request ${at}: ${filler(150, `wish ${at}`)}`),
      ...ran("read_file", { path: `src/p${at}.ts` }, filler(1_000, `p${at}`)),
      says("Done."),
    ]),
    user("Go on."),
  );
  const callsWith = async (keepRequests: "as_fits" | "all"): Promise<number> => {
    let calls = 0;
    const usage = { inputTokens: 0, outputTokens: 0, requests: 1 };
    const ask = () => {
      calls++;
      return Promise.resolve({ kind: "failed", failure: { class: "timeout", message: "no" }, usage } as const);
    };
    const writers = { main: { model: "m", windowTokens: 16_000, ask } };
    const settings = { contextLength: WINDOW_TOKENS, keepRequests, note: "handoff" } as const;
    const { kind } = await createRuntime({ chain, settings, writers }).compact(transcript, { budget: 12_000 });
    expect(kind).toBe("compacted");
    return calls;
  };
  const calls = await callsWith("as_fits");
  expect(calls).toBeGreaterThan(0);
  expect(await callsWith("all")).toBe(calls);
});

it("is not told of messages that it put back", async () => {
  const settings = { contextLength: 60_000, preset: "current", note: "handoff" } as const;
  const transcript = talk(
    ...[9_000, 9_000, 9_000].map((size, at) => [
      user(filler(size, `wish ${at}`)),
      ...ran("read_file", { path: `src/p${at}.ts` }, filler(8_000, `p${at}`)),
      says("Done."),
    ]),
  );
  const degraded = async (keepRequests: "all" | "as_fits") => {
    const runtime = createRuntime({ engine: "handoff", chain, settings: { ...settings, keepRequests } });
    const outcome = await runtime.compact(transcript, { reason: "explicit" });
    return outcome.kind === "compacted" ? outcome.compaction.report.degraded : undefined;
  };
  expect(await degraded("as_fits")).toEqual(["1 of the user's 3 messages cut in the middle to save room"]);
  expect(await degraded("all")).toEqual([]);
});
