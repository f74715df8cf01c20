/** `stepped`, held against the figures of IA al Día 2026 and of OpenCode 1.18, and against its policy. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyCompaction, type Compaction } from "../../../../src/core/compaction/compaction.ts";
import type { CompactRequest } from "../../../../src/core/engines/contract.ts";
import { steppedLimits, createStepped, hiddenResults } from "../../../../src/core/engines/stepped.ts";
import { STEPPED_DEFAULTS, type SteppedSettings } from "../../../../src/core/engines/settings.ts";
import { FIVE_SECTIONS_IN_ALL, fiveSections } from "../../../../src/core/handoff/five-sections.ts";
import { parseHandoff } from "../../../../src/core/handoff/write.ts";
import { languageOfPeople, type Language } from "../../../../src/core/handoff/language.ts";
import type { Writers } from "../../../../src/core/handoff/model/writer.ts";
import {
  callsOf,
  contentText,
  resultOf,
  type Message,
  type Transcript,
} from "../../../../src/core/transcript/message.ts";
import { violationsOf } from "../../../../src/core/transcript/oracle.ts";
import { chain, filler, measure, ran, says, talk, user } from "../../../support/compacting.ts";

const NOON = Date.UTC(2026, 4, 3, 12);

interface Compacted {
  readonly compaction: Compaction;
  readonly result: Transcript;
  readonly messages: readonly Message[];
}

async function compactionOf(
  transcript: Transcript,
  { state, ...request }: Partial<CompactRequest> & { readonly state?: unknown } = {},
  settings: Partial<SteppedSettings> = {},
): Promise<Compacted> {
  const engine = createStepped({ ...STEPPED_DEFAULTS, ...settings });
  const own = (state as ReturnType<typeof engine.init> | undefined) ?? engine.init();
  const given = { measure, chain, reason: "threshold", now: NOON, ...request } as const;
  const outcome = await engine.compact(own, transcript, given);
  if (outcome.kind !== "compacted") throw new Error(outcome.because);
  const result = applyCompaction(transcript, outcome.compaction);
  expect(violationsOf(result)).toEqual([]);
  return { compaction: outcome.compaction, result, messages: result.messages };
}

/** Results of that many tokens by these tools, in a first turn; then two turns of the user with a small result each. */
function sessionOf(...results: readonly (readonly [tool: string, tokens: number])[]): Transcript {
  return talk(
    user("Mend the import. Never touch src/api.ts."),
    ...results.map(([tool, tokens], at) => ran(tool, { step: at }, filler(tokens, `out${at}`))),
    says("It is mended."),
    user("Now the tests."),
    ...ran("shell", { command: "npm test" }, filler(600, "tests")),
    says("They pass."),
    user("And the docs."),
    ...ran("shell", { command: "npm run docs" }, filler(700, "docs")),
  );
}

const shell = (tokens: number, times: number) => Array.from({ length: times }, () => ["shell", tokens] as const);

/** Places of the results that are not as they were. */
function hiddenIn(session: Transcript, { messages }: Compacted): readonly number[] {
  return messages.flatMap((message, at) => (message.origin === "stub" && session.messages[at] !== message ? at : []));
}

describe("the figures of stepped", () => {
  it.each([32_000, 64_000, 200_000, 1_000_000])("are the published ones, with a window of %i", (contextLength) => {
    const limits = steppedLimits({ ...STEPPED_DEFAULTS, contextLength });
    expect(limits).toMatchObject({ hideTokensMin: 20_000, protectedTokens: 40_000 });
    expect(limits.triggerTokens).toBe(contextLength - Math.min(20_000, contextLength / 10));
    const engine = createStepped({ ...STEPPED_DEFAULTS, contextLength });
    const at = (tokens: number): string => engine.decide(engine.init(), { tokens, messages: 9 }).kind;
    expect([at(limits.triggerTokens - 1), at(limits.triggerTokens)]).toEqual(["none", "compact"]);
  });

  it("are today's by the preset: hiding off, a tail of 2,000 to 15,000, the reserved output for a margin", () => {
    const tailOf = (contextLength: number): number =>
      steppedLimits({ ...STEPPED_DEFAULTS, preset: "current", contextLength }).tailTokens;
    expect([tailOf(6_000), tailOf(32_000), tailOf(200_000)]).toEqual([2_000, 8_000, 15_000]);
    const limits = steppedLimits({ contextLength: 200_000, maxOutputTokens: 32_000, preset: "current" });
    expect(limits).toMatchObject({ hideTokensMin: Infinity, triggerTokens: 168_000 });
    expect(steppedLimits({ ...STEPPED_DEFAULTS, maxOutputTokens: 32_000 }).triggerTokens).toBe(148_000);
    expect(steppedLimits({ ...STEPPED_DEFAULTS, maxOutputTokens: 8_000 }).triggerTokens).toBe(184_000);
  });
});

