/**
 * The boundary: of all that is planted in a session, nothing reaches the model that writes the handoff, what the store
 * keeps of ours, the report, or the log; also where that model says whatever it read, and more.
 */
import { beforeAll, describe, expect, test } from "vitest";
import type { Compaction } from "../../src/core/compaction/compaction.ts";
import type { Writer } from "../../src/core/handoff/model/writer.ts";
import { contentText, type Message, type Transcript } from "../../src/core/transcript/message.ts";
import { createRedactor, loadSecretRules, logLine } from "../../src/secrets/index.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { PLANTED, survivors, type Planted } from "../core/redaction/everywhere.ts";
import { filler, ran, says, talk, user } from "../support/compacting.ts";
import { sectionsFor } from "../support/model-answers.ts";

const SESSION_SECRETS = 80;
const BUDGET_TOKENS = 9_000;
/** A few digits of a secret may are somewhere by chance. */
const UNMISTAKABLE_CHARS = 10;

/** In what a person says, in what the agent says and runs, in what tools answer and how they fail. */
function turnsWith({ shape, text }: Planted, at: number): readonly Message[] {
  switch (at % 5) {
    case 0:
      return [user(`Please look at ${shape}: ${text}\nYou must never change it.`), says("I will leave it as it is.")];
    case 1:
      return ran("bash", { command: `echo ${text} > out${at}.txt` }, "ok");
    case 2:
      return ran("read", { path: `src/config${at}.ts` }, `1  import x from "y";\n2  ${text}\n3  export default x;`);
    case 3:
      return ran("bash", { command: `npm run step-${at}` }, `Error: step ${at} failed with ${text}\nexit code 1`);
    default:
      return [says(`I decided to use ${text} because the tests need it. Next: run step ${at}.`)];
  }
}

const sessionWith = (planted: readonly Planted[]): Transcript =>
  talk(
    user("Set up the deployment of the shop, step by step."),
    says("I begin with the configuration."),
    ...planted.flatMap((one, at) => [turnsWith(one, at), says(`Step ${at} is done. ${filler(20, `note ${at}`)}`)]),
    user("Now go on with the last step."),
    says("Yes."),
  );

/** Says all it read, in the sections asked for, and adds what it never read. */
function leakyWriter(leaks: string[]): { readonly writer: Writer; readonly prompts: string[] } {
  const prompts: string[] = [];
  const ask: Writer["ask"] = async ({ system, user: prompt }) => {
    prompts.push(system, prompt);
    const sections = [...sectionsFor(prompt)].map(
      ([title, items]) => [title, [...items, ...leaks.splice(0, 20)]] as const,
    );
    const text = sections
      .map(([title, items]) => `${title}\n\n${items.map((item) => `- ${item}`).join("\n")}`)
      .join("\n\n");
    return { kind: "answered", text, ended: "stop", usage: { inputTokens: 1, outputTokens: 1, requests: 1 } };
  };
  return { writer: { model: "leaky", windowTokens: 400_000, ask }, prompts };
}

interface Ran {
  readonly planted: readonly Planted[];
  readonly prompts: readonly string[];
  readonly records: readonly Compaction[];
  readonly log: readonly string[];
}

const rules = await loadSecretRules();
const log = createRedactor(rules);

type Told = "by code" | "described" | "in place";

async function run(planted: readonly Planted[], told: Told): Promise<Ran> {
  const { writer, prompts } = leakyWriter(planted.map(({ text }) => text.replaceAll("\n", " ")));
  const records: Compaction[] = [];
  const memory = createMemoryStore();
  const store = {
    ...memory,
    putCompaction: (tenant: string, compaction: Compaction) => {
      records.push(compaction);
      return memory.putCompaction(tenant, compaction);
    },
  };
  const lines: string[] = [];
  const runtime = createRuntime({
    store,
    secrets: rules,
    ...(told === "described" ? { writers: { auxiliary: writer } } : {}),
  });
  runtime.on("compacted", ({ compaction }) => lines.push(logLine({ event: "compacted", compaction }, log)));
  runtime.on("degraded", (event) => lines.push(logLine({ event: "degraded", ...event }, log)));
  const transcript = sessionWith(planted);
  const main = told === "in place" ? { main: { ...writer, followsUp: "as-sent" as const } } : {};
  const outcome = await runtime.compact(transcript, { budget: BUDGET_TOKENS, ...main });
  expect(outcome.kind).toBe("compacted");
  lines.push(logLine({ request: transcript }, log));
  return { planted, prompts, records, log: lines };
}

const sessions = Array.from({ length: Math.ceil(PLANTED.length / SESSION_SECRETS) }, (_, at) =>
  PLANTED.filter((_one, index) => index % Math.ceil(PLANTED.length / SESSION_SECRETS) === at),
);

describe.each([
  ["by code", "by code"],
  ["by a model that says all it knows", "described"],
  ["by the main model in place, which says all it knows", "in place"],
] as const)("handoffs written %s", (_name, told) => {
  let runs: readonly Ran[] = [];
  beforeAll(async () => {
    runs = await Promise.all(sessions.map((planted) => run(planted, told)));
  }, 120_000);

  const holds = (what: (ran: Ran) => string): void => {
    for (const one of runs) {
      const text = what(one);
      const leaked = one.planted.filter(({ secret }) => survivors(secret, text, UNMISTAKABLE_CHARS).length > 0);
      expect(leaked.map(({ shape, place }) => `${shape}, ${place}`)).toEqual([]);
    }
  };

  test("are of many secrets, and were written", () => {
    expect(runs.reduce((sum, { planted }) => sum + planted.length, 0)).toBe(PLANTED.length);
    for (const { prompts, records } of runs) {
      expect(records).toHaveLength(1);
      expect(prompts.length > 0).toBe(told !== "by code");
      expect(records[0]!.after.some(({ origin }) => origin === "summary")).toBe(true);
    }
  });

  test("ask the model without a secret", () => holds(({ prompts }) => prompts.join("\n")));

  test("hold no secret", () =>
    holds(({ records }) =>
      records
        .flatMap(({ after }) => after.filter(({ origin }) => origin === "summary"))
        .map(({ parts }) => contentText(parts))
        .join("\n"),
    ));

  test("come with a report that holds none", () =>
    holds(({ records }) => JSON.stringify(records.map(({ report }) => report))));

  test("leave none in a log, not even of the whole request", () => holds(({ log: lines }) => lines.join("\n")));
});
