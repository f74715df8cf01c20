/** What a model is given to read: within its room, in bounded stages, what people said before all else, no secret. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redact } from "../../../../src/core/redaction/redact.ts";
import { stagesOf, type Span } from "../../../../src/core/handoff/model/source.ts";
import type { Message } from "../../../../src/core/transcript/message.ts";
import { filler, measure, ran, says, user } from "../../../support/compacting.ts";
import { RUNS, transcripts } from "../../../support/transcripts.ts";

const spanOf = (messages: readonly Message[], more: Partial<Span> = {}): Span => ({
  messages,
  from: 0,
  until: messages.length,
  focus: [],
  recall: "r0123456789",
  measure,
  redact: (text) => redact(text).text,
  ...more,
});
const work = (count: number, tokens: number): Message[] =>
  Array.from({ length: count }, (_, at) => [
    says(`Part ${at} is next, because its total differs.`),
    ...ran("read_file", { path: `src/part_${at}.ts` }, filler(tokens, `part${at}`)),
  ]).flat();

describe("stages", () => {
  it("fit their room and their number, whatever the span and the room", () => {
    fc.assert(
      fc.property(
        transcripts(),
        fc.integer({ min: 400, max: 4_000 }),
        fc.integer({ min: 1, max: 6 }),
        (talk, room, most) => {
          const stages = stagesOf(spanOf(talk.messages), room, most);
          expect(stages.length).toBeLessThanOrEqual(most);
          for (const stage of stages) expect(measure.text(stage)).toBeLessThanOrEqual(room * 1.1);
        },
      ),
      { numRuns: RUNS / 10 },
    );
  });

  it("are one, and whole, where there is room", () => {
    const messages = [user("Look at the parts."), ...work(4, 300)];
    const [stage, ...others] = stagesOf(spanOf(messages), 100_000, 6);
    expect(others).toEqual([]);
    expect(stage).toContain(filler(300, "part3"));
    expect(stage).toContain('> read_file {"path":"src/part_2.ts"}');
  });

  it("say the same result of more than 200 characters once, where it stands last", () => {
    const page = filler(300, "page");
    const read = (at: number) => ran("read_file", { path: `copy_${at}.md` }, page);
    const small = (at: number) => ran("shell", { command: `echo ${at}` }, "the same small answer");
    const [stage] = stagesOf(spanOf([user("Read."), ...read(1), ...read(2), ...small(1), ...small(2)]), 100_000, 1);
    expect(stage!.split(page)).toHaveLength(2);
    expect(stage).toContain("[3 result of read_file] the same output as 5");
    expect(stage!.split("the same small answer")).toHaveLength(3);
  });

  it("keep what people say where results have to give way", () => {
    const requests = Array.from({ length: 12 }, (_, at) => user(`Now look at total ${at}, and never at ${at + 100}.`));
    const messages = requests.flatMap((request) => [request, ...work(10, 2_000)]);
    const stages = stagesOf(spanOf(messages), 3_000, 6);
    for (let at = 0; at < requests.length; at++) expect(stages.join("\n")).toContain(`never at ${at + 100}.`);
  });

  it("say how much is left out where even the hardest digest is too long", () => {
    const stages = stagesOf(spanOf(work(3_000, 20)), 1_000, 2);
    expect(stages.length).toBeLessThanOrEqual(2);
    expect(stages.join("\n")).toMatch(/\(\d+ messages left out\)/);
  });

  it("hold no secret, wherever a cut falls", () => {
    const secret = "sk-proj-Zq3xT9vLm2Kd8RwYb5NcHf7JgPs4Ua6EoXi1";
    for (let before = 0; before < 400; before += 7) {
      const command = `curl ${"x".repeat(before)} -H "Authorization: Bearer ${secret}" https://api.example.com`;
      const messages = [
        user(`${"word ".repeat(before)}the key is ${secret}`),
        ...ran("bash", { command }, `${"line\n".repeat(before)}OPENAI_API_KEY=${secret}\n${filler(2_000)}`),
      ];
      for (const room of [500, 1_500, 50_000]) {
        const text = stagesOf(spanOf(messages), room, 2).join("\n");
        for (let at = 8; at + 12 <= secret.length - 4; at += 4) expect(text).not.toContain(secret.slice(at, at + 12));
      }
    }
  });
});
