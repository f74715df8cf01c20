/** `handoff`, held against the figures of IA al Día 2026 and of Codex CLI 0.169, and against its policy. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyCompaction, type Compaction } from "../../../../src/core/compaction/compaction.ts";
import type { CompactRequest, Remote } from "../../../../src/core/engines/contract.ts";
import { createHandoff, handoffLimits } from "../../../../src/core/engines/codex-handoff/codex-handoff.ts";
import { HANDOFF_DEFAULTS, type HandoffSettings } from "../../../../src/core/engines/settings.ts";
import { parseHandoff } from "../../../../src/core/handoff/write.ts";
import { contentText, textMessage, type Message, type Transcript } from "../../../../src/core/transcript/message.ts";
import { violationsOf } from "../../../../src/core/transcript/oracle.ts";
import { protocols } from "../../../../src/protocols/index.ts";
import { chain, filler, measure, ran, says, talk, user } from "../../../support/compacting.ts";

async function compactionOf(
  transcript: Transcript,
  request: Partial<CompactRequest> = {},
  settings: Partial<HandoffSettings> = {},
): Promise<{ compaction: Compaction; messages: readonly Message[] }> {
  const engine = createHandoff({ ...HANDOFF_DEFAULTS, ...settings });
  const outcome = await engine.compact(engine.init(), transcript, { measure, chain, reason: "threshold", ...request });
  if (outcome.kind !== "compacted") throw new Error(outcome.because);
  const result = applyCompaction(transcript, outcome.compaction);
  expect(violationsOf(result)).toEqual([]);
  return { compaction: outcome.compaction, messages: result.messages };
}

const TODAY = { preset: "current" } as const;
const ENVIRONMENT = user("<environment_context>\n  <cwd>/home/ada/shop</cwd>\n</environment_context>");
/** Requests of that many tokens, each with work behind it; the last is answered. */
function sessionOf(...sizes: readonly number[]): Transcript {
  return talk(
    ENVIRONMENT,
    ...sizes.map((size, at) => [
      user(filler(size, `ask${at}`)),
      ...ran("shell", { command: `step ${at}` }, filler(9_000, `out${at}`)),
      says(`Step ${at} is done.`),
    ]),
  );
}

const lone = (messages: readonly Message[], origin: Message["origin"]): Message => {
  const found = messages.filter((message) => message.origin === origin);
  expect(found).toHaveLength(1);
  return found[0]!;
};

describe("the figures of handoff", () => {
  it.each([
    [200_000, 180_000],
    [272_000, 244_800],
    [1_000_000, 900_000],
  ])("are the published ones: with a window of %i it triggers at %i", (contextLength, triggerTokens) => {
    expect(handoffLimits({ ...HANDOFF_DEFAULTS, contextLength })).toMatchObject({
      triggerTokens,
      userTokens: Infinity,
    });
    const engine = createHandoff({ ...HANDOFF_DEFAULTS, contextLength });
    const at = (tokens: number): string => engine.decide(engine.init(), { tokens, messages: 9 }).kind;
    expect([at(triggerTokens - 1), at(triggerTokens)]).toEqual(["none", "compact"]);
  });

  it("are, today, a limit of the user's own and 64,000 tokens beside the provider's item", () => {
    const current = handoffLimits({ ...HANDOFF_DEFAULTS, preset: "current" });
    expect(current).toMatchObject({ userTokens: 20_000, remoteUserTokens: 64_000 });
    expect(handoffLimits(HANDOFF_DEFAULTS).remoteUserTokens).toBe(Infinity);
    expect(handoffLimits({ ...HANDOFF_DEFAULTS, userTokens: 30_000 }).remoteUserTokens).toBe(30_000);
    expect(handoffLimits({ ...HANDOFF_DEFAULTS, triggerTokens: 90_000 }).triggerTokens).toBe(90_000);
    expect(handoffLimits({ ...HANDOFF_DEFAULTS, triggerTokens: 190_000 }).triggerTokens).toBe(180_000);
  });
});

const askedIn = ({ messages }: Transcript): readonly Message[] =>
  messages.filter((message) => message.role === "user" && message !== ENVIRONMENT);

