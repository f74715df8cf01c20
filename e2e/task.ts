/**
 * What every client is given to do, in words of no client: a person asks, the model answers with actions, the client's
 * own tools carry them out. Long enough that its transcript outgrows a small window several times.
 */

/** One use of a tool. Paths are relative to the workspace. */
export type Action =
  | { readonly kind: "read"; readonly path: string }
  | { readonly kind: "run"; readonly command: string }
  | { readonly kind: "write"; readonly path: string; readonly content: string }
  | { readonly kind: "edit"; readonly path: string; readonly before: string; readonly after: string }
  /** A tool that only this client has. */
  | { readonly kind: "own"; readonly name: string; readonly arguments: unknown };

/** One answer of the model. Its actions are called side by side. */
export interface Step {
  readonly thinks?: string;
  readonly says?: string;
  readonly does: readonly Action[];
}

/** What one start of the client is asked. */
export interface Stage {
  readonly prompt: string;
  readonly steps: readonly Step[];
  /** The last answer, without a call. */
  readonly closing: string;
}

/** Stands in every prompt of the task, and in no request that a client makes for itself. */
export const TASK_MARK = "depot of numbered parts";

const PARTS = 14;
const nameOf = (part: number): string => `src/part-${String(part).padStart(2, "0")}.ts`;

/** Lines of a part, so that the edits know what they replace. */
export function partLine(part: number, line: number): string {
  const band = String(line).padStart(3, "0");
  const measured = (part * 7919 + line * 104_729) % 99_991;
  return `export const band_${band} = { limit: ${measured}, unit: "g", checked: "day ${(line * 13 + part) % 365}", by: "scale ${(line + part) % 9}" };`;
}

const read = (part: number): Action => ({ kind: "read", path: nameOf(part) });
const run = (command: string): Action => ({ kind: "run", command });
const edit = (part: number, line: number): Action => ({
  kind: "edit",
  path: nameOf(part),
  before: partLine(part, line),
  after: `${partLine(part, line)} // reviewed`,
});

/** Reads a part, looks at it with a command, changes a line and looks again. */
function reviewed(part: number): readonly Step[] {
  return [
    { thinks: `Part ${part} has to be read before anything is changed in it.`, does: [read(part)] },
    {
      says: `Part ${part} is read. Now its heaviest bands.`,
      does: [run(`sort -t: -k2 -n ${nameOf(part)} | tail -n 12`)],
    },
    { does: [edit(part, part * 3)] },
  ];
}

const listing: Step = {
  thinks: "First an overview.",
  says: "I look around.",
  does: [run("ls -la src logs"), run("wc -l src/*.ts logs/*.log")],
};

const notes = (stage: number, parts: readonly number[]): Step => ({
  says: "I write down what was done.",
  does: [
    {
      kind: "write",
      path: `notes/stage-${stage}.md`,
      content: `# Stage ${stage}\n\n${parts.map((part) => `- part ${part}: band ${part * 3} reviewed`).join("\n")}\n`,
    },
  ],
});

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

/** Three stages, each one start of the client; the later ones go on with the same session. */
export const STAGES: readonly Stage[] = [
  {
    prompt: `This folder is a ${TASK_MARK}. Review parts 1 to 5: read each, and mark the band whose number is three times the part's as reviewed. Keep every limit as it is.`,
    steps: [
      listing,
      ...range(1, 3).flatMap(reviewed),
      { says: "The log says what was weighed.", does: [run("head -c 9000 logs/weighing.log")] },
      ...range(4, 5).flatMap(reviewed),
      notes(1, range(1, 5)),
    ],
    closing: "Parts 1 to 5 are reviewed; no limit was changed.",
  },
  {
    prompt: `Go on with parts 6 to 9 of the ${TASK_MARK}, the same way, and look for failures in logs/weighing.log.`,
    steps: [
      { thinks: "The log may be long.", does: [run("grep -n FAILED logs/weighing.log"), read(6)] },
      ...range(6, 9).flatMap(reviewed),
      { does: [run("cat does-not-exist.txt")] },
      notes(2, range(6, 9)),
    ],
    closing: "Parts 6 to 9 are reviewed. The failures of the log are of scale 4.",
  },
  {
    prompt: `Finish the ${TASK_MARK}: parts 10 to ${PARTS}, then sum up.`,
    steps: [
      ...range(10, PARTS).flatMap(reviewed),
      { says: "Everything once more.", does: [run("grep -n reviewed src/*.ts"), run("cat notes/*.md")] },
      notes(3, range(10, PARTS)),
    ],
    closing: `All ${PARTS} parts are reviewed.`,
  },
];

export const WORKSPACE = { parts: range(1, PARTS), nameOf, linesPerPart: 90, logLines: 900 } as const;
