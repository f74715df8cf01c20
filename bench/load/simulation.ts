/**
 * Requests on a machine, as a discrete-event simulation. A gateway works on one request at a time, the upstream and the clients are
 * a process each, the database works for as many as ask, and all of them share the cores. What a request costs each of them is
 * handed in, so that the same simulation says what another machine or other sessions would do.
 */

/** What one turn asks of each, in milliseconds of a processor; and what it waits for besides. */
export interface Demand {
  readonly clientMs: number;
  readonly gatewayMs: number;
  /** Of the gateway after the answer, such as a compaction that is made ahead. */
  readonly behindMs: number;
  readonly databaseMs: number;
  readonly upstreamMs: number;
  /** The disk, the network, the provider: nobody's processor. */
  readonly waitMs: number;
}

export interface SimulatedLoad {
  /** Each session is its turns in order. */
  readonly sessions: readonly (readonly Demand[])[];
  readonly atOnce: number;
  readonly gateways: number;
  readonly cores: number;
  /** Turns a second by all; as fast as they go where not given. */
  readonly perSecond?: number;
}

export interface Simulated {
  readonly perSecond: number;
  readonly latenciesMs: readonly number[];
}

type Station = "client" | "gateway" | "upstream" | "database";

/** A piece of work at a station; those of the same queue wait for each other. */
interface Task {
  leftMs: number;
  readonly queue: string | undefined;
  readonly done: () => void;
}

const EPSILON_MS = 1e-9;

/** A gateway takes a request in, asks the database, sends it on, and keeps it while the upstream answers. */
export function simulate({ sessions, atOnce, gateways, cores, perSecond }: SimulatedLoad): Simulated {
  const machine = createMachine(cores);
  const latenciesMs: number[] = [];
  let [begun, turns] = [0, 0];
  const everyMs = perSecond === undefined ? 0 : (atOnce / perSecond) * 1_000;
  const turn = (demand: Demand, over: () => void): void => {
    const gateway = `gateway ${turns++ % gateways}`;
    const station = (which: Station, ms: number, next: () => void): void =>
      machine.work({
        leftMs: ms,
        queue: which === "database" ? undefined : which === "gateway" ? gateway : which,
        done: next,
      });
    station("client", demand.clientMs, () => {
      const sentMs = machine.nowMs();
      station("gateway", demand.gatewayMs, () =>
        station("database", demand.databaseMs, () =>
          station("upstream", demand.upstreamMs, () =>
            machine.after(demand.waitMs, () => {
              latenciesMs.push(machine.nowMs() - sentMs);
              if (demand.behindMs > 0) station("gateway", demand.behindMs, () => undefined);
              over();
            }),
          ),
        ),
      );
    });
  };
  const live = (dueMs: number): void => {
    const session = sessions[begun++];
    if (session === undefined) return;
    const step = (at: number, nextMs: number): void => {
      const demand = session[at];
      if (demand === undefined) return live(nextMs);
      machine.after(Math.max(0, nextMs - machine.nowMs()), () =>
        turn(demand, () => step(at + 1, Math.max(nextMs + everyMs, machine.nowMs()))),
      );
    };
    step(0, dueMs);
  };
  for (let slot = 0; slot < atOnce; slot += 1) live((everyMs * slot) / atOnce);
  machine.run();
  return { perSecond: latenciesMs.length / (machine.nowMs() / 1_000), latenciesMs };
}

interface Machine {
  readonly nowMs: () => number;
  readonly work: (task: Task) => void;
  readonly after: (ms: number, done: () => void) => void;
  /** Until there is nothing left to do. */
  readonly run: () => void;
}

/** Tasks at the head of their queues share the cores; none gets more than one. */
function createMachine(cores: number): Machine {
  let now = 0;
  const queues = new Map<string, Task[]>();
  const free = new Set<Task>();
  const timers: { readonly at: number; readonly done: () => void }[] = [];
  const running = (): readonly Task[] => [
    ...free,
    ...Array.from(queues.values(), ([first]) => first).filter((task) => task !== undefined),
  ];
  const finish = (task: Task): void => {
    if (task.queue === undefined) free.delete(task);
    else queues.get(task.queue)!.shift();
    task.done();
  };
  const step = (): boolean => {
    const tasks = running();
    if (tasks.length === 0 && timers.length === 0) return false;
    const speed = Math.min(1, cores / Math.max(1, tasks.length));
    const workMs = Math.min(...tasks.map(({ leftMs }) => leftMs)) / speed;
    const timerMs = (timers[0]?.at ?? Number.POSITIVE_INFINITY) - now;
    const passedMs = Math.max(0, Math.min(workMs, timerMs));
    now += passedMs;
    for (const task of tasks) task.leftMs -= passedMs * speed;
    for (const task of tasks) if (task.leftMs <= EPSILON_MS) finish(task);
    while (timers[0] !== undefined && timers[0].at <= now + EPSILON_MS) timers.shift()!.done();
    return true;
  };
  return {
    nowMs: () => now,
    work: (task) => {
      if (task.queue === undefined) return void free.add(task);
      const queue = queues.get(task.queue);
      if (queue === undefined) queues.set(task.queue, [task]);
      else queue.push(task);
    },
    after: (ms, done) => {
      const timer = { at: now + ms, done };
      const place = timers.findIndex(({ at }) => at > timer.at);
      if (place < 0) timers.push(timer);
      else timers.splice(place, 0, timer);
    },
    run: () => {
      while (step());
    },
  };
}
