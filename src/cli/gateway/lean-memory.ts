/**
 * What keeps a process small that runs for weeks beside the agents of one person, waits most of the time, and does its little
 * work in code that is soon optimised anyway: `npm run bench:gateway` measures what it comes to. A gateway that many share
 * takes the memory and works faster (`npm run bench:load`).
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const LEAN_FLAGS = [
  // The middle compiler's workspaces are never given back: some 25 MB.
  "--no-maglev",
  // Without that compiler, code waits for the last one until it ran three thousand times, which the gateway of one person
  // seldom sees. From the thousandth request on, one takes a fifth less of the processor, and 8 MB more of memory.
  "--invocation-count-for-turbofan=1000",
  // Objects that wait for the disk would otherwise fill a young generation of 64 MB.
  "--semi-space-growth-factor=1",
  // The old generation is collected when it has grown by two fifths, not when it has doubled: 6 MB less than by three fifths. By one, a turn of 400 KB took a fifth more.
  "--heap-growing-percent=40",
];

/** For the whole process; to be called before what is to run in it is loaded. */
export function keepMemoryLean(): void {
  for (const flag of LEAN_FLAGS) setFlagsFromString(flag);
}

/**
 * For a lean process that works on large conversations from now on, which take hundreds of megabytes themselves: collected as often
 * as before, a turn took a sixth more of the processor.
 */
export function letHeapGrow(): void {
  setFlagsFromString("--heap-growing-percent=70");
}

/** For a command whose input is large: the heap is collected when it has grown by a fifth, not when it has doubled. */
export function keepHeapSmall(): void {
  setFlagsFromString("--heap-growing-percent=20");
  setFlagsFromString("--semi-space-growth-factor=1");
}

/** Gives back now what reading a large file left behind; V8 would keep the pages for what comes next. */
export function giveMemoryBack(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: object) => void;
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
}

/** Of glibc: each thread keeps freed memory to itself otherwise, some 10 MB. It is read before a program begins. */
const ARENAS = "MALLOC_ARENA_MAX";

/** Of V8: how far the young generation may grow, in mebibytes. Asked for later, it keeps what it began with, some 10 MB more. */
const YOUNG_GENERATION = "--max-semi-space-size=2";
/** V8's own 64 would make nothing faster, and take 200 MB more. */
const SHARED_YOUNG_GENERATION = "--max-semi-space-size=16";

/** For a process that is started lean from the first: it has no need to begin again. */
export const LEAN_START = { flags: [YOUNG_GENERATION], environment: { [ARENAS]: "1" } } as const;

/** Begins this process again with what can only be said before it begins; where that cannot be done, it goes on. */
export function beginAgainLean(): void {
  if (process.platform !== "linux" || process.env[ARENAS] !== undefined) return;
  beginAgain([YOUNG_GENERATION, ...process.execArgv]);
}

function beginAgain(flags: readonly string[]): void {
  const words = [process.execPath, ...flags, ...process.argv.slice(1)];
  process.execve?.(process.execPath, words, { ...process.env, [ARENAS]: "1" });
}

/** As V8 has it by itself: under load, what keeps a gateway small costs it a quarter of its processor time. */
const SHARED_FLAGS = [
  "--maglev",
  "--invocation-count-for-turbofan=3000",
  "--semi-space-growth-factor=2",
  "--heap-growing-percent=0",
];

/** For a gateway that many share, before it opens anything. It begins once more where it has begun lean, but not as another's child, whose channel would be lost. */
export function useMemoryForSpeed(): void {
  const [first, ...others] = process.execArgv;
  if (first === YOUNG_GENERATION && !process.connected) beginAgain([SHARED_YOUNG_GENERATION, ...others]);
  for (const flag of SHARED_FLAGS) setFlagsFromString(flag);
}
