/**
 * The contract of an engine, as something to run: built-in engines and those of other people are held to the same
 * promises, on transcripts of the caller's choice. It depends on no test runner: a broken promise is an `EngineFault`.
 */
import { applyCompaction, type Compaction } from "../../core/compaction/compaction.ts";
import type { Writers } from "../../core/handoff/model/writer.ts";
import { createChain, type Hash } from "../../core/transcript/links.ts";
import { createMeasure } from "../../core/transcript/measure.ts";
import { exchangesOf } from "../../core/transcript/exchanges.ts";
import type { Transcript } from "../../core/transcript/message.ts";
import type {
  CompactRequest,
  Engine,
  Outcome,
  Estimator,
  EngineTool,
  Sources,
  ToolAnswer,
  ToolCall,
} from "../../core/engines/contract.ts";
import { examine } from "./examine.ts";
import { demand, demandDecision, isPlain, printOfOutcome, EngineFault, joinReadable } from "./fault.ts";
import { estimateText } from "../../core/transcript/estimate.ts";

/** A transcript to try an engine on. */
export interface Subject {
  readonly transcript: Transcript;
  /** The body it was read from, and how it is written back: undo is then checked to the byte. */
  readonly wire?: { readonly body: string; readonly write: (transcript: Transcript) => string };
}

export interface SuiteOptions {
  /** The engine for a model of that many tokens; a new instance at every call. */
  readonly make: (contextTokens: number) => Engine;
  /** Hexadecimal digest of a text, for example SHA-256. */
  readonly hash: Hash;
  /** The model's window in tokens; without one, windows that the transcript fills. */
  readonly contextTokens?: number;
}

interface Trial extends SuiteOptions {
  readonly transcript: Transcript;
  readonly estimator: Estimator;
  readonly tokens: number;
  readonly windowTokens: number;
}

const BUDGET_SHARES = [0.5, 0.1] as const;
/** A transcript that stays above the trigger may be compacted this often before the engine lets it be. */
const ROUNDS_MAX = 8;
const CALLS_MIN = 8;
/** Model calls allowed for each window of the summarizer that the transcript fills. */
const CALLS_A_WINDOW = 4;
const WRITER_WINDOW_TOKENS = 16_000;
/** States that are not the engine's own: of another version, and of another engine that had the session before. */
const FOREIGN_STATES: readonly unknown[] = [{ schemaVersion: -1 }, { schemaVersion: 1, kept: ["x"] }, null];

/**
 * Holds an engine to its contract on one transcript.
 *
 * @throws EngineFault at the first promise that it breaks; whatever the engine itself throws.
 */
export async function checkEngine(subject: Subject, options: SuiteOptions): Promise<void> {
  const estimator = { measure: createMeasure(), chain: createChain(options.hash) };
  const { transcript, wire } = subject;
  const tokens = estimator.measure.transcript(transcript);
  const trial: Trial = { ...options, transcript, estimator, tokens, windowTokens: options.contextTokens ?? tokens };
  const engine = options.make(trial.windowTokens);
  for (const share of BUDGET_SHARES) await checkBudget(trial, engine, Math.max(1, Math.floor(tokens * share)));
  await checkRestart(trial);
  await checkForeign(trial);
  await checkRounds(trial);
  await checkCalls(trial);
  if (wire !== undefined)
    demand(
      wire.write(transcript) === wire.body,
      "undo",
      () => "applying and undoing a compaction does not restore the client's bytes",
    );
}

/** One compaction to a budget, the same by an instance that has seen nothing, and one of the result: nothing happens, or it gets smaller. */
async function checkBudget(trial: Trial, engine: Engine, budget: number): Promise<void> {
  const { transcript, estimator, make, windowTokens } = trial;
  const request: CompactRequest = { ...estimator, reason: "budget", budget };
  const outcome = await examine(engine, { state: engine.init(), transcript }, request);
  const other = make(windowTokens);
  const same = await other.compact(other.init(), transcript, request);
  demand(
    printOfOutcome(outcome) === printOfOutcome(same),
    "determinism",
    () => "the same inputs gave a different outcome",
  );
  if (outcome.kind === "unchanged") return;
  const { compaction } = outcome;
  await demandTools(engine, { state: compaction.state, original: transcript, compaction });
  const once = applyCompaction(transcript, compaction);
  await examine(engine, { state: compaction.state, transcript: once }, request);
}