describe("hiding", () => {
  it("keeps to its rules whatever the results weigh", async () => {
    const results = fc.array(fc.tuple(fc.constantFrom("shell", "skill"), fc.integer({ min: 10, max: 16_000 })), {
      minLength: 9,
      maxLength: 13,
    });
    let hidings = 0;
    await fc.assert(
      fc.asyncProperty(results, async (drawn) => {
        const session = sessionOf(...drawn);
        const done = await compactionOf(session);
        if (done.compaction.report.rung > 0) return;
        hidings++;
        const hidden = hiddenIn(session, done);
        const turn = session.messages.findIndex((message) => contentText(message.parts) === "Now the tests.");
        const newer = session.messages.slice(Math.max(...hidden) + 1);
        const isSkill = (at: number): boolean => callsOf(session.messages[at - 1]!)[0]?.name === "skill";
        expect(hidden.every((at) => at < turn && !isSkill(at))).toBe(true);
        expect(measure.messages([session.messages[Math.max(...hidden)]!, ...newer])).toBeGreaterThan(40_000);
        const { before, after } = done.compaction.report.tokens;
        expect(before - after).toBeGreaterThan(20_000);
      }),
      { numRuns: 12 },
    );
    expect(hidings).toBeGreaterThan(0);
  });

  it("hides what is older than the newest 40,000 tokens of results, and nothing else", async () => {
    const session = sessionOf(...shell(5_000, 16));
    const done = await compactionOf(session);
    expect(done.compaction.report.rung).toBe(0);
    const hidden = hiddenIn(session, done);
    const results = session.messages.flatMap((message, at) => (resultOf(message) === undefined ? [] : at));
    expect(hidden).toEqual(results.slice(0, hidden.length));
    const shown = measure.messages(results.slice(hidden.length).map((at) => session.messages[at]!));
    expect(shown).toBeLessThanOrEqual(40_000);
    expect(shown + measure.message(session.messages[hidden.at(-1)!]!)).toBeGreaterThan(40_000);
    done.messages.forEach((message, at) => {
      if (!hidden.includes(at)) expect(message).toBe(session.messages[at]);
    });
  });

  it("does so only where more than 20,000 tokens are gained", async () => {
    const [little, enough] = [sessionOf(...shell(5_000, 11)), sessionOf(...shell(5_000, 13))];
    expect((await compactionOf(little)).compaction.report.rung).toBeGreaterThan(0);
    const { compaction } = await compactionOf(enough);
    expect(compaction.report.rung).toBe(0);
    expect(compaction.report.tokens.before - compaction.report.tokens.after).toBeGreaterThan(20_000);
  });

  it("never touches the last two turns of the user", async () => {
    const session = talk(
      user("Begin."),
      ...Array.from({ length: 6 }, (_, at) => ran("shell", { at }, filler(5_000, `old${at}`))),
      user("Go on."),
      ...Array.from({ length: 14 }, (_, at) => ran("shell", { on: at }, filler(5_000, `new${at}`))),
      user("And on."),
    );
    const done = await compactionOf(session);
    const turn = session.messages.findIndex((message) => contentText(message.parts) === "Go on.");
    expect(hiddenIn(session, done)).toHaveLength(6);
    expect(Math.max(...hiddenIn(session, done))).toBeLessThan(turn);
  });

  it("never hides what a skill says", async () => {
    const session = sessionOf(["skill", 9_000], ...shell(5_000, 16));
    const done = await compactionOf(session);
    expect(done.compaction.report.rung).toBe(0);
    expect(done.messages[2]).toBe(session.messages[2]);
  });

  it("states what is hidden with the time, and deletes nothing", async () => {
    const session = sessionOf(...shell(5_000, 16));
    const done = await compactionOf(session);
    const stamps = hiddenResults(JSON.parse(JSON.stringify(done.compaction.state)));
    expect(stamps.map(({ message }) => message)).toEqual(hiddenIn(session, done));
    expect(new Set(stamps.map(({ at }) => at))).toEqual(new Set([NOON]));
    for (const { id, message } of stamps) {
      const kept = done.compaction.evicted.find((one) => one.id === id)!;
      expect(kept.original).toBe(contentText(session.messages[message]!.parts));
      expect(contentText(done.messages[message]!.parts)).toContain(id);
    }
    expect(hiddenResults(null)).toEqual([]);
    expect(hiddenResults({ schemaVersion: 1, engine: "other", hidden: stamps })).toEqual([]);
  });

  it("leaves what is hidden word for word as it is when more is hidden later, with its time", async () => {
    const early = sessionOf(...shell(5_000, 16));
    const first = await compactionOf(early);
    const more = sessionOf(...shell(5_000, 8)).messages;
    const later = { ...early, messages: [...early.messages, ...more] };
    const standing = applyCompaction(later, first.compaction);
    const state: unknown = JSON.parse(JSON.stringify(first.compaction.state));
    const second = await compactionOf(later, { state, standing, now: NOON + 1 });
    expect(second.compaction.report.rung).toBe(0);
    const stamps = hiddenResults(second.compaction.state);
    expect(stamps.slice(0, hiddenIn(early, first).length)).toEqual(hiddenResults(first.compaction.state));
    expect(stamps.at(-1)?.at).toBe(NOON + 1);
    const prefix = second.messages.findIndex(
      (message, at) => JSON.stringify(message) !== JSON.stringify(standing.messages[at]),
    );
    // The first difference is a result that was shown until now: what came before it is as it was sent.
    expect(second.messages[prefix]?.origin).toBe("stub");
    expect(prefix).toBeGreaterThan(Math.max(...hiddenIn(early, first)));
  });

  it("shows again what a rewound conversation has in another's place", async () => {
    const session = sessionOf(...shell(5_000, 16));
    const { compaction } = await compactionOf(session);
    const other = sessionOf(...shell(5_100, 16));
    const done = await compactionOf(other, { state: compaction.state, now: NOON + 1 });
    expect(hiddenResults(done.compaction.state).every(({ at }) => at === NOON + 1)).toBe(true);
  });

  it("is off in today's release", async () => {
    const { compaction } = await compactionOf(sessionOf(...shell(5_000, 16)), {}, { preset: "current" });
    expect(compaction.report.rung).toBeGreaterThan(0);
    expect(hiddenResults(compaction.state)).toEqual([]);
  });
});

