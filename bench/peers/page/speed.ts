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
  const sizes = listed(
    transcripts.map(({ messages, tokens }) => `${messages} messages of ${thousands(tokens)} tokens`),
  );
  return [
    "## How long a compaction takes",
    provenance(kept),
    `From each library's own messages to its own messages, to a fifth of the tokens, everyone in turns on the same transcripts (${sizes}).
**Cold**: nothing of the conversation was seen before. **Warm**: it was compacted one exchange ago. A summarizer's answer is at hand, so
that the time is the library's own. Medians in milliseconds; the ratios are medians over the transcripts. Hermes Agent and Headroom are timed by
the clock of their own process: reaching it is nobody's time. That Hermes asks the stub over HTTP with its own client is in its time,
some 25 ms of it, because it cannot be had without. Where other work shared the machine, the ratios say more than the milliseconds.`,
    markdownTable([
      ["", "package", "cold", "warm", "precis takes, cold", "precis takes, warm"],
      ...rows.map((row) => [
        row.name,
        row.from,
        milliseconds(row.coldMs),
        milliseconds(row.warmMs),
        row.name === "precis" ? "" : times(row.oursCold),
        row.name === "precis" ? "" : times(row.oursWarm),
      ]),
    ]),
    `What is compared is not the same work: precis reads every message, writes a handoff with its evidence, redacts it and checks what it
lost; the others delete, or cut and hand the rest to a model, whose seconds are not counted here.`,
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
${PRUNE_TARGET}× is ${aim(prune.oursWarm)} for a compaction itself. Most requests compact nothing: what a turn takes stands below.`;
  return `Warm, precis is faster than ${names(true) || "none of them"}, and slower than ${names(false) || "none of them"}.${target}`;
}

function aim(ratio: number): string {
  return ratio <= PRUNE_TARGET ? "met" : "missed";
}

type Turns = Figures["speed"]["turns"];
type Side = "native" | "body";

function turnBlocks(kept: Kept<Figures["speed"]>): Blocks {
  const { rows, sessions, triggerTokens, statelessTurns } = kept.figures.turns;
  const sizes = listed(sessions.map(({ turns, tokens }) => `${turns} turns up to ${thousands(tokens)} tokens`));
  return [
    "## How long a turn takes",
    provenance(kept),
    `What an agent's loop pays: before every request of a recorded session everyone is given the whole history and answers what is to be sent, all
in turns on the same sessions (${sizes}).
precis compacts when it is over its threshold, ${thousands(triggerTokens)} tokens, and otherwise puts its standing compaction in place; its time includes finding that in
the store, and being told the usage afterwards. pi, \`summarizationMiddleware\` and Hermes Agent replace their history when it is over the same trigger;
\`trimMessages\` and \`contextEditingMiddleware\` are run on the whole at each turn from there on; \`pruneMessages\` and Headroom at every turn, as a
\`prepareStep\` does. Those of LangChain that keep nothing, and Headroom, are slow, and asked at up to ${statelessTurns} turns spread over each
session. Peers with a trigger are given a running sum of their own count, cheaper than what they do by themselves, and are told what is new of a
history; precis finds out. Summaries are at hand. **Compacting**: the turns that make the history smaller, rather than
putting in place what was made before. Milliseconds, medians over the sessions; of each turn the median of three times through its session.`,
    "**From own messages to own messages**; reading and writing any other form is nobody's time.",
    turnTable(rows, "native"),
    `**From body to body**: from the JSON text of a Chat request to the JSON text of the one to send, which is what goes over the wire. Most of it is
reading and writing: a peer parses the whole, converts what is new, and writes what is to be sent; precis reads what is new and copies the rest.`,
    turnTable(rows, "body"),
    turnVerdict(rows),
  ];
}

function turnTable(rows: Turns["rows"], side: Side): string {
  return markdownTable([
    ["", "compacting, %", "median", "mean", "p95", "slowest", "precis takes, median", "precis takes, mean"],
    ...rows.map(({ name, madeShare, [side]: taken }) => [
      name,
      percent(madeShare),
      milliseconds(taken.medianMs),
      milliseconds(taken.meanMs),
      milliseconds(taken.p95Ms),
      milliseconds(taken.slowestMs),
      name === "precis" ? "" : times(taken.oursMedian),
      name === "precis" ? "" : times(taken.oursMean),
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
