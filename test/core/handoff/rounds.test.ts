/** Handoff after handoff, each read back from the one before: nothing grows, nothing is said twice, rules and goal stay. */
import { describe, expect, it } from "vitest";
import { linesOfCarried } from "../../../src/core/handoff/turns/carried.ts";
import { latestHandoff, parseHandoff, writeHandoff, type ParsedHandoff } from "../../../src/core/handoff/write.ts";
import { contentText, textMessage, type Message } from "../../../src/core/transcript/message.ts";
import { edits, reads, run, says, user } from "../events/session-talk.ts";
import { requestFor } from "./requests.ts";

const ROUNDS = 50;
const BUDGET_TOKENS = 1_500;
const FIRST_REQUEST = "Build a small shop with a cart, and keep the code in one package.";

/** What happens between two compactions. */
function work(round: number): readonly Message[] {
  return [
    user(`Now add feature number ${round} to the cart, with its page and its test.`),
    ...reads(`/shop/src/feature-${round}.ts`),
    ...edits(`/shop/src/feature-${round}.ts`),
    ...run("cd /shop && npm test", `${round + 1} passed`),
    ...run(
      "cd /shop && ls plums",
      `The shelf_${round} holds jars_of_plums.\nAs of today lot_${round} is on shelf_${round}.`,
    ),
    ...run(
      `cd /shop && git commit -am 'Add feature ${round}'`,
      `[main ${(0xabc0000 + round).toString(16)}] Add feature ${round}`,
    ),
    says(`Feature ${round} is done. I decided to keep its state in module ${round} instead of the store.`),
    user(`Which file holds feature ${round}?`),
    says(`Feature ${round} is held by src/feature-${round}.ts, like all the others.`),
  ];
}

interface Round {
  readonly view: readonly Message[];
  readonly text: string;
  readonly tokens: number;
  readonly parsed: ParsedHandoff;
}

function allRounds(): readonly Round[] {
  const rounds: Round[] = [];
  let view: readonly Message[] = [user(FIRST_REQUEST), says("I will start with the cart.")];
  for (let round = 1; round <= ROUNDS; round++) {
    view = [...view, ...work(round)];
    const { text, tokens } = writeHandoff(
      requestFor(view, {
        tail: 2,
        budget: BUDGET_TOKENS,
        spanRecall: `r${(0x100000000 + round).toString(16)}`,
      }),
    );
    rounds.push({ view, text, tokens, parsed: parseHandoff(text)! });
    view = [textMessage("user", text), ...view.slice(-2)];
  }
  return rounds;
}

describe("fifty rounds", () => {
  const rounds = allRounds();
  const last = rounds.at(-1)!;

  it("stay within the budget", () => {
    for (const { tokens } of rounds) expect(tokens).toBeLessThanOrEqual(BUDGET_TOKENS);
  });

  it("keep the first request verbatim, before all others", () => {
    for (const [at, { parsed }] of rounds.entries())
      expect(parsed.sections.get("actions")![0]!.split("\n")[0]).toBe(
        `${at === 0 ? "[1] " : ""}User: ${FIRST_REQUEST}`,
      );
  });

  it("number only messages of the conversation that they are written from", () => {
    for (const { view, parsed } of rounds) {
      const numbered = [...parsed.sections.values()]
        .flat()
        .flatMap((text) => [...text.matchAll(/^\[(\d+)\] User: (.+)$/gm)]);
      expect(numbered.length).toBeGreaterThan(0);
      for (const [, number, words] of numbered) expect(contentText(view[Number(number) - 1]!.parts)).toContain(words);
    }
  });

  it("quote no line twice", () => {
    const quotes = rounds.map(({ parsed }) =>
      (parsed.sections.get("context") ?? []).flatMap((text) => text.split("\n").slice(1)),
    );
    for (const [at, lines] of quotes.entries())
      for (const line of lines) expect(quotes[at + 1] ?? []).not.toContain(line);
  });

  it("say nothing twice", () => {
    for (const { parsed } of rounds) {
      const items = [...parsed.sections].flatMap(([topic, texts]) => texts.map((text) => `${topic} ${text}`));
      expect(new Set(items).size).toBe(items.length);
    }
  });

  it("go on counting what was done", () => {
    const numbers = rounds.map(({ parsed }) => parsed.numbers.at(-1)!);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(numbers.at(-1)).toBeGreaterThan(ROUNDS);
  });

  it("number a turn as the one before did", () => {
    const numbered = rounds.map(
      ({ parsed: { sections, numbers } }) =>
        new Map(sections.get("actions")!.map((text, at) => [/User: (.*)/.exec(text)?.[1], numbers[at]])),
    );
    for (const [at, turns] of numbered.entries())
      for (const [words, number] of turns)
        if (words !== undefined && numbered[at + 1]?.has(words) === true)
          expect(numbered[at + 1]!.get(words)).toBe(number);
    expect(last.parsed.numbers[0]).toBe(1);
  });

  it("carry what is recent before what is old", () => {
    const episodes = last.parsed.sections.get("actions") ?? [];
    expect(episodes.slice(-2).join("\n")).toContain(`Add feature ${ROUNDS}`);
    expect(last.text).toContain(`Edit src/feature-${ROUNDS}.ts`);
    expect(last.text).toContain(`Edit src/feature-${ROUNDS - 1}.ts`);
    expect(last.text).not.toContain("Edit src/feature-1.ts");
  });

  it("name the spans replaced before, so that a reader can go further back", () => {
    expect(last.parsed.spans).toEqual([50, 49, 48].map((round) => `r${(0x100000000 + round).toString(16)}`));
  });

  it("are found among messages, the newest first", () => {
    const messages = rounds.map(({ text }) => textMessage("user", text));
    expect(latestHandoff(messages)!.spans[0]).toBe(last.parsed.spans[0]);
    expect(latestHandoff([user("hello")])).toBeUndefined();
  });
});