describe("what a person wrote, as documented", () => {
  it("stays word for word, all of it, and nothing is called degraded", async () => {
    const sizes = fc.array(fc.integer({ min: 5, max: 22_000 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(sizes, async (drawn) => {
        const session = sessionOf(...drawn);
        const { messages, compaction } = await compactionOf(session);
        expect(messages.filter((message) => askedIn(session).includes(message))).toEqual(askedIn(session));
        expect(compaction.report.degraded).toEqual([]);
        expect(compaction.report.irreducible).toBeUndefined();
      }),
      { numRuns: 6 },
    );
  });

  it("stays through a budget that has room for it", async () => {
    const session = sessionOf(2_000, 3_000, 1_000);
    const roomy = await compactionOf(session, { budget: 9_500, reason: "budget" });
    expect(roomy.messages.filter((message) => askedIn(session).includes(message))).toEqual(askedIn(session));
    expect(roomy.compaction.report).toMatchObject({ rung: 0, degraded: [] });
    expect(roomy.compaction.report.tokens.after).toBeLessThanOrEqual(9_500);
  });

  it("is trimmed from the oldest on where there is no room, and that is told with numbers", async () => {
    const session = sessionOf(2_000, 3_000, 1_000);
    const { messages, compaction } = await compactionOf(session, { budget: 5_000, reason: "budget" });
    expect(messages).toContain(askedIn(session)[2]);
    expect(messages).not.toContain(askedIn(session)[0]);
    expect(compaction.report.tokens.after).toBeLessThanOrEqual(5_000);
    expect(compaction.report.degraded).toEqual([
      "1 of the user's 3 messages left out to save room",
      "1 of the user's 3 messages cut in the middle to save room",
      "what the client wrote before the first request left out to save room",
    ]);
  });
});

describe("a compaction by handoff", () => {
  it("of today keeps an unbroken run of the newest requests, whatever they weigh: whole, but for the oldest of them", async () => {
    const sizes = fc.array(fc.integer({ min: 5, max: 9_000 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(sizes, async (drawn) => {
        const session = sessionOf(...drawn);
        const { messages } = await compactionOf(session, {}, TODAY);
        const asked = session.messages.filter((message) => message.role === "user" && message !== ENVIRONMENT);
        const whole = messages.filter((message) => asked.includes(message));
        const cut = messages.filter(({ origin }) => origin === "digest");
        expect(whole).toEqual(asked.slice(asked.length - whole.length));
        expect(cut.length).toBeLessThanOrEqual(1);
        expect(measure.messages([...whole.slice(0, -1), ...cut]) + measure.message(asked.at(-1)!)).toBeLessThanOrEqual(
          20_000,
        );
        const next = asked.at(-whole.length - 1);
        if (cut.length === 0 && next !== undefined && whole.length < asked.length)
          expect(measure.messages([...whole, next])).toBeGreaterThan(20_000);
      }),
      { numRuns: 8 },
    );
  });

  it("of today keeps the newest 20,000 tokens of the person, tells what was left out, and cuts the first above it in the middle", async () => {
    const session = sessionOf(4_000, 6_000, 9_500, 9_000, 3_000, 40);
    const { messages, compaction } = await compactionOf(session, {}, TODAY);
    const asked = session.messages.filter((message) => message.role === "user" && message !== ENVIRONMENT);
    const cut = lone(messages, "digest");
    // 40, 3,000 and 9,000 fit whole; of 9,500 the rest is cut away; nothing older stays.
    expect(messages.filter((message) => asked.includes(message))).toEqual(asked.slice(3));
    const kept = [cut, ...asked.slice(3)];
    expect(measure.messages(kept)).toBeLessThanOrEqual(20_000);
    expect(measure.messages(kept)).toBeGreaterThan(19_500);
    const [whole, text] = [contentText(asked[2]!.parts), contentText(cut.parts)];
    expect(text.slice(0, 200)).toBe(whole.slice(0, 200));
    expect(text.slice(-200)).toBe(whole.slice(-200));
    expect(compaction.evicted.find(({ kind }) => kind === "text")?.original).toBe(whole);
    expect(compaction.report.degraded).toEqual([
      "2 of the user's 6 messages left out to save room",
      "1 of the user's 6 messages cut in the middle to save room",
    ]);
  });

  it("puts older requests first, then what the session opened with, the last request and the handoff", async () => {
    const session = sessionOf(50, 60, 70);
    const { messages } = await compactionOf(session);
    const [, first] = session.messages;
    const asked = session.messages.filter((message) => message.role === "user" && message !== ENVIRONMENT);
    expect(messages.slice(0, -1)).toEqual([first, asked[1], ENVIRONMENT, asked[2]]);
    expect(messages.at(-1)).toMatchObject({ role: "user", origin: "summary" });
  });

  it("keeps nothing that the assistant said or a tool answered, but what is not read yet", async () => {
    const unread = ran("shell", { command: "make" }, filler(300, "fresh"));
    const session = talk(...sessionOf(50, 60).messages, ...unread);
    const { messages } = await compactionOf(session);
    expect(messages.filter(({ role }) => role === "assistant" || role === "tool")).toEqual(unread);
    expect(messages.slice(-2)).toEqual(unread);
    const today = await compactionOf(session, {}, { preset: "current" });
    expect(today.messages.every(({ role }) => role === "user")).toBe(true);
  });

  it("writes what Codex asks of a handoff, in four parts that can be read back", async () => {
    const session = talk(
      user("Mend the import. Never touch src/api.ts."),
      ...ran("edit_file", { path: "src/import.ts", old: "a", new: "b" }, "ok"),
      ...ran("shell", { command: "npm test" }, `${filler(20_000)}\nError: expected 4 rows, got 3`),
      says("The import still loses a row."),
    );
    const { messages } = await compactionOf(session, {}, { contextLength: 50_000 });
    const text = contentText(lone(messages, "summary").parts);
    for (const heading of ["Progress & Key Decisions", "What Remains", "Data & References"])
      expect(text).toContain(`## ${heading}`);
    const read = parseHandoff(text)!;
    expect(read.sections.get("files")).toEqual([expect.stringContaining("src/import.ts")]);
    expect(text).toContain("Error: expected 4 rows, got 3");
  });

  it("trims the person's oldest words where the result is still too long, and ends", async () => {
    const session = sessionOf(6_000, 6_000, 6_000, 100);
    const { messages, compaction } = await compactionOf(session, {}, { contextLength: 20_000 });
    expect(compaction.report.rung).toBe(1);
    expect(compaction.report.degraded).toEqual([
      "1 of the user's 4 messages left out to save room",
      "1 of the user's 4 messages cut in the middle to save room",
      expect.stringContaining("before the first request"),
    ]);
    expect(compaction.report.tokens.after).toBeLessThanOrEqual(10_000);
    expect(messages).toContain(session.messages[13]);
    const engine = createHandoff({ ...HANDOFF_DEFAULTS, contextLength: 20_000 });
    const hopeless = talk(user(filler(19_400)), ...ran("shell", {}, filler(900)), says("Hm."));
    const outcome = await engine.compact(engine.init(), hopeless, { measure, chain, reason: "threshold" });
    const state = outcome.kind === "compacted" ? outcome.compaction.state : outcome.state;
    expect(outcome.kind === "compacted" ? outcome.compaction.report.irreducible : outcome.irreducible).toBeDefined();
    const decide = (tokens: number) => engine.decide(state as ReturnType<typeof engine.init>, { tokens, messages: 3 });
    expect(decide(20_000)).toMatchObject({ kind: "none", because: expect.stringContaining("fresh session") });
    expect(decide(25_000).kind).toBe("compact");
  });

  it("never cuts the live request, whatever it weighs", async () => {
    const session = sessionOf(500, 30_000);
    const { messages } = await compactionOf(session, {}, TODAY);
    const asked = session.messages.filter((message) => message.role === "user" && message !== ENVIRONMENT);
    expect(messages).toContain(asked[1]);
    expect(messages).not.toContain(asked[0]);
  });

  it("cuts between words and within a budget, in any script", async () => {
    const cjk = "第三行：构建失败，找不到模块。".repeat(4_000);
    const session = talk(user(cjk), ...sessionOf(60).messages.slice(1));
    const { messages } = await compactionOf(session, {}, TODAY);
    const text = contentText(lone(messages, "digest").parts);
    expect(text.isWellFormed()).toBe(true);
    expect(cjk.startsWith(text.slice(0, 100))).toBe(true);
  });

  it("keeps messages that came with tool results in one wire message valid for that wire", async () => {
    const anthropic = protocols["anthropic-messages"];
    const body = JSON.stringify({
      model: "m",
      max_tokens: 10,
      messages: [
        { role: "user", content: "Mend the build." },
        { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "shell", input: { command: "make" } }] },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "t1", content: filler(9_000) },
            { type: "text", text: "And hurry." },
          ],
        },
        { role: "assistant", content: "Done." },
        { role: "user", content: "Now the docs." },
      ],
    });
    const decoded = anthropic.decode(body);
    const { compaction } = await compactionOf(decoded.transcript);
    const sent = JSON.parse(anthropic.splice(decoded, applyCompaction(decoded.transcript, compaction))) as {
      messages: { role: string; content: unknown }[];
    };
    const text = JSON.stringify(sent.messages);
    expect(text).toContain("And hurry.");
    expect(text).not.toContain("tool_result");
    expect(sent.messages.every(({ role }) => role === "user")).toBe(true);
  });
});

