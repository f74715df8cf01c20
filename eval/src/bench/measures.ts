/** Every measure of the bench, each a count of what was held of what was planted, for each compactor. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { contentOf, type ChatMessage } from "../recall/future-use.ts";
import { charsOf, conversationOf, textOfAll, type BenchCompactor, type Field } from "./compactors.ts";
import { runSuite, type Answering } from "./suites.ts";

const EXAMPLES = join(import.meta.dirname, "..", "..", "..", "examples");
const SEEDS = [1, 2, 3, 4];
/** `compaction-kit benchmark` has as many by default. */
const KIT_ROUNDS = 5;
const KIT_BUDGETS = [0.2, 0.3] as const;
const CANARIES_PER_SESSION = 20;
/** 87,000 tokens. */
const AGENT_CHARS = 348_000;
const AGENT_BUDGET = 0.1;
const CONSTRAINTS_AGENT_BUDGET = 0.05;
const CONSTRAINTS_CHAT_BUDGET = 0.2;
const AUDIT_BUDGET = 0.1;
const CHARS_PER_TOKEN = 4;

export interface Row {
  readonly name: string;
  readonly held: number;
  readonly of: number;
  /** Results that were larger than the budget even at their smallest. */
  readonly overBudget: number;
}

export interface Measure {
  readonly title: string;
  readonly says: string;
  readonly suite: string;
  readonly rows: readonly Row[];
}

export interface Bench {
  readonly field: Field;
  readonly interpreter: string;
  /** Called before each measure. */
  readonly onStep: (title: string) => void;
}

export async function measureAll(bench: Bench): Promise<readonly Measure[]> {
  const steps = [kitMeasures, agentMeasures, constraintMeasures, auditMeasure];
  const measures: Measure[] = [];
  for (const step of steps) for (const measure of await step(bench)) measures.push(measure);
  return measures;
}

function answering({ field }: Bench): Answering {
  const byName = new Map(field.compactors.map((one) => [one.name, one]));
  return async ({ compactor, turns, budget }) => {
    const messages = conversationOf(turns);
    const text = textOfAll(messages);
    // From the second round on a suite gives back what it was given: there is nothing to do where it fits, or is one text.
    if (budget === null || text.length <= budget || turns.length === 1) return turns.length === 1 ? turns[0]![1] : text;
    return textOfAll(await byName.get(compactor)!.compact(messages, budget));
  };
}

interface KitEntry {
  readonly compactor: string;
  readonly budget_fraction: number;
  readonly budget_compliant: boolean;
  readonly randomized: { readonly overall_final_survival: number };
}

async function kitMeasures(bench: Bench): Promise<readonly Measure[]> {
  bench.onStep("compaction-conformance-kit, its own sessions");
  const compactors = namesIn(bench);
  const request = { suite: "kit", compactors, budgets: KIT_BUDGETS, seeds: SEEDS, rounds: KIT_ROUNDS };
  const { version, entries } = await runSuite<{ version: string; entries: readonly KitEntry[] }>(
    bench.interpreter,
    request,
    answering(bench),
  );
  const canaries = SEEDS.length * CANARIES_PER_SESSION;
  return KIT_BUDGETS.map((budget) => ({
    title: `Canaries in small conversations, ${percent(budget)}`,
    says: "Rules, caps, facts, states and preferences in conversations of some 3,000 tokens without tools, after five rounds.",
    suite: `compaction-conformance-kit ${version}`,
    rows: entries
      .filter(({ budget_fraction: one }) => one === budget)
      .map(({ compactor, budget_compliant: fits, randomized }) => ({
        name: compactor,
        held: Math.round(randomized.overall_final_survival * canaries),
        of: canaries,
        overBudget: fits ? 0 : 1,
      })),
  }));
}

interface Scaled {
  readonly held: number;
  readonly canaries: number;
  readonly latest: number;
  readonly resolved: number;
  readonly conflicts: number;
  readonly overBudget: number;
}

async function agentMeasures(bench: Bench): Promise<readonly Measure[]> {
  bench.onStep("compaction-conformance-kit, sessions of an agent's size");
  const request = {
    suite: "scaled",
    compactors: namesIn(bench),
    seeds: SEEDS,
    chars: AGENT_CHARS,
    budget: AGENT_BUDGET,
  };
  const figures = await runSuite<Readonly<Record<string, Scaled>>>(bench.interpreter, request, answering(bench));
  const rowsOf = (counts: (one: Scaled) => readonly [held: number, of: number]): readonly Row[] =>
    Object.entries(figures).map(([name, one]) => {
      const [held, of] = counts(one);
      return { name, held, of, overBudget: one.overBudget };
    });
  const suite = "compaction-conformance-kit's canaries, between tool exchanges of ours";
  const size = `sessions of ${thousands(AGENT_CHARS / CHARS_PER_TOKEN)} tokens with tools, ${percent(AGENT_BUDGET)}`;
  return [
    {
      title: `Canaries in ${size}`,
      says: "After one round.",
      suite,
      rows: rowsOf(({ held, canaries }) => [held, canaries]),
    },
    {
      title: `Newest value of what was said anew, in ${size}`,
      says: "It is there, whatever stands beside it.",
      suite,
      rows: rowsOf(({ latest, conflicts }) => [latest, conflicts]),
    },
    {
      title: `Newest value alone, in ${size}`,
      says: "It is there, and the value that it replaced is not.",
      suite,
      rows: rowsOf(({ resolved, conflicts }) => [resolved, conflicts]),
    },
  ];
}

