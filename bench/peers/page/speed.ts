/** The table of times. */
import { markdownTable } from "../../../src/config/markdown.ts";
import type { Figures } from "../main.ts";
import type { Kept } from "../results.ts";
import { absentLines, provenance, type Blocks } from "./section.ts";
import { listed, milliseconds, thousands, times } from "./wording.ts";

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
that the time is the library's own. Medians in milliseconds; the ratios are medians over the transcripts.`,
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
  ];
}

function verdict(peers: Figures["speed"]["rows"]): string {
  const names = (faster: boolean): string =>
    listed(peers.filter(({ oursWarm }) => oursWarm < 1 === faster).map(({ name }) => name));
  const prune = peers.find(({ name }) => name === PRUNE);
  const target =
    prune === undefined
      ? ""
      : ` Against ${PRUNE}, which only deletes, precis takes ${times(prune.oursWarm)} as long warm: the aim of ${PRUNE_TARGET}× is ${prune.oursWarm <= PRUNE_TARGET ? "met" : "missed"}.`;
  return `Warm, precis is faster than ${names(true) || "none of them"}, and slower than ${names(false) || "none of them"}.${target}`;
}