/** Compacted in the middle, and gone on with: by the same instance, and by one that has only the state as JSON. */
async function checkRestart({ transcript, estimator, make, windowTokens, tokens }: Trial): Promise<void> {
  const { messages } = transcript;
  const half = exchangesOf(messages).find(({ end }) => end >= messages.length / 2)?.end ?? 0;
  const middle = { ...transcript, messages: messages.slice(0, half) };
  const request: CompactRequest = { ...estimator, reason: "overflow" };
  const engine = make(windowTokens);
  const started = engine.init();
  demand(isPlain(started), "state", () => "the first state is not plain data");
  const first = await examine(engine, { state: engine.observe(started, NO_USAGE), transcript: middle }, request);
  const standing = first.kind === "compacted" ? applyCompaction(transcript, first.compaction) : transcript;
  const state = stateAfter(first, started);
  const fresh = make(windowTokens);
  const restored: unknown = JSON.parse(JSON.stringify(state));
  for (const share of [0.25, 0.5, 0.75, 1, 2]) {
    const usage = { tokens: Math.floor(tokens * share), messages: transcript.messages.length };
    const decisions = [engine.decide(state, usage), fresh.decide(restored, usage)];
    decisions.forEach(demandDecision);
    demand(
      JSON.stringify(decisions[0]) === JSON.stringify(decisions[1]),
      "restart",
      () => `at ${usage.tokens} tokens a restarted engine decides differently: ${JSON.stringify(decisions)}`,
    );
  }
  const next: CompactRequest = { ...request, ...(standing === transcript ? {} : { standing }) };
  const on = await examine(engine, { state, transcript }, next);
  const again = await examine(fresh, { state: restored, transcript }, next);
  demand(printOfOutcome(on) === printOfOutcome(again), "restart", () => "a restarted engine compacts differently");
}

/** A state that is not its own is ignored: the engine does what it would do at first. */
async function checkForeign({ transcript, estimator, make, windowTokens, tokens }: Trial): Promise<void> {
  const request: CompactRequest = { ...estimator, reason: "overflow" };
  const usage = { tokens, messages: transcript.messages.length };
  const engine = make(windowTokens);
  const own = engine.init();
  const expected = [
    JSON.stringify(engine.decide(own, usage)),
    printOfOutcome(await engine.compact(own, transcript, request)),
  ];
  for (const state of FOREIGN_STATES) {
    const other = make(windowTokens);
    const decision = JSON.stringify(other.decide(state, usage));
    const found = [decision, printOfOutcome(await other.compact(state, transcript, request))];
    demand(
      found.every((print, at) => print === expected[at]),
      "state",
      () => `a state that is not its own changes what it does: ${JSON.stringify(state)}`,
    );
  }
}

/** A session whose window is full: the engine compacts while it is due, and comes to rest. */
async function checkRounds({ transcript, estimator, make, windowTokens, tokens }: Trial): Promise<void> {
  const engine = make(Math.min(windowTokens, tokens));
  let state = engine.init();
  let standing: Transcript | undefined;
  for (let round = 0; ; round++) {
    const current = standing ?? transcript;
    const usage = { tokens: estimator.measure.transcript(current), messages: current.messages.length };
    const decision = engine.decide(state, usage);
    demandDecision(decision);
    if (decision.kind === "none") return;
    demand(round < ROUNDS_MAX, "bounded", () => `still compacting after ${round} attempts on the same transcript`);
    const given = standing === undefined ? {} : { standing };
    const outcome = await examine(engine, { state, transcript }, { ...estimator, reason: decision.reason, ...given });
    state = stateAfter(outcome, state);
    if (outcome.kind === "compacted") standing = applyCompaction(transcript, outcome.compaction);
  }
}

/** A model that fails, and one that answers nonsense: few calls, and a result nonetheless. */
async function checkCalls({ transcript, estimator, make, windowTokens, tokens }: Trial): Promise<void> {
  const most = CALLS_MIN + CALLS_A_WINDOW * Math.ceil(tokens / WRITER_WINDOW_TOKENS);
  for (const answer of ["failed", "nonsense"] as const) {
    let calls = 0;
    const writers = writersThat(answer, () => {
      calls++;
      demand(calls <= most, "bounded", () => `more than ${most} model calls for ${tokens} tokens`);
    });
    const engine = make(windowTokens);
    await examine(engine, { state: engine.init(), transcript }, { ...estimator, reason: "overflow", writers });
  }
}

const NO_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

function stateAfter(outcome: Outcome, before: unknown): unknown {
  return outcome.kind === "compacted" ? outcome.compaction.state : (outcome.state ?? before);
}

function writersThat(answer: "failed" | "nonsense", asked: () => void): Writers {
  const usage = { inputTokens: 0, outputTokens: 0, requests: 1 };
  const ask = () => {
    asked();
    return Promise.resolve(
      answer === "failed"
        ? ({ kind: "failed", failure: { class: "timeout", message: "no answer" }, usage } as const)
        : ({ kind: "answered", text: "lorem ipsum", ended: "stop", usage } as const),
    );
  };
  return { main: { model: answer, windowTokens: WRITER_WINDOW_TOKENS, ask }, resting: [] };
}

/** Bounds that are tried, in tokens; the last is large enough to hold something of an original. */
const BOUNDS_TOKENS = [40, 300, 2_000] as const;
const ROOM_TOKENS = 2_000;
/** No call of any tool. */
const BAD_ARGUMENTS = ["{", "[]", "7", '"words"', '{"no such argument":[{}]}', `{"words":"${"x".repeat(100_000)}"}`];
const WORD = /[\p{L}\p{N}_./-]{4,40}/u;

/** An engine with what it compacted. */
interface Case {
  readonly state: unknown;
  readonly original: Transcript;
  readonly compaction: Compaction;
}