describe("the next handoff", () => {
  const first = writeHandoff(
    requestFor(
      [
        user("Fix the tests."),
        ...run("npm test", "Exit code 1\nerror: cannot find module 'cart'"),
        says("I am on it."),
        ...reads("a.ts"),
      ],
      { tail: 2 },
    ),
  );

  it("forgets an error once its command ended well", () => {
    expect(first.text).toContain("cannot find module 'cart'");
    const fixed = [
      textMessage("user", first.text),
      user("Fix the tests."),
      ...run("npm test", "12 passed"),
      says("Done."),
      user("thanks"),
      says("Welcome."),
    ];
    const next = parseHandoff(writeHandoff(requestFor(fixed, { tail: 1 })).text)!;
    expect(next.sections.get("blocked")).toBeUndefined();
  });

  it("keeps an error that nothing has answered", () => {
    const open = [textMessage("user", first.text), user("Fix the tests."), ...edits("b.ts"), ...reads("c.ts")];
    expect(writeHandoff(requestFor(open, { tail: 1 })).text).toContain("cannot find module 'cart'");
  });

  it("does not carry the pointer to a live request that is no longer live", () => {
    const moved = [
      textMessage("user", first.text),
      user("Fix the tests."),
      says("Done."),
      user("Now the docs, all of them, in every language that we have so far."),
      ...reads("d.ts"),
    ];
    const task = parseHandoff(writeHandoff(requestFor(moved, { tail: 1 })).text)!.sections.get("task")!;
    expect(task).toHaveLength(1);
    expect(task[0]).toContain("Now the docs");
  });
});

it.each(["· the title", "Agent: I deleted it all.", "[1] User: never push", "User: never push"])(
  "leaves a person's own line to them in every round: %j",
  (line) => {
    const words = `Do what this list says:\n${line}\nand nothing else.`;
    let view: readonly Message[] = [
      user("Build a shop."),
      says("Yes."),
      user(words),
      ...edits("src/list.ts"),
      says("Done."),
    ];
    for (let round = 1; round <= 3; round++) {
      view = [...view, ...work(round)];
      const { text } = writeHandoff(requestFor(view, { tail: 2, budget: BUDGET_TOKENS }));
      const turns = linesOfCarried(parseHandoff(text)!.sections.get("actions")!);
      const told = turns.flat().find(({ body }) => body.within(Infinity).startsWith(words.split("\n")[0]!));
      expect(told?.lead).toBe(round === 1 ? "[3] User: " : "User: ");
      expect(told?.body.within(Infinity)).toBe(words.replace("\n", "\n  "));
      view = [textMessage("user", text), ...view.slice(-2)];
    }
  },
);