describe("the summary", () => {
  const session = sessionOf(...shell(3_000, 8));

  it("stands first, then the last user message again, then what the model has not read", async () => {
    const { messages, compaction } = await compactionOf(session);
    expect(messages.map(({ role, origin }) => origin ?? role)).toEqual(["summary", "anchor", "assistant", "tool"]);
    expect(contentText(messages[1]!.parts)).toBe("And the docs.");
    expect(messages.slice(2)).toEqual(session.messages.slice(-2));
    expect(compaction.report.summary?.by).toBe("ledger");
  });

  it("leaves a request that nobody has answered where it is", async () => {
    const asked = { ...session, messages: session.messages.slice(0, -2) };
    const { messages } = await compactionOf(asked);
    expect(messages).toHaveLength(2);
    expect(messages[1]).toBe(asked.messages.at(-1));
  });

  it("has today's tail in today's release", async () => {
    const { messages, compaction } = await compactionOf(session, {}, { preset: "current" });
    expect(messages.length).toBeGreaterThan(4);
    expect(compaction.report.parts.tail).toBeLessThanOrEqual(15_000);
    expect(compaction.report.parts.tail).toBeGreaterThan(10_000);
  });

  it("has OpenCode's five sections", async () => {
    const { messages } = await compactionOf(session);
    const read = parseHandoff(contentText(messages[0]!.parts))!;
    const template = fiveSections("en");
    expect(template).toHaveLength(5);
    for (const { heading } of template.slice(0, 2)) expect(contentText(messages[0]!.parts)).toContain(`## ${heading}`);
    expect(read.sections.get("actions")?.join("\n")).toContain("Never touch src/api.ts");
  });

  it.each<[Language, string]>([
    ["es", "Arregla la importación de los pedidos y no toques el archivo src/api.ts, por favor."],
    ["de", "Bitte repariere den Import und ändere nicht die Datei src/api.ts; das ist mit dem Team so vereinbart."],
    ["fr", "Corrige l'import des commandes et ne touche pas au fichier src/api.ts, c'est pour la démo."],
    ["zh", "请修复导入功能，不要修改 src/api.ts 文件。"],
    ["ja", "インポートを直してください。src/api.ts は変更しないでください。"],
    ["ru", "Почини импорт заказов и не трогай файл src/api.ts."],
  ])("is headed in the user's language: %s", async (language, request) => {
    const steps = Array.from({ length: 6 }, (_, at) => ran("shell", { at }, filler(3_000, `out${at}`))).flat();
    const { messages } = await compactionOf(talk(user(request), ...steps, says("Done."), user("OK")));
    const text = contentText(messages[0]!.parts);
    const headings = fiveSections(language).map(({ heading }) => heading);
    expect(headings.some((heading) => text.includes(`## ${heading}\n`))).toBe(true);
    for (const line of text.split("\n").filter((one) => one.startsWith("## ")))
      expect(headings).toContain(line.slice(3));
    expect(parseHandoff(text)!.sections.size).toBeGreaterThan(0);
  });

  it("asks a model for these sections, and takes its answer in that language", async () => {
    const [done, now, , next, decided] = fiveSections("es").map(({ heading }) => heading);
    const prompts: string[] = [];
    const writers: Writers = {
      resting: [],
      main: {
        model: "scribe",
        windowTokens: 100_000,
        ask: ({ user: prompt }) => {
          prompts.push(prompt);
          const text = [
            `## ${done}\n1. Se arregló la importación en src/import.ts con npm test`,
            `## ${now}\n- Faltan los documentos de src/import.ts`,
            `## ${next}\n- Escribir los documentos de src/import.ts`,
            `## ${decided}\n- src/api.ts no se toca`,
          ].join("\n");
          return Promise.resolve({
            kind: "answered",
            text,
            ended: "stop",
            usage: { inputTokens: 9, outputTokens: 9, requests: 1 },
          });
        },
      },
    };
    const spanish = talk(
      user("Arregla la importación de los pedidos en src/import.ts y no toques src/api.ts, por favor."),
      ...ran("shell", { command: "npm test src/import.ts" }, filler(9_000)),
      ...ran("shell", { command: "cat src/import.ts" }, filler(9_000, "more")),
      says("He arreglado src/import.ts."),
      user("Ahora los documentos."),
    );
    const { messages, compaction } = await compactionOf(spanish, { writers });
    expect(compaction.report.summary?.by).toBe("model");
    expect(prompts[0]).toContain(`## ${now}`);
    expect(contentText(messages[0]!.parts)).toContain("Se arregló la importación en src/import.ts");
  });

  it("says irreducible and rests where even that is too much", async () => {
    const engine = createStepped({ ...STEPPED_DEFAULTS, contextLength: 20_000 });
    const hopeless = talk(user(filler(19_400)), ...ran("shell", {}, filler(900)), says("Hm."));
    const outcome = await engine.compact(engine.init(), hopeless, { measure, chain, reason: "threshold" });
    const state = outcome.kind === "compacted" ? outcome.compaction.state : outcome.state;
    const irreducible = outcome.kind === "compacted" ? outcome.compaction.report.irreducible : outcome.irreducible;
    expect(irreducible?.limit).toBe(17_999);
    const decide = (tokens: number) => engine.decide(state as ReturnType<typeof engine.init>, { tokens, messages: 3 });
    expect([decide(20_000).kind, decide(25_000).kind]).toEqual(["none", "compact"]);
  });
});

describe("the language of a text", () => {
  it("is English where nothing tells, and not told by code", () => {
    expect(languageOfPeople([])).toBe("en");
    expect(languageOfPeople([user("fix src/api.ts el")])).toBe("en");
    expect(languageOfPeople([user(`修复这个构建错误，它在昨天的提交之后出现。${"const x = y; "}`)])).toBe("zh");
  });

  it("has headings of its own that no other template's text is taken for", () => {
    const headings = FIVE_SECTIONS_IN_ALL.flatMap((template) => template.map(({ heading }) => heading));
    expect(new Set(headings).size).toBe(headings.length);
    expect(headings).toHaveLength(50);
  });
});
