/**
 * A client that does not obey: `node flood.ts URL KEY PER_SECOND` sends so many requests a second whatever it is answered,
 * prints a line when it begins, and on SIGTERM another one with what became of them.
 */
import { createCaller } from "../gateway/caller.ts";
import { generatedSessions } from "./sessions.ts";

export interface Flooded {
  readonly answered: number;
  readonly refused: number;
  readonly seconds: number;
  /** Each that was said. */
  readonly retryAfterSeconds: readonly number[];
}

const BYTES = 40_000;

/** An import for its type runs nothing. */
if (process.argv[1] === import.meta.filename) flood(process.argv[2]!, process.argv[3]!, Number(process.argv[4]));

function flood(url: string, key: string, perSecond: number): void {
  const caller = createCaller(url);
  const session = generatedSessions(BYTES)(process.pid, `flood ${process.pid}`);
  const bodies: Buffer[] = [];
  for (let body = session.bodyOf(0); body !== undefined; body = session.bodyOf(bodies.length)) bodies.push(body);
  const body = bodies.at(-1)!;
  const headers = { authorization: `Bearer ${key}` };
  const waits = new Set<number>();
  let [answered, refused] = [0, 0];
  const send = async (): Promise<void> => {
    const { status, retryAfterSeconds } = await caller.call({ body, headers });
    if (status !== 429) return void (answered += 1);
    refused += 1;
    waits.add(retryAfterSeconds ?? Number.NaN);
  };
  const startedMs = performance.now();
  process.stdout.write("begun\n");
  const timer = setInterval(() => void send().catch(() => undefined), 1_000 / perSecond);
  process.once("SIGTERM", () => {
    clearInterval(timer);
    const seconds = (performance.now() - startedMs) / 1_000;
    const flooded: Flooded = { answered, refused, seconds, retryAfterSeconds: [...waits] };
    process.stdout.write(`${JSON.stringify(flooded)}\n`, () => process.exit());
  });
}
