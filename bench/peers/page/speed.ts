/** The tables of times: of a compaction, and of a turn. */
import type { Figures } from "../main.ts";
import type { Kept } from "../results.ts";
import { absentLines, provenance, type Blocks } from "./section.ts";
import { listed, milliseconds, thousands } from "./wording.ts";

export function speedSection(kept: Kept<Figures["speed"]>): Blocks {
  const { absent, rows: compactions } = kept.figures;
  const { rows, sessions, triggerTokens } = kept.figures.turns;
  const sizes = range(sessions.map(({ tokens }) => tokens));
  const ours = compactions.find(({ name }) => name === "precis")!;
  return [
    "## How long a turn takes",
    provenance(kept),
    `Before every request of ${sessions.length} recorded sessions that grow to ${sizes} tokens, everyone is given the whole history and answers what is to be sent. precis, pi, \`summarizationMiddleware\` and Hermes Agent compact over ${thousands(triggerTokens)} tokens;
the others run at each turn from there on, or at every turn. Median/mean milliseconds from messages to messages, and from the JSON text of a Chat request to the one to send (body).`,
    turnTable(rows),
    ...absentLines(absent),
    turnVerdict(rows),
    `A compaction to a fifth of the tokens takes precis ${milliseconds(ours.coldMs)} ms at the median, or ${milliseconds(ours.warmMs)} ms if the session was compacted before. precis reads every message, writes a handoff with its evidence, redacts it and checks what it lost; the others delete, or leave the rest to a model, whose seconds are not counted.`,
  ];
}

function range(tokens: readonly number[]): string {
  return `${thousands(Math.min(...tokens))} to ${thousands(Math.max(...tokens))}`;
}

type Turns = Figures["speed"]["turns"];
type Side = "native" | "body";

function turnTable(rows: Turns["rows"]): string {
  const both = ({ medianMs, meanMs }: Turns["rows"][number]["native"]): string =>
    `${milliseconds(medianMs)}/${milliseconds(meanMs)}`;
  return rows.map(({ name, native, body }) => `- ${name}: ${both(native)}, body ${both(body)}`).join("\n");
}

const SIDES: readonly (readonly [Side, string])[] = [
  ["native", "from messages to messages"],
  ["body", "from body to body"],
];

function turnVerdict(rows: Turns["rows"]): string {
  const peers = rows.filter(({ name }) => name !== "precis");
  const quicker = SIDES.map(([side, how]) => {
    const names = peers.filter((row) => row[side].oursMean > 1).map(({ name }) => name);
    return `longer than that of ${listed(names) || "none of them"} ${how}`;
  });
  return `The mean turn of precis, its compactions included, takes ${quicker.join(", and ")}.`;
}
