/**
 * What a compaction costs without a model: request body in, request body out. Cold is a session that has seen none of
 * the messages; warm is one that has seen all but the last exchange.
 */
import { createSession, type CompactOptions } from "../src/index.ts";
import { createTraffic, trafficAround } from "./traffic/session.ts";
import { createChance } from "./traffic/chance.ts";
import { log } from "./traffic/outputs.ts";
import { timed, type Rounds, type Times } from "./stopwatch.ts";

/** The size the targets are set for, in tokens. */
const SESSION_TOKENS = 200_000;
const TIMES_LARGER = 10;
const UNBROKEN_CHARACTERS = 1_000_000;
const ROUNDS: Rounds = { warmups: 6, samples: 15 };
const LARGE_ROUNDS: Rounds = { warmups: 2, samples: 5 };
const WARM_ROUNDS: Rounds = { warmups: 10, samples: 30 };
const WINDOW_SHARES: Readonly<Record<string, CompactOptions>> = {
  "documented settings": {},
  "budget 20 %": { budget: SESSION_TOKENS / 5 },
};

export interface Row {
  readonly name: string;
  readonly times: Times;
  /** What the result is checked against, where there is a target. */
  readonly targetMs?: number;
  readonly ratio?: { readonly to: string; readonly value: number; readonly target: number };
}

export async function compactionRows(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const [name, options] of Object.entries(WINDOW_SHARES)) {
    const cold = await coldTimes(SESSION_TOKENS, options, ROUNDS);
    rows.push({ name: `200K tokens, cold, ${name}`, times: cold, targetMs: 60 });
    rows.push({ name: `200K tokens, one new exchange, ${name}`, times: await warmTimes(options), targetMs: 5 });
  }
  const small = rows[0]!;
  const large = await coldTimes(SESSION_TOKENS * TIMES_LARGER, {}, LARGE_ROUNDS);
  const growth = { to: small.name, value: large.medianMs / small.times.medianMs, target: 12 };
  rows.push({ name: "2M tokens, cold, documented settings", times: large, ratio: growth });
  return [...rows, ...(await unbrokenRows())];
}

/** Every round works on another session, so that nothing can be remembered. */
async function coldTimes(tokens: number, options: CompactOptions, rounds: Rounds): Promise<Times> {
  const bodies = Array.from({ length: 5 }, (_, index) => createTraffic(index + 1, tokens).body);
  return timed((round) => compactOnce(bodies[round % bodies.length]!, options), rounds);
}

async function warmTimes(options: CompactOptions): Promise<Times> {
  const traffic = createTraffic(7, SESSION_TOKENS);
  const bodies = Array.from({ length: WARM_ROUNDS.warmups + WARM_ROUNDS.samples }, (_, index) => traffic.longer(index));
  const session = createSession();
  return timed((round) => session.compact(bodies[round]!, options), WARM_ROUNDS);
}

async function compactOnce(body: string, options: CompactOptions): Promise<void> {
  const outcome = await createSession().compact(body, options);
  if (outcome.request.length >= body.length) throw new Error("the compaction made nothing smaller");
}

async function unbrokenRows(): Promise<readonly Row[]> {
  const ordinary = "1M characters, ordinary text";
  const texts = { [ordinary]: ordinaryText(), ...unbrokenTexts() };
  const rows: Row[] = [];
  for (const [name, text] of Object.entries(texts)) {
    const body = trafficAround(3, text);
    const times = await timed(() => compactOnce(body, { budget: 10_000 }), ROUNDS);
    const base = rows[0];
    const ratio = base && { to: ordinary, value: times.medianMs / base.times.medianMs, target: 1 };
    rows.push(ratio === undefined ? { name, times } : { name, times, ratio });
  }
  return rows;
}

function ordinaryText(): string {
  const chance = createChance(11);
  let text = "";
  while (text.length < UNBROKEN_CHARACTERS) text += `${log(chance, 400)}\n`;
  return text.slice(0, UNBROKEN_CHARACTERS);
}

/** One million characters without a line break, of the kinds that trip up patterns. */
function unbrokenTexts(): Readonly<Record<string, string>> {
  const chance = createChance(12);
  const fill = (piece: () => string): string => {
    const pieces: string[] = [];
    for (let length = 0; length < UNBROKEN_CHARACTERS;) length += pieces[pieces.push(piece()) - 1]!.length;
    return pieces.join("").slice(0, UNBROKEN_CHARACTERS);
  };
  return {
    "one line, one letter": "a".repeat(UNBROKEN_CHARACTERS),
    "one line, hexadecimal": fill(() => chance.hex(64)),
    "one line, base64": fill(() => btoa(chance.hex(48))),
    "one line, minified JSON": fill(() => `{"id":${chance.whole(1, 1e6)},"key":"${chance.hex(12)}","ok":true},`),
    "one line, a path without end": fill(() => `/${chance.hex(5)}`),
    "one line, words": fill(() => `${chance.pick(["order", "failed", "value", "key"])} `),
  };
}
