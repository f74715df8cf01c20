/**
 * The one door to the models of an exam. Secrets are masked here, answers are kept here, and nothing that a model says
 * goes further before it has been read by its own rules: what does not pass is asked for again, within a bound.
 */
import { PrecisError } from "../../../src/core/errors.ts";
import type { Redactor } from "../../../src/core/redaction/redactor.ts";
import type {
  FailureClass,
  Writer,
  WriterFailure,
  WriterPrompt,
  WriterReply,
  WriterUsage,
} from "../../../src/core/handoff/model/writer.ts";
import { estimateText } from "../../../src/core/transcript/estimate.ts";
import type { AskedOf, ExamFolder } from "./folder.ts";
import type { ExamModel } from "./models.ts";
import { priceOf, type SpendingLimit } from "./spending-limit.ts";

/** Requests for one answer, the first included; what does not read well by then is marked as failed. */
const ANSWER_ATTEMPTS_MAX = 3;
/** Room beside the estimate of a prompt, because tokenizers differ. */
const INPUT_MARGIN = 1.3;
const PROBLEMS_TOLD_MAX = 10;

/** An answer that can be used, or what is wrong with it, in words that the model is told. */
export type Read<Value> = { readonly value: Value } | { readonly problems: readonly string[] };

export interface Question<Value> {
  readonly role: AskedOf["role"];
  readonly label: string;
  readonly model: ExamModel;
  readonly system: string;
  readonly user: string;
  readonly maxOutputTokens: number;
  /** Tokens of a usual answer, for the price beforehand. */
  readonly usualOutputTokens: number;
  /** Reads an answer; `sent` is the prompt as it was sent. */
  readonly read: (text: string, sent: string) => Read<Value>;
  /** Replaces the answer while only the price is calculated. */
  readonly placeholder: Value;
}

export type ModelAnswer<Value> =
  | { readonly kind: "answered"; readonly value: Value }
  | { readonly kind: "failed"; readonly because: string };

/** Work in which something else asks the model, in words of its own, as often as it needs to. */
export interface Task {
  readonly role: AskedOf["role"];
  readonly label: string;
  readonly model: ExamModel;
  /** Everything that the result depends on: it is kept under this. */
  readonly key: string;
  readonly usualInputTokens: number;
  readonly usualOutputTokens: number;
  readonly perform: (writer: Writer) => Promise<Read<string>>;
  readonly placeholder: string;
}

export interface Asker {
  readonly ask: <Value>(question: Question<Value>) => Promise<ModelAnswer<Value>>;
  readonly perform: (task: Task) => Promise<ModelAnswer<string>>;
  /** What is still to be asked, while only the price is calculated. */
  readonly estimate: () => Estimate;
}

/** Failures that the next request would meet as well. */
const HOPELESS: ReadonlySet<FailureClass> = new Set(["unconfigured", "authentication", "quota"]);

export interface AskerOptions {
  readonly folder: ExamFolder;
  readonly mask: Redactor;
  /** Absent: no model is asked and nothing is written; answers are placeholders, and what they would cost is added up. */
  readonly purse?: SpendingLimit;
}

type PaidOptions = Required<AskerOptions>;

/** @throws PrecisError `cost_limit`, and `model_failed` if no further request can succeed: no key, no such model, no credit. */
export function createAsker({ folder, mask, purse }: AskerOptions): Asker {
  let sum = NOTHING_ASKED;
  const answered = <Value>(value: Value, call?: Call): ModelAnswer<Value> => {
    sum = call === undefined ? { ...sum, kept: sum.kept + 1 } : withCall(sum, call);
    return { kind: "answered", value };
  };
  return {
    ask: async (question) => {
      const { role, label, model } = question;
      const [system, user] = [mask(question.system), mask(question.user)];
      const asked = { role, label, model: model.writer.model, system, user };
      const known = keptAnswer(folder, question, asked);
      if (known !== undefined) return answered(known);
      if (purse !== undefined) return ask({ folder, mask, purse }, question, asked);
      return answered(question.placeholder, { ...question, inputTokens: estimateText(system) + estimateText(user) });
    },
    perform: async (task) => {
      const { role, label, model, key, usualInputTokens: inputTokens, usualOutputTokens: maxOutputTokens } = task;
      const asked = { role, label, model: model.writer.model, system: "", user: key };
      const known = folder.find(asked);
      if (known !== undefined) return answered(known.text);
      if (purse !== undefined) return perform({ folder, mask, purse }, task, asked);
      return answered(task.placeholder, { ...task, inputTokens, maxOutputTokens });
    },
    estimate: () => sum,
  };
}

async function ask<Value>(
  options: PaidOptions,
  question: Question<Value>,
  asked: AskedOf,
): Promise<ModelAnswer<Value>> {
  let problems: readonly string[] = [];
  let usage = NOTHING_SPENT;
  for (let attempt = 1; attempt <= ANSWER_ATTEMPTS_MAX; attempt++) {
    const user = withProblems(asked.user, problems);
    const { system, maxOutputTokens } = { ...asked, ...question, system: asked.system };
    const reply = await once(options, question.model, { system, user, maxOutputTokens });
    if (reply.kind === "failed") return { kind: "failed", because: reply.message };
    usage = added(usage, reply.usage);
    const read = question.read(reply.text, asked.user);
    if ("value" in read) {
      options.folder.keep(asked, { text: reply.text, usage });
      return { kind: "answered", value: read.value };
    }
    problems = read.problems;
  }
  return {
    kind: "failed",
    because: `${ANSWER_ATTEMPTS_MAX} answers could not be used: ${problems[0] ?? "unreadable"}`,
  };
}

