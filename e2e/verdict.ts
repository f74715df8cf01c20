/** What a trial showed, in numbers, and every way in which it fell short of what must hold. */
import { hash } from "node:crypto";
import { createChain } from "../src/core/transcript/links.ts";
import type { RequestRecord } from "../provider/src/index.ts";
import { protocols } from "../src/protocols/index.ts";
import { changesBetween, type Change } from "./changes.ts";
import { asksSummary } from "./script.ts";
import type { Exchange } from "./tap.ts";
import { isTask, type Trial } from "./trial.ts";

export interface Verdict {
  readonly client: string;
  readonly version: string;
  /** Requests of the task. */
  readonly turns: number;
  /** Turns that had a compaction made for them or ahead of them and put in place. */
  readonly compactions: number;
  /** Turns behind the first compaction, and those of them that found one. */
  readonly after: number;
  readonly hits: number;
  /** Turns whose messages go on upstream where those before them ended, of those without a new compaction. */
  readonly continued: number;
  readonly continuable: number;
  /** Earlier messages that a client sent again with another link. */
  readonly brokenLinks: number;
  readonly refused: number;
  readonly largestTokens: number;
  readonly windowTokens: number;
  readonly markersMax: number;
  readonly exits: readonly (number | null)[];
  readonly changes: readonly Tally[];
  /** Empty where all held. */
  readonly faults: readonly string[];
}

export interface Tally {
  readonly what: string;
  readonly times: number;
  /** The furthest from the end at which it was seen. */
  readonly deepest: number | undefined;
}

const TURNS_MIN = 25;
const COMPACTIONS_MIN = 2;
const MARKERS_MAX = 4;

export function judge(trial: Trial): Verdict {
  const { client, stages, requests } = trial;
  const turns = trial.exchanges.filter(({ method, body }) => method === "POST" && isTask(body));
  const served = requests.filter(({ body }) => isTask(body));
  const first = turns.findIndex(isRewritten);
  const after = first < 0 ? [] : turns.slice(first);
  const counts = {
    turns: turns.length,
    compactions: turns.filter(({ treatment }) => treatment.includes("fresh")).length,
    after: after.length,
    hits: after.filter(isRewritten).length,
    ...continuity(trial, turns, served),
    brokenLinks: brokenLinks(trial, turns),
    refused: requests.filter(({ outcome }) => outcome === "refused").length,
    largestTokens: Math.max(0, ...requests.map(({ use }) => use?.inputTokens ?? 0)),
    windowTokens: client.windowTokens,
    markersMax: Math.max(0, ...requests.map(({ body }) => markersIn(body))),
    exits: stages.map(({ code }) => code),
  };
  return {
    client: client.name,
    version: client.version,
    ...counts,
    changes: talliesOf(trial, turns),
    faults: [
      ...(trial.own ? faultsOfOwn(trial, counts) : faultsIn(trial, counts)),
      ...stages.flatMap(({ output }) => client.complaints(output)),
      ...strange(trial),
    ],
  };
}

function isRewritten({ treatment }: Exchange): boolean {
  return treatment.startsWith("rewritten");
}

type Counts = Omit<Verdict, "client" | "version" | "changes" | "faults">;

function faultsIn({ client, stages }: Trial, counts: Counts): readonly string[] {
  const resumesAnew = client.resumesAnew === true ? stages.length - 1 : 0;
  const { turns, compactions, after, hits, continued, continuable, brokenLinks: broken } = counts;
  return [
    ...faultsOfAny(counts),
    ...said([
      [turns < TURNS_MIN, `only ${turns} turns`],
      [compactions < COMPACTIONS_MIN, `only ${compactions} compactions`],
      [hits < after, `${after - hits} turns found no compaction`],
      [continued < continuable, `${continuable - continued} turns did not go on where the one before ended`],
      [broken > resumesAnew, `${broken} earlier messages changed their link`],
    ]),
  ];
}