async function demandTools(engine: Engine, { state, original, compaction }: Case): Promise<void> {
  const tools = engine.tools?.(state) ?? [];
  if (tools.length === 0) return;
  demand(engine.callTool !== undefined, "tools", () => "there are tools, but no `callTool`");
  demand(isPlain(tools), "tools", () => "the tools are not plain data");
  demand(
    JSON.stringify(tools) === JSON.stringify(engine.tools?.(engine.init())),
    "tools",
    () => "the tools change within a session, which invalidates the provider's cache",
  );
  const originals = collectOriginals(compaction, original);
  const answer = (call: ToolCall, sources: Partial<Sources> = {}): Promise<ToolAnswer> =>
    answered(engine, { state, call, sources: { original: (id) => Promise.resolve(originals.get(id)), ...sources } });
  await demandRefusals(tools, answer);
  let quotes = 0;
  for (const call of makeCalls(tools, originals))
    for (const tokensMax of BOUNDS_TOKENS) {
      const said = await answer(call, { tokensMax });
      demandOriginal(said, originals, tokensMax);
      quotes += said.quotes.length;
    }
  const readable = [...originals.values()].some((text) => WORD.test(text) && estimateText(text) < ROOM_TOKENS);
  demand(!readable || quotes > 0, "tools", () => "no tool returns anything that was removed from the transcript");
}

interface ToolTrial {
  readonly state: unknown;
  readonly call: ToolCall;
  readonly sources: Sources;
}

async function answered(engine: Engine, { state, call, sources }: ToolTrial): Promise<ToolAnswer> {
  try {
    return await engine.callTool!(state, call, sources);
  } catch (error) {
    throw new EngineFault("tools", `a call of ${call.name} threw ${String(error)}`);
  }
}

type Answering = (call: ToolCall, sources?: Partial<Sources>) => Promise<ToolAnswer>;

async function demandRefusals(tools: readonly EngineTool[], answer: Answering): Promise<void> {
  const bad = tools.flatMap(({ name }) => BAD_ARGUMENTS.map((given) => ({ name, arguments: given })));
  for (const call of [...bad, { name: "no_such_tool", arguments: "{}" }]) {
    const { isError } = await answer(call);
    demand(isError === true, "tools", () => `${call.name} takes ${call.arguments.slice(0, EXCERPT_CHARS)} for a call`);
  }
  const broken = { original: () => Promise.reject(new Error("the store is unavailable")) };
  for (const call of makeCalls(tools, new Map([["r000000000", "word"]]))) {
    await answer(call, broken);
    await answer(call, { isLate: () => true });
  }
}

const EXCERPT_CHARS = 80;

function demandOriginal({ text, quotes }: ToolAnswer, originals: ReadonlyMap<string, string>, tokensMax: number): void {
  const tokens = estimateText(text);
  demand(tokens <= tokensMax, "tools", () => `the answer has ${tokens} tokens, but ${tokensMax} were allowed`);
  for (const quote of quotes) {
    const says = (what: string) => (): string => `"${quote.text.slice(0, EXCERPT_CHARS)}" ${what}`;
    demand(originals.get(quote.id)?.includes(quote.text) === true, "tools", says(`is not in the original ${quote.id}`));
    demand(text.includes(quote.text), "tools", says("is listed as a quote, but the answer does not contain it"));
  }
}

function collectOriginals({ evicted }: Compaction, { messages }: Transcript): ReadonlyMap<string, string> {
  return new Map(
    evicted.map(({ id, message, end, original }) => [id, original ?? joinReadable(messages.slice(message, end))]),
  );
}

/** Calls of each tool with an id that there is, one that there is not, and a word, wherever it takes a text. */
function makeCalls(tools: readonly EngineTool[], originals: ReadonlyMap<string, string>): readonly ToolCall[] {
  const ids = [...originals.keys()];
  const word = WORD.exec([...originals.values()].join("\n"))?.[0] ?? "word";
  const texts = [...new Set([ids[0] ?? "", ids.at(-1) ?? "", "r999999999", word])].filter((text) => text !== "");
  return tools.flatMap(({ name, parameters }) =>
    texts.flatMap((text) =>
      makeArguments(parameters, text).map((given) => ({ name, arguments: JSON.stringify(given) })),
    ),
  );
}

/** What a tool requires; and, as it may take either of several texts, the same with each optional one. */
function makeArguments({ required = [], properties = {} }: Readonly<Record<string, unknown>>, text: string): unknown[] {
  const fields = properties as Readonly<Record<string, { readonly type?: string; readonly minimum?: number }>>;
  const names = required as readonly string[];
  const isText = (name: string): boolean => fields[name]?.type === "string";
  const least = names.map((name) => [name, isText(name) ? text : (fields[name]?.minimum ?? 1)] as const);
  const optional = Object.keys(fields).filter((name) => isText(name) && !names.includes(name));
  return [least, ...optional.map((name) => [...least, [name, text] as const])].map((given) =>
    Object.fromEntries(given),
  );
}