/** A kept answer is read by the same rules as a new one: a file can be damaged, or be of an older version. */
function keptAnswer<Value>(folder: ExamFolder, question: Question<Value>, asked: AskedOf): Value | undefined {
  const kept = folder.find(asked);
  const read = kept === undefined ? undefined : question.read(kept.text, asked.user);
  return read !== undefined && "value" in read ? read.value : undefined;
}

function withProblems(user: string, problems: readonly string[]): string {
  if (problems.length === 0) return user;
  const listed = problems.slice(0, PROBLEMS_TOLD_MAX).map((problem) => `- ${problem}`);
  return `${user}\n\nYour last answer could not be used:\n${listed.join("\n")}\nAnswer again, whole.`;
}

type Reply = Extract<WriterReply, { readonly kind: "answered" }> | (WriterFailure & { readonly kind: "failed" });

/** One request, with what it can cost at most put aside while it is under way. */
async function once({ purse }: PaidOptions, model: ExamModel, prompt: WriterPrompt): Promise<Reply> {
  const { writer } = model;
  const inputTokens = estimateText(prompt.system) + estimateText(prompt.user);
  const needed = inputTokens + prompt.maxOutputTokens;
  if (needed > writer.windowTokens)
    return failed("overflow", `${needed} tokens do not fit the window of ${writer.model}, ${writer.windowTokens}`);
  const largest = largestPrice(model, inputTokens, prompt.maxOutputTokens);
  if (!purse.reserve(largest)) throw limitReached();
  const reply = await writer.ask(prompt);
  purse.settle(largest, reply.usage);
  if (reply.kind === "answered") return reply;
  const { class: kind, message } = reply.failure;
  if (HOPELESS.has(kind))
    throw new PrecisError(`the exam cannot continue (${kind}): ${message}`, {
      code: "model_failed",
      hint: "Fix this and run the same command again; it continues from what was kept.",
      retryable: true,
    });
  return failed(kind, `${kind}: ${message}`);
}

function failed(kind: FailureClass, message: string): Reply {
  return { kind: "failed", class: kind, message };
}

/** What ends an exam: further requests would end in the same way. */
export const ENDING_CODES: ReadonlySet<string> = new Set(["model_failed", "cost_limit"]);

function limitReached(): PrecisError {
  return new PrecisError("the next request could exceed --max-cost", {
    code: "cost_limit",
    hint: "Run the same command again with a higher limit; it continues from what was kept.",
    retryable: true,
  });
}

/** The engine gets the model as a writer whose requests are masked, reserved and counted like all others. */
async function perform(options: PaidOptions, task: Task, asked: AskedOf): Promise<ModelAnswer<string>> {
  const { mask, folder } = options;
  const { model } = task;
  let usage = NOTHING_SPENT;
  let fatal: unknown;
  let because: string | undefined;
  const answer: Writer["ask"] = async (prompt) => {
    const safe = { ...prompt, system: mask(prompt.system), user: mask(prompt.user) };
    const reply = await once(options, model, safe).catch((error: unknown): Reply => {
      fatal = error;
      return failed("unconfigured", "the model cannot be used");
    });
    if (reply.kind === "answered") {
      usage = added(usage, reply.usage);
      return reply;
    }
    because = reply.message;
    return { kind: "failed", failure: { class: reply.class, message: reply.message }, usage: NOTHING_SPENT };
  };
  const { windowTokens } = model.writer;
  const read = await task.perform({ model: model.writer.model, windowTokens, ask: answer });
  if (fatal !== undefined) throw fatal;
  if ("problems" in read) return { kind: "failed", because: because ?? read.problems[0] ?? "it wrote nothing" };
  folder.keep(asked, { text: read.value, usage });
  return { kind: "answered", value: read.value };
}

const NOTHING_SPENT: WriterUsage = Object.freeze({ inputTokens: 0, outputTokens: 0, requests: 0 });

function largestPrice({ prices, thinkingTokens }: ExamModel, inputTokens: number, outputTokens: number): number {
  return priceOf(inputTokens * INPUT_MARGIN, outputTokens + thinkingTokens, prices);
}

function added(one: WriterUsage, other: WriterUsage): WriterUsage {
  const costUsd = (one.costUsd ?? 0) + (other.costUsd ?? 0);
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    requests: one.requests + other.requests,
    ...(other.costUsd === undefined ? {} : { costUsd }),
  };
}

/** What is still to be asked, calculated beforehand. */
export interface Estimate {
  readonly calls: number;
  /** Answers that are kept already. */
  readonly kept: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usualUsd: number;
  readonly largestUsd: number;
  /** Models whose price is not known. */
  readonly unpriced: readonly string[];
}

const NOTHING_ASKED: Estimate = Object.freeze({
  calls: 0,
  kept: 0,
  inputTokens: 0,
  outputTokens: 0,
  usualUsd: 0,
  largestUsd: 0,
  unpriced: [],
});

interface Call {
  readonly model: ExamModel;
  readonly inputTokens: number;
  readonly usualOutputTokens: number;
  readonly maxOutputTokens: number;
}

function withCall(sum: Estimate, { model, inputTokens, usualOutputTokens, maxOutputTokens }: Call): Estimate {
  const unpriced = model.prices === undefined ? [model.writer.model] : [];
  return {
    ...sum,
    calls: sum.calls + 1,
    inputTokens: sum.inputTokens + inputTokens,
    outputTokens: sum.outputTokens + usualOutputTokens,
    usualUsd: sum.usualUsd + priceOf(inputTokens, usualOutputTokens, model.prices),
    largestUsd: sum.largestUsd + ANSWER_ATTEMPTS_MAX * largestPrice(model, inputTokens, maxOutputTokens),
    unpriced: [...new Set([...sum.unpriced, ...unpriced])],
  };
}
