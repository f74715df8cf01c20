/**
 * What a compaction costs without a model: request body in, request body out. Cold has seen none of the messages; warm
 * has compacted the same conversation one exchange ago.
 */
import { hash } from "node:crypto";
import { applyCompaction } from "../src/core/compaction/compaction.ts";
import { COMPRESSOR_DEFAULTS } from "../src/core/engines/settings.ts";
import { createEngine } from "../src/core/engines/engines.ts";
import { createChain } from "../src/core/transcript/links.ts";
import { createMeasure } from "../src/core/transcript/measure.ts";
import { createSession } from "../src/index.ts";
import { createDecoder, protocols } from "../src/protocols/index.ts";
import { timed, timedInTurns, type Rounds, type Times } from "./stopwatch.ts";
import { createNames } from "./traffic/names.ts";
import { log } from "./traffic/outputs.ts";
import { createTraffic, trafficAround } from "./traffic/session.ts";

/** The size the targets are set for, in tokens. */
const SESSION_TOKENS = 200_000;
const TIMES_LARGER = 10;
const TIMES_SLOWER_MAX = 12;
const COLD_TARGET_MS = 60;
const WARM_TARGET_MS = 5;
const UNBROKEN_CHARACTERS = 1_000_000;
/** No more than ordinary text, give or take what the machine varies by itself. */
const UNBROKEN_RATIO_MAX = 1.1;
const UNBROKEN_BUDGET_TOKENS = 10_000;
/** The compiler goes on for about a hundred compactions; the median falls by a sixth until then. */
const ROUNDS: Rounds = { warmups: 120, samples: 31 };
const UNBROKEN_ROUNDS: Rounds = { warmups: 30, samples: 31 };
const LARGE_ROUNDS: Rounds = { warmups: 3, samples: 9 };
const WARM_ROUNDS: Rounds = { warmups: 2, samples: 30 };
const WARM_UP_SESSIONS = 8;
const BUDGETS = { "documented settings": undefined, "budget 20 %": SESSION_TOKENS / 5 } as const;

export interface Row {
  readonly name: string;
  readonly times: Times;
  readonly targetMs?: number;
  readonly ratio?: Ratio;
}

/** A time as a multiple of another row's, in the same round. */
interface Ratio {
  readonly to: string;
  readonly value: number;
  readonly target: number;
}

export async function compactionRows(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const [name, budget] of Object.entries(BUDGETS)) {
    const cold = await timed(coldRun(SESSION_TOKENS, budget), ROUNDS);
    rows.push({ name: `200K tokens, cold, ${name}`, times: cold, targetMs: COLD_TARGET_MS });
    const warm = await warmTimes(budget);
    rows.push({ name: `200K tokens, one new exchange, ${name}`, times: warm, targetMs: WARM_TARGET_MS });
  }
  rows.push(await largeRow());
  rows.push({ name: "50K tokens, one new exchange, nothing due", times: await prepareTimes() });
  return [...rows, ...(await unbrokenRows())];
}

type Compact = (body: string, budget: number | undefined) => Promise<string>;

/** Decode, compact, splice, with a memory of its own. */
function createBodyCompactor(): Compact {
  const protocol = protocols["openai-chat"];
  const decoder = createDecoder(protocol);
  const engine = createEngine("compressor", COMPRESSOR_DEFAULTS);
  const bench = {
    measure: createMeasure(),
    chain: createChain((text) => hash("sha256", text)),
    reason: "explicit",
  } as const;
  return async (body, budget) => {
    const decoded = decoder.decode(body);
    const request = budget === undefined ? bench : { ...bench, budget };
    const outcome = await engine.compact(engine.init(), decoded.transcript, request);
    if (outcome.kind !== "compacted") throw new Error(`nothing was compacted: ${outcome.because}`);
    return protocol.splice(decoded, applyCompaction(decoded.transcript, outcome.compaction));
  };
}