const POSITIONS = ["top", "middle", "bottom"] as const;

interface Haystack {
  readonly title: string;
  readonly messages: readonly ChatMessage[];
  readonly budget: number;
}

async function constraintMeasures(bench: Bench): Promise<readonly Measure[]> {
  const { version, constraints } = await runSuite<{ version: string; constraints: readonly string[] }>(
    bench.interpreter,
    { suite: "constraints" },
  );
  const haystacks: readonly Haystack[] = [
    { title: "an agent's session", messages: example("refunds"), budget: CONSTRAINTS_AGENT_BUDGET },
    { title: "a chat with an agent", messages: example("bookings"), budget: CONSTRAINTS_CHAT_BUDGET },
  ];
  const measures: Measure[] = [];
  let validity: readonly Row[] = bench.field.compactors.map(({ name }) => ({ name, held: 0, of: 0, overBudget: 0 }));
  for (const haystack of haystacks) {
    bench.onStep(`conpact, ${haystack.title}`);
    const rows: Row[] = [];
    for (const compactor of bench.field.compactors) {
      const { row, valid } = await constraintsHeld(compactor, haystack, { constraints, field: bench.field });
      rows.push(row);
      validity = validity.map((one) =>
        one.name === row.name ? { ...one, held: one.held + valid, of: one.of + row.of } : one,
      );
    }
    measures.push({
      title: `Side constraints in ${haystack.title} of ${thousands(charsOf(haystack.messages) / CHARS_PER_TOKEN)} tokens, ${percent(haystack.budget)}`,
      says: "COMPINT's 15 constraints, word for word, each before the first, the middle and the last user message in turn.",
      suite: `conpact ${version}; its constraints, in sessions of ours`,
      rows,
    });
  }
  const title = "Results that a provider takes";
  return [
    ...measures,
    { title, says: "By the rules of two wires, of the same compactions.", suite: "precis check", rows: validity },
  ];
}

async function constraintsHeld(
  compactor: BenchCompactor,
  { messages, budget }: Haystack,
  { constraints, field }: { readonly constraints: readonly string[]; readonly field: Field },
): Promise<{ readonly row: Row; readonly valid: number }> {
  const users = messages.flatMap(({ role }, at) => (role === "user" ? [at] : []));
  const places = { top: users[0]!, middle: users[users.length >> 1]!, bottom: users.at(-1)! };
  let [held, of, overBudget, valid] = [0, 0, 0, 0];
  for (const position of POSITIONS) {
    for (const constraint of constraints) {
      const before = messages.map((message, at) =>
        at === places[position] ? { ...message, content: `${constraint}\n${contentOf(message.content)}` } : message,
      );
      const charsMax = Math.floor(charsOf(before) * budget);
      const after = await compactor.compact(before, charsMax);
      const text = textOfAll(after);
      of++;
      if (inWords(text).includes(inWords(constraint))) held++;
      if (text.length > charsMax) overBudget++;
      if (field.isValid(after, before)) valid++;
    }
  }
  return { row: { name: compactor.name, held, of, overBudget }, valid };
}

function inWords(text: string): string {
  return text.replace(/\s+/g, " ");
}

async function auditMeasure(bench: Bench): Promise<readonly Measure[]> {
  bench.onStep("compact-audit");
  const messages = example("refunds");
  const charsMax = Math.floor(charsOf(messages) * AUDIT_BUDGET);
  const texts: Record<string, string> = {};
  for (const { name, compact } of bench.field.compactors) texts[name] = textOfAll(await compact(messages, charsMax));
  const lines = messages.flatMap((message) => contentOf(message.content).split("\n"));
  const { version, result } = await runSuite<{
    version: string;
    result: Readonly<Record<string, { readonly kept: number; readonly items: number }>>;
  }>(bench.interpreter, { suite: "audit", lines, texts });
  const rows = Object.entries(result).map(([name, { kept, items }]) => {
    return { name, held: kept, of: items, overBudget: texts[name]!.length > charsMax ? 1 : 0 };
  });
  return [
    {
      title: `Lines with decisions, constraints, errors, edits and to-dos, ${percent(AUDIT_BUDGET)}`,
      says: "Whole lines that match its words, the source code that tools showed included.",
      suite: `compact-audit ${version}, on examples/refunds.openai-chat.json`,
      rows,
    },
  ];
}

function namesIn({ field }: Bench): readonly string[] {
  return field.compactors.map(({ name }) => name);
}

function thousands(tokens: number): string {
  return (Math.round(tokens / 1_000) * 1_000).toLocaleString("en-US");
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function example(name: string): readonly ChatMessage[] {
  const body = JSON.parse(readFileSync(join(EXAMPLES, `${name}.openai-chat.json`), "utf8")) as {
    readonly messages: readonly ChatMessage[];
  };
  return body.messages.filter(({ role }) => role !== "system");
}