/** Where the client compacts by itself, nothing new may be made for that; what stood goes on standing. */
function faultsOfOwn({ exchanges }: Trial, counts: Counts): readonly string[] {
  const asked = exchanges.filter(({ body }) => asksSummary(body));
  const disturbed = asked.filter(({ treatment }) => treatment === "unchanged" || treatment.includes("fresh"));
  return [
    ...faultsOfAny(counts),
    ...said([
      [asked.length === 0, "the client compacted nothing"],
      [disturbed.length > 0, `${disturbed.length} compactions of the client were not known`],
    ]),
  ];
}

function faultsOfAny(counts: Counts): readonly string[] {
  return said([
    [counts.refused > 0, `${counts.refused} requests were refused upstream`],
    [counts.largestTokens > counts.windowTokens, "a request was over the window"],
    [counts.markersMax > MARKERS_MAX, `${counts.markersMax} cache markers`],
    [counts.exits.some((code) => code !== 0), `exits ${counts.exits.join(", ")}`],
  ]);
}

function said(findings: readonly (readonly [wrong: boolean, words: string])[]): readonly string[] {
  return findings.flatMap(([wrong, words]) => (wrong ? [words] : []));
}

/** What the client saw go wrong, and what the gateway did not do. */
function strange({ exchanges, requests, log }: Trial): readonly string[] {
  return [
    ...exchanges
      .filter(({ status }) => status >= 400)
      .map(({ path, status, answer }) => `${path}: ${status} ${answer}`),
    ...exchanges.filter(({ answer }) => STREAM_ERROR.test(answer)).map(({ path }) => `${path}: an error in a stream`),
    ...requests.flatMap(({ message }) => (message === undefined ? [] : [message])),
    ...log.filter(({ level }) => level === "error").map((line) => JSON.stringify(line)),
  ];
}

const STREAM_ERROR = /^event: (?:error|response\.failed)$/m;

const listOf = ({ client }: Trial): string => protocols[client.protocol].keys.messages;

/** Upstream, each request should begin with the whole of the one before it, markers aside. */
function continuity(
  trial: Trial,
  turns: readonly Exchange[],
  served: readonly RequestRecord[],
): Pick<Verdict, "continued" | "continuable"> {
  let [continued, continuable] = [0, 0];
  // A retry of the gateway's own makes one turn two requests; then nothing can be said of this trial.
  if (turns.length !== served.length) return { continued: 0, continuable: turns.length };
  for (let at = 1; at < served.length; at++) {
    if (turns[at]!.treatment.includes("fresh")) continue;
    continuable++;
    const moved = changesBetween(served[at - 1]!.body, served[at]!.body, listOf(trial)).filter(isContent);
    if (moved.length === 0) continued++;
  }
  return { continued, continuable };
}

/** A cache marker that moves, and a string that stands for one text block, say the same. */
function isContent({ place, kind, fromEnd }: Change): boolean {
  if (fromEnd === undefined) return false;
  return !place.endsWith(".cache_control") && !(kind === "retyped" && place.endsWith("[].content"));
}

function brokenLinks({ client }: Trial, turns: readonly Exchange[]): number {
  const chain = createChain((text) => hash("sha256", text));
  let broken = 0;
  let before: readonly string[] = [];
  for (const { body } of turns) {
    const links = chain.linksOf(protocols[client.protocol].decode(body).transcript.messages);
    if (before.some((link, at) => link !== links[at])) broken++;
    before = links;
  }
  return broken;
}

function markersIn(body: string): number {
  return body.match(/"cache_control":\{/g)?.length ?? 0;
}

function talliesOf(trial: Trial, turns: readonly Exchange[]): readonly Tally[] {
  const tallies = new Map<string, Tally>();
  for (let at = 1; at < turns.length; at++) {
    for (const { kind, place, fromEnd } of changesBetween(turns[at - 1]!.body, turns[at]!.body, listOf(trial))) {
      const what = `${kind} ${place}`;
      const { times = 0, deepest } = tallies.get(what) ?? {};
      tallies.set(what, { what, times: times + 1, deepest: Math.max(deepest ?? -1, fromEnd ?? -1) });
    }
  }
  return Array.from(tallies.values(), (one) => ({ ...one, deepest: one.deepest === -1 ? undefined : one.deepest }));
}