/** Every round works on a session of its own, so that nothing can be remembered. */
function coldRun(tokens: number, budget?: number): (round: number) => Promise<unknown> {
  const bodies = Array.from({ length: 5 }, (_, index) => createTraffic(index + 1, tokens).body);
  return (round) => createBodyCompactor()(bodies[round % bodies.length]!, budget);
}

/** Beside ten sessions of a tenth of its size, in turns: whatever else the machine does falls on both. */
async function largeRow(): Promise<Row> {
  const small = coldRun(SESSION_TOKENS);
  const tenSmall = async (round: number): Promise<void> => {
    for (let at = 0; at < TIMES_LARGER; at++) await small(round + at);
  };
  const [, large] = await timedInTurns([tenSmall, coldRun(SESSION_TOKENS * TIMES_LARGER)], LARGE_ROUNDS);
  const ratio = { to: "200K tokens", value: large!.ofFirst * TIMES_LARGER, target: TIMES_SLOWER_MAX };
  return { name: "2M tokens, cold, documented settings", times: large!.times, ratio };
}

/** The compiler warms up on another session, so that the one that is timed has grown little when it is. */
async function warmTimes(budget: number | undefined): Promise<Times> {
  for (let seed = 8; seed < 8 + WARM_UP_SESSIONS; seed++) await oneMoreExchange(seed, budget);
  return oneMoreExchange(7, budget);
}

async function oneMoreExchange(seed: number, budget: number | undefined): Promise<Times> {
  const bodies = growing(createTraffic(seed, SESSION_TOKENS).longer);
  const compact = createBodyCompactor();
  return timed((round) => compact(bodies[round]!, budget), WARM_ROUNDS);
}

/** What a request costs that goes out as it came. */
async function prepareTimes(): Promise<Times> {
  const bodies = growing(createTraffic(8, SESSION_TOKENS / 4).longer);
  const session = createSession();
  return timed((round) => session.prepare(bodies[round]!), WARM_ROUNDS);
}

/** One body a round, each with one more exchange than the one before. */
function growing(longer: (count: number) => string): readonly string[] {
  return Array.from({ length: WARM_ROUNDS.warmups + WARM_ROUNDS.samples }, (_, index) => longer(index));
}

async function unbrokenRows(): Promise<readonly Row[]> {
  const ordinary = "1M characters, ordinary text";
  const texts = { [ordinary]: ordinaryText(), ...unbrokenTexts() };
  const bodies = Object.values(texts).map((text) => trafficAround(3, text));
  const runs = bodies.map((body) => () => createBodyCompactor()(body, UNBROKEN_BUDGET_TOKENS));
  const taken = await timedInTurns(runs, UNBROKEN_ROUNDS);
  return Object.keys(texts).map((name, at): Row => {
    const { times, ofFirst } = taken[at]!;
    return at === 0
      ? { name, times }
      : { name, times, ratio: { to: ordinary, value: ofFirst, target: UNBROKEN_RATIO_MAX } };
  });
}

function ordinaryText(): string {
  const names = createNames(11);
  let text = "";
  while (text.length < UNBROKEN_CHARACTERS) text += `${log(names, 400)}\n`;
  return text.slice(0, UNBROKEN_CHARACTERS);
}

/** One million characters without a line break, of the kinds that trip up patterns. */
function unbrokenTexts(): Readonly<Record<string, string>> {
  const names = createNames(12);
  const fill = (piece: () => string): string => {
    const pieces: string[] = [];
    for (let length = 0; length < UNBROKEN_CHARACTERS;) length += pieces[pieces.push(piece()) - 1]!.length;
    return pieces.join("").slice(0, UNBROKEN_CHARACTERS);
  };
  return {
    "one line, one letter": "a".repeat(UNBROKEN_CHARACTERS),
    "one line, hexadecimal": fill(() => names.hex(64)),
    "one line, base64": fill(() => btoa(names.hex(48))),
    "one line, minified JSON": fill(() => `{"id":${names.whole(1, 1e6)},"key":"${names.hex(12)}","ok":true},`),
    "one line, a path without end": fill(() => `/${names.hex(5)}`),
    "one line, words": fill(() => `${names.pick(["order", "failed", "value", "key"])} `),
  };
}
