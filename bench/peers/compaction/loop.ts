/**
 * A whole session as an agent sends it: before each reply of the model the history so far, made smaller by one strategy
 * whenever it is over the trigger. What each request costs by an ideal prefix cache, and what the contexts that were
 * really sent at the cuts still hold.
 */
import { hash } from "node:crypto";
import { textOf, tokensOf, type ChatMessage } from "../../../eval/src/recall/future-use.ts";
import { createExam, type Score } from "../../../eval/src/recall/exam.ts";
import type { Told } from "../extract.ts";
import { PRICES } from "./prices.ts";
import type { Sitting } from "./sittings.ts";
import type { Strategy } from "./strategies.ts";
import { validityOf } from "./validity.ts";

/** One stretch of a recorded session, with the cuts in it. */
export interface Stretch {
  readonly file: string;
  readonly messages: readonly ChatMessage[];
  readonly sittings: readonly Sitting[];
}

export interface Run {
  readonly file: string;
  readonly requests: number;
  /** In input tokens; the model's own answers are the same under every strategy, and left out. */
  readonly cost: number;
  /** Of it, what summaries cost. */
  readonly summaries: number;
  readonly told: Told;
  /** Tokens sent, over all requests. */
  readonly sent: number;
  /** Requests that shared less with an earlier one than that one had. */
  readonly busts: number;
  readonly invalid: number;
  /** The contexts at the cuts, marked. */
  readonly scores: readonly Score[];
}

export function stretchesOf(sittings: readonly Sitting[]): readonly Stretch[] {
  const byStart = Map.groupBy(sittings, ({ cut }) => cut.prefix[0]!);
  return [...byStart.values()].map((group) => {
    const [{ file, cut }] = group as [Sitting];
    return { file, messages: [...cut.prefix, ...cut.rest], sittings: group };
  });
}

export async function runOf(strategy: Strategy, { file, messages, sittings }: Stretch): Promise<Run> {
  const account = createAccount();
  const course = strategy.start(sittings[0]!);
  const exams = sittings.map(({ cut, reader }) => ({ at: cut.prefix.length, exam: createExam(cut, reader) }));
  const scores: Score[] = [];
  let invalid = 0;
  for (const [at, message] of messages.entries()) {
    if (message.role !== "assistant" || at === 0) continue;
    const history = messages.slice(0, at);
    const sent = await course.send(history);
    account.pay(sent);
    if (sent.length < at && !validityOf(sent, history).valid) invalid += 1;
    while (exams.length > 0 && exams[0]!.at <= at) scores.push(exams.shift()!.exam.score(sent.map(textOf).join("\n")));
  }
  const told = course.told();
  const summaries = told.shown + told.written * PRICES.output;
  const { cost, ...sums } = account.sums();
  return { file, ...sums, cost: cost + summaries, summaries, told, invalid, scores };
}

/** The best cache there could be: whatever was ever sent before is read, to the token, and nothing is forgotten. */
function createAccount() {
  const known = new Set<string>();
  const weigh = remembering();
  const sums = { requests: 0, cost: 0, sent: 0, busts: 0 };
  let lastTokens = 0;
  const pay = (messages: readonly ChatMessage[]): void => {
    let [input, read, prefix] = [0, 0, ""];
    for (const { text, tokens } of messages.map(weigh)) {
      prefix = hash("sha256", `${prefix}\n${text}`);
      input += tokens;
      if (known.has(prefix)) read = input;
      known.add(prefix);
    }
    sums.requests += 1;
    sums.sent += input;
    sums.cost += read * PRICES.read + (input - read) * PRICES.write;
    if (read < lastTokens) sums.busts += 1;
    lastTokens = input;
  };
  return { pay, sums: () => ({ ...sums }) };
}

interface Weighed {
  readonly text: string;
  readonly tokens: number;
}

function remembering(): (message: ChatMessage) => Weighed {
  const known = new WeakMap<ChatMessage, Weighed>();
  return (message) => {
    const weighed = known.get(message) ?? { text: JSON.stringify(message), tokens: tokensOf(textOf(message)) + 1 };
    known.set(message, weighed);
    return weighed;
  };
}
