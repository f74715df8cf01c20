/**
 * `npm run bench:peers [-- [--quick] recall cost speed gateways text]`: precis beside its peers, in one run on the same
 * input, and the raw results kept in bench/results. Real transcripts are read from the folder that PRECIS_CORPUS names.
 */
import { parseArgs } from "node:util";
import { loadPeers } from "./compaction/contestants.ts";
import { costRows, LOOP_CUTS } from "./compaction/cost.ts";
import { precisContestant } from "./compaction/precis.ts";
import { recallRows } from "./compaction/recall.ts";
import { sittingsOf } from "./compaction/sittings.ts";
import { speed } from "./compaction/speed.ts";
import { turns } from "./compaction/turns.ts";
import { gateways } from "./gateways/gateways.ts";
import { installPeers } from "./install.ts";
import { installPythonPeers } from "./python/environment.ts";
import { keep } from "./results.ts";
import { decoding } from "./text/decoding.ts";
import { estimates } from "./text/estimates.ts";
import { secrets } from "./text/secrets.ts";

const QUICK_SITTINGS = 4;
const QUICK_TRANSCRIPTS = 3;
const QUICK_TURNS = { sessions: 2, passes: 1 };
const GATEWAY_BLOCKS = 40;
const QUICK_GATEWAY_BLOCKS = 12;

/** What each section measures; `quick` takes fewer samples. */
const SECTIONS = {
  recall: async (quick: boolean) => {
    const { peers, absent } = await loadPeers();
    const sittings = sittingsOf(quick ? QUICK_SITTINGS : Number.POSITIVE_INFINITY);
    return {
      absent,
      transcripts: transcriptsIn(sittings),
      cuts: sittings.length,
      rows: await recallRows(peers, sittings),
    };
  },
  cost: async (quick: boolean) => {
    const { peers, absent } = await loadPeers();
    const sittings = sittingsOf(quick ? QUICK_SITTINGS : Number.POSITIVE_INFINITY, LOOP_CUTS);
    return {
      absent,
      transcripts: transcriptsIn(sittings),
      cuts: sittings.length,
      rows: await costRows(peers, sittings),
    };
  },
  speed: async (quick: boolean) => {
    const { peers, absent } = await loadPeers();
    const sittings = sittingsOf(Number.POSITIVE_INFINITY);
    return {
      absent,
      ...(await speed(precisContestant(), peers, sittings, quick ? QUICK_TRANSCRIPTS : undefined)),
      turns: await turns(peers, sittings, quick ? QUICK_TURNS : undefined),
    };
  },
  gateways: (quick: boolean) => gateways(quick ? QUICK_GATEWAY_BLOCKS : GATEWAY_BLOCKS),
  text: async () => ({ decoding: await decoding(), estimates: await estimates(), secrets: await secrets() }),
} as const;

export type Section = keyof typeof SECTIONS;
export type Figures = { readonly [Name in Section]: Awaited<ReturnType<(typeof SECTIONS)[Name]>> };

const { values, positionals } = parseArgs({ options: { quick: { type: "boolean" } }, allowPositionals: true });
const every = Object.keys(SECTIONS) as readonly Section[];
const unknown = positionals.filter((name) => !every.includes(name as Section));
if (unknown.length > 0) {
  process.stderr.write(`there is no section ${unknown.join(", ")}: there are ${every.join(", ")}\n`);
  process.exitCode = 2;
} else {
  installPeers();
  installPythonPeers();
  const quick = values.quick === true;
  for (const name of every.filter((one) => positionals.length === 0 || positionals.includes(one))) {
    const figures = await SECTIONS[name](quick);
    keep(name, `npm run bench:peers -- ${quick ? "--quick " : ""}${name}`, { quick, figures });
    process.stdout.write(`bench/results/${name}.json\n`);
  }
}

function transcriptsIn(sittings: readonly { readonly file: string }[]): number {
  return new Set(sittings.map(({ file }) => file)).size;
}