describe("the remote path of handoff", () => {
  const RAW = '{"type":"compaction","id":"cmp_1","encrypted_content":"gAAAA\\u00e4==", "n":12345678901234567890}';
  const answers: Remote = () => Promise.resolve({ type: "compaction", raw: RAW });

  it("keeps the provider's item byte for byte, up to the request that carries it", async () => {
    const responses = protocols["openai-responses"];
    const input = [
      { type: "message", role: "user", content: "Mend the build." },
      { type: "function_call", call_id: "c1", name: "shell", arguments: '{"command":"make"}' },
      { type: "function_call_output", call_id: "c1", output: filler(9_000) },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Done." }] },
      { type: "message", role: "user", content: "Now the docs." },
    ];
    const decoded = responses.decode(JSON.stringify({ model: "m", input }));
    const { compaction, messages } = await compactionOf(decoded.transcript, { remote: answers });
    expect(messages.flatMap(({ parts }) => parts).filter(({ kind }) => kind === "opaque")).toEqual([
      { kind: "opaque", type: "compaction", raw: RAW },
    ]);
    const sent = responses.splice(decoded, applyCompaction(decoded.transcript, compaction));
    expect(sent).toContain(RAW);
    expect(sent).toContain("Now the docs.");
    expect(compaction.report.summary?.by).toBe("model");
    // AlreadyVisible the item stands no more than what leads to the originals.
    const [span] = compaction.evicted;
    expect(sent).toContain(span!.id);
    expect(compaction.report.parts.handoff - measure.text(RAW)).toBeLessThan(400);
  });

  it("gives the provider what is sent today, an earlier item included", async () => {
    const seen: Transcript[] = [];
    const session = sessionOf(50, 60);
    const standing = {
      ...session,
      messages: [textMessage("user", "earlier", "summary"), ...session.messages.slice(4)],
    };
    const remote: Remote = (transcript) => {
      seen.push(transcript);
      return Promise.resolve({ type: "compaction", raw: RAW });
    };
    await compactionOf(session, { remote, standing });
    expect(seen).toEqual([standing]);
  });

  it.each<[string, Remote]>([
    ["rejects", () => Promise.reject(new Error("503"))],
    ["answers no item", () => Promise.resolve({ type: "compaction", raw: "not JSON" })],
    ["answers more than there was", () => Promise.resolve({ type: "compaction", raw: JSON.stringify(filler(60_000)) })],
  ])("writes the handoff itself where the provider %s, and says so", async (_, remote) => {
    const session = sessionOf(50, 60);
    const { compaction, messages } = await compactionOf(session, { remote });
    const local = await compactionOf(session);
    expect(messages).toEqual(local.messages);
    expect(compaction.report.degraded).toEqual([expect.stringContaining("provider")]);
  });

  it("leaves all that the person wrote, or what today's release leaves of it", async () => {
    const session = sessionOf(15_000, 15_000, 15_000, 15_000, 15_000);
    const count = async (settings: Partial<HandoffSettings>, remote?: Remote): Promise<number> => {
      const request = remote === undefined ? {} : { remote };
      const { messages } = await compactionOf(session, request, settings);
      return messages.filter((message) => session.messages.includes(message) && message !== ENVIRONMENT).length;
    };
    expect([await count({}, answers), await count(TODAY, answers), await count(TODAY)]).toEqual([5, 4, 1]);
  });

  it("is given up with the host's own reason", async () => {
    const stop = new AbortController();
    const remote: Remote = () => {
      stop.abort(new Error("the host stops"));
      return Promise.reject(new Error("aborted"));
    };
    await expect(compactionOf(sessionOf(50), { remote, signal: stop.signal })).rejects.toThrow("the host stops");
  });
});
