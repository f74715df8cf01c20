/** The tables of times: of a compaction, and of a turn. */
import { markdownTable } from "../../../scripts/docs/markdown.ts";
import type { Figures } from "../main.ts";
import type { Kept } from "../results.ts";
import { absentLines, provenance, type Blocks } from "./section.ts";
import { listed, milliseconds, percent, thousands, times } from "./wording.ts";

const PRUNE = "AI SDK pruneMessages";
const PRUNE_TARGET = 3;

export function speedSection(kept: Kept<Figures["speed"]>): Blocks {
  const { absent, rows, transcripts } = kept.figures;
  const peers = rows.filter(({ name }) => name !== "precis");
  const sizes = range(transcripts.map(({ tokens }) => tokens));
  return [
    "## How long a compaction takes",
    provenance(kept),
    `From own messages to own messages, to a fifth of the tokens, in turns on ${transcripts.length} transcripts of ${sizes} tokens.
**Cold**: nothing was seen before. **Warm**: it was compacted one exchange ago. Summaries are at hand. Medians in milliseconds, cold and warm;
some 25 ms of Hermes' time are its asking the stub over HTTP.`,
    `${rows.map((row) => `${row.name} (${row.from}) ${milliseconds(row.coldMs)} and ${milliseconds(row.warmMs)}`).join("; ")}.`,
    `This is not the same work: precis reads every message, writes a handoff with its evidence, redacts it and checks what it lost; the others delete, or hand the rest to a model, whose seconds are not counted.`,
    ...absentLines(absent),
    verdict(peers),
    ...turnBlocks(kept),
  ];
}

function verdict(peers: Figures["speed"]["rows"]): string {
  const names = (faster: boolean): string =>
    listed(peers.filter(({ oursWarm }) => oursWarm < 1 === faster).map(({ name }) => name));
  const prune = peers.find(({ name }) => name === PRUNE);
  const target =
    prune === undefined
      ? ""
      : ` Against ${PRUNE}, which only deletes, precis takes ${times(prune.oursWarm)} as long warm: the aim of
${PRUNE_TARGET}× is ${aim(prune.oursWarm)} for a compaction itself.`;
  return `Warm, precis is faster than ${names(true) || "none of them"}, and slower than ${names(false) || "none of them"}.${target}`;
}

function aim(ratio: number): string {
  return ratio <= PRUNE_TARGET ? "met" : "missed";
}

type Turns = Figures["speed"]["turns"];
type Side = "native" | "body";

function range(tokens: readonly number[]): string {
  return `${thousands(Math.min(...tokens))} to ${thousands(Math.max(...tokens))}`;
}

function turnBlocks(kept: Kept<Figures["speed"]>): Blocks {
  const { rows, sessions, triggerTokens, statelessTurns } = kept.figures.turns;
  const sizes = `${sessions.length} sessions that grow to ${range(sessions.map(({ tokens }) => tokens))} tokens`;
  return [
    "## How long a turn takes",
    `In the same run, before every request of a recorded session, everyone is given the whole history and answers what is to be sent (${sizes}).
precis compacts over ${thousands(triggerTokens)} tokens and otherwise puts its standing compaction in place, which it has to find in its store. pi, \`summarizationMiddleware\` and Hermes Agent replace their history over the same
trigger; \`trimMessages\` and \`contextEditingMiddleware\` run at each turn from there on; \`pruneMessages\` and Headroom at every turn. LangChain's stateless ones and Headroom are asked at up to ${statelessTurns} turns of each session.
**Compacting**: the turns that make the history smaller. Milliseconds, medians over the sessions.`,
    `**Messages**: from own messages to own messages. **Body**: from the JSON text of a Chat request to the one to send; a peer parses the whole, precis reads what is new and copies the rest.`,
    turnTable(rows),
    turnVerdict(rows),
  ];
}

function turnTable(rows: Turns["rows"]): string {
  return markdownTable([
    ["", "compacting, %", "messages: median", "mean", "p95", "body: median", "mean", "p95"],
    ...rows.map(({ name, madeShare, native, body }) => [
      name,
      percent(madeShare),
      ...[native, body].flatMap(({ medianMs, meanMs, p95Ms }) => [medianMs, meanMs, p95Ms].map(milliseconds)),
    ]),
  ]);
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
  const prune = peers.find(({ name }) => name === PRUNE);
  const targets = SIDES.flatMap(([side, how]) => {
    if (prune === undefined) return [];
    const { oursMedian, oursMean } = prune[side];
    return `- ${how}: ${times(oursMedian)} at the median turn: ${aim(oursMedian)}; ${times(oursMean)} in the mean: ${aim(oursMean)}`;
  });
  return [
    `The mean turn of precis, its compactions included, takes ${quicker.join(", and ")}.`,
    ...(targets.length === 0 ? [] : [`Within ${PRUNE_TARGET}× of ${PRUNE} is the aim:\n`, ...targets]),
  ].join("\n");
}
