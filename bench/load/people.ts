/**
 * Fifty people behind two gateways and one PostgreSQL, with a gateway killed for a while, and then the database: what they wait
 * and what is refused, what the gateways weigh, and what a day of it stores. Time goes faster than in life, so that there are
 * turns enough.
 */
import { setTimeout as pause } from "node:timers/promises";
import { createCaller, type Call, type Caller, type Timing } from "../gateway/caller.ts";
import { startGateway, type Running } from "../gateway/processes.ts";
import type { PeopleFigures, PeoplePhase } from "./figures.ts";
import { latencyOf } from "./replay.ts";
import { generatedSessions } from "./sessions.ts";
import { openStage } from "./stage.ts";

const PEOPLE = 50;
const TURNS_AN_HOUR = 40;
const HOURS_A_DAY = 8;
const FASTER = 4;
const PER_SECOND = (FASTER * PEOPLE * TURNS_AN_HOUR) / 3_600;
/** People do not take turns. */
const AT_ONCE = 5;
/** A conversation grows from here to there and begins anew: 80,000 tokens in the middle. */
const BYTES_MIN = 190_000;
const BYTES_MAX = 450_000;
const WINDOW_TOKENS = 200_000;
/** What is killed is away for the middle of its phase. */
const PHASE_TURNS = 120;
const AWAY_AFTER_MS = 10_000;
const AWAY_MS = 20_000;

/** The next request of somebody. */
type Person = () => Buffer;

export async function measurePeople(): Promise<PeopleFigures> {
  const flags = { "context-length": WINDOW_TOKENS };
  const stage = await openStage({ gateways: 2, store: "postgres", windowTokens: WINDOW_TOKENS });
  const gateways: Running[] = [...stage.gateways];
  const doors: Caller[] = [...stage.through];
  const replaceFirst = async (): Promise<void> => {
    process.kill(gateways[0]!.pid, "SIGKILL");
    await pause(AWAY_MS);
    gateways[0] = await startGateway(stage.upstream.url, stage.folder, {
      flags: { store: stage.history.url, ...flags },
    });
    doors[0] = createCaller(gateways[0].url);
  };
  try {
    const everybody = Array.from({ length: PEOPLE }, (_, number) => person(number));
    // Their conversations are there, and the compiler is done.
    await phase("", [stage.direct], everybody, { count: PEOPLE });
    await phase("", doors, everybody, { count: 2 * PEOPLE });
    const direct = await phase("straight to the upstream", [stage.direct], everybody);
    const before = await stage.history.cost();
    const well = await phase("through two gateways", doors, everybody);
    const after = await stage.history.cost();
    const killed = await phase("one gateway killed", doors, everybody, { event: replaceFirst });
    const away = await phase("the database killed", doors, everybody, { event: () => stage.history.restart(AWAY_MS) });
    const again = await phase("all there again", doors, everybody);
    const aDay = (PEOPLE * TURNS_AN_HOUR * HOURS_A_DAY) / well.turns;
    return {
      people: PEOPLE,
      perSecond: PER_SECOND,
      faster: FASTER,
      atOnce: AT_ONCE,
      awaySeconds: AWAY_MS / 1_000,
      bytes: well.bytes / well.turns,
      phases: [direct, well, killed, away, again],
      residentMb: gateways.map(({ residentMb }) => residentMb()),
      storedBytesADay: (after.bytes - before.bytes) * aDay,
      walBytesADay: (after.walBytes - before.walBytes) * aDay,
    };
  } finally {
    doors[0]!.close();
    await gateways[0]!.stop();
    await stage.close();
  }
}

const sessions = generatedSessions(BYTES_MAX);

/** Everybody is at another point of a conversation; when it is over, another one begins. */
function person(number: number): Person {
  let next = 0;
  let session = sessions(number, `person ${number}`);
  let turn = 0;
  const begin = (bytes: number): Buffer => {
    session = sessions(number + PEOPLE * next, `person ${number}, ${next++}`);
    for (turn = 0; ; turn += 1) {
      const body = session.bodyOf(turn);
      if (body !== undefined && body.length >= bytes) return body;
    }
  };
  const first = BYTES_MIN + ((BYTES_MAX - BYTES_MIN) * number) / PEOPLE;
  return () => (next === 0 ? begin(first) : (session.bodyOf(++turn) ?? begin(BYTES_MIN)));
}

let turns = 0;

/** So many turns, in bursts; meanwhile something may happen. */
async function phase(
  name: string,
  doors: readonly Caller[],
  everybody: readonly Person[],
  { count = PHASE_TURNS, event }: { readonly count?: number; readonly event?: () => Promise<void> } = {},
): Promise<PeoplePhase> {
  const happening = event === undefined ? undefined : pause(AWAY_AFTER_MS).then(event);
  const timings: Timing[] = [];
  let bytes = 0;
  let lost = 0;
  const sent: Promise<void>[] = [];
  for (let burst = 0; burst < count / AT_ONCE; burst += 1) {
    for (let at = 0; at < AT_ONCE; at += 1) {
      const body = everybody[turns++ % PEOPLE]!();
      bytes += body.length;
      const answered = (timing: Timing): void => void timings.push(timing);
      sent.push(callOne(doors, { body }).then(answered, () => void (lost += 1)));
    }
    await pause((AT_ONCE / PER_SECOND) * 1_000);
  }
  await Promise.all(sent);
  await happening;
  const answered = timings.filter(({ status }) => status === 200);
  return {
    name,
    turns: sent.length,
    bytes,
    refused: timings.length - answered.length,
    lost,
    untouched: answered.filter(({ treatment }) => treatment.startsWith("untouched")).length,
    ...latencyOf(answered.map(({ totalMs }) => totalMs)),
  };
}

/** At the door that is next, or at the other where nobody opens, as a balancer does. */
async function callOne(doors: readonly Caller[], call: Call): Promise<Timing> {
  const first = turns % doors.length;
  try {
    return await doors[first]!.call(call);
  } catch {
    return doors[(first + 1) % doors.length]!.call(call);
  }
}
