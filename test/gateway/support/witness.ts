/**
 * Watches a replay from both sides of the gateway, what the agent sent and what the provider got, and says what was not
 * as it must be: a prefix that changed between two compactions, a message that is not kept, a recall id that leads nowhere.
 */
import { hash } from "node:crypto";
import { createChain } from "../../../src/core/transcript/links.ts";
import { createMeasure } from "../../../src/core/transcript/measure.ts";
import type { ContentPart, Message, Part } from "../../../src/core/transcript/message.ts";
import type { AgentTurn } from "../../support/agent/replay.ts";
import type { RequestRecord } from "../../../provider/src/record.ts";
import { skipValue } from "../../../src/protocols/json.ts";
import { protocols } from "../../../src/protocols/index.ts";
import { type ProtocolName } from "../../../src/core/protocols.ts";
import { PROTOCOL_MODELS } from "../../../provider/test/models.ts";
import type { HistoryStore } from "../../../src/store/store.ts";
import { createCacheWitness } from "./cache-witness.ts";
import { markersIn, unmarked } from "./unmarked.ts";

export interface Witness {
  /** For the provider's `onRequest`. */
  readonly got: (record: RequestRecord) => void;
  /** For the agent's `onTurn`. */
  readonly sent: (turn: AgentTurn) => void;
  /** What was wrong; empty where nothing was. */
  readonly faults: (store: HistoryStore, tenant: string) => Promise<readonly string[]>;
  readonly tally: () => Tally;
  /** Tokens of the client's last request that was answered, by our own count. */
  readonly lastTokens: () => number;
}

export interface Tally {
  readonly turns: number;
  /** Requests that were compacted again. */
  readonly fresh: number;
  readonly rewritten: number;
  readonly recallIds: number;
  /** Treatments by their first words. */
  readonly treatments: Readonly<Record<string, number>>;
}

const RECALL_ID = /\br[0-9a-f]{9}(?:[0-9a-f]{7})?\b/g;
const FAULTS_TOLD = 5;
/** A fifth is refused (Anthropic's prompt caching docs, 2026-11). */
const MARKERS_MAX = 4;

export interface WitnessOptions {
  /** False where the provider leaves out thinking that does not fit, before it counts: only it knows what. Default true. */
  readonly cache?: boolean;
}

export function createWitness(protocol: ProtocolName, { cache = true }: WitnessOptions = {}): Witness {
  const arrived: RequestRecord[] = [];
  const caching = createCacheWitness(protocol, PROTOCOL_MODELS[protocol]);
  const wrong: string[] = [];
  const ids = new Set<string>();
  const treatments: Record<string, number> = {};
  let turns = 0;
  let last: { readonly sent: string; readonly forwarded: string } | undefined;

  const sent = ({ index, sent: body, headers, status }: AgentTurn): void => {
    const treatment = headers.get("x-precis") ?? "none";
    const kind = treatment.includes("fresh") ? "fresh" : (treatment.split("; b")[0] ?? "");
    treatments[kind] = (treatments[kind] ?? 0) + 1;
    turns += 1;
    const [got, ...more] = arrived.splice(0);
    const forwarded = got === undefined ? undefined : unmarked(got.body);
    const markers = markersIn(got?.body ?? "");
    if (markers > MARKERS_MAX) wrong.push(`turn ${index}: ${markers} cache markers`);
    for (const fault of got === undefined || !cache ? [] : caching.seen(got, kind === "fresh"))
      wrong.push(`turn ${index} (${treatment}): ${fault}`);
    if (forwarded === undefined || more.length > 0)
      return void wrong.push(
        `turn ${index}: the provider got ${more.length + (forwarded === undefined ? 0 : 1)} requests`,
      );
    for (const [id] of forwarded.matchAll(RECALL_ID)) if (!body.includes(id)) ids.add(id);
    if (kind !== "fresh" && last !== undefined && !forwarded.startsWith(upToLast(last.forwarded, protocol)))
      wrong.push(`turn ${index} (${treatment}): ${firstDifference(last.forwarded, forwarded)}`);
    if (kind === "unchanged" && forwarded !== unmarked(body))
      wrong.push(`turn ${index}: said to be unchanged, and is not`);
    if (status === 200) last = { sent: body, forwarded };
    return undefined;
  };

  return {
    got: (record) => void arrived.push({ ...record }),
    sent,
    faults: async (store, tenant) => {
      const lost = last === undefined ? [] : await lostOf(last.sent, { protocol, store, tenant });
      const dead = last === undefined ? [] : await deadIds(ids, last.sent, { protocol, store, tenant });
      return [...wrong, ...lost, ...dead].slice(0, FAULTS_TOLD);
    },
    tally: () => ({
      turns,
      fresh: treatments["fresh"] ?? 0,
      rewritten: (treatments["rewritten"] ?? 0) + (treatments["fresh"] ?? 0),
      recallIds: ids.size,
      treatments,
    }),
    lastTokens: () =>
      last === undefined ? 0 : createMeasure().transcript(protocols[protocol].decode(last.sent).transcript),
  };
}

/** All of a body that the next request of the same conversation begins with: up to the end of its last message. */
function upToLast(body: string, protocol: ProtocolName): string {
  const name = `"${protocols[protocol].keys.messages}":[`;
  const at = body.indexOf(name) + name.length - 1;
  return body.slice(0, skipValue(body, at) - 1);
}

function firstDifference(one: string, other: string): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const around = (text: string): string => text.slice(Math.max(0, at - 40), at + 80);
  return `differs at ${at} of ${one.length}: …${around(one)}… became …${around(other)}…`;
}

interface Kept {
  readonly protocol: ProtocolName;
  readonly store: HistoryStore;
  readonly tenant: string;
}

/** Every message of this request has to be in the store, in its own bytes. */
export async function lostOf(body: string, { protocol, store, tenant }: Kept): Promise<readonly string[]> {
  const { messages } = protocols[protocol].decode(body).transcript;
  const links = createChain((text) => hash("sha256", text)).linksOf(messages);
  const chain = await store.readChain(tenant, links.at(-1) ?? "");
  if (chain.length !== messages.length) return [`${chain.length} of ${messages.length} messages are kept`];
  return messages.flatMap((message, at) => {
    const { link, body: kept } = chain[at]!;
    return link === links[at] && kept === message.wire?.raw ? [] : [`message ${at} is kept as ${kept.slice(0, 200)}`];
  });
}

async function deadIds(ids: ReadonlySet<string>, body: string, kept: Kept): Promise<readonly string[]> {
  const { messages } = protocols[kept.protocol].decode(body).transcript;
  const raws = new Set(messages.map(({ wire }) => wire?.raw));
  const texts = new Set(messages.flatMap(textsOf));
  const dead: string[] = [];
  for (const id of ids) {
    const original = await kept.store.getOriginal(kept.tenant, id);
    if (original === undefined) dead.push(`recall id ${id} leads nowhere`);
    else if (original.kind === "span" && !original.text.split("\n").every((line) => raws.has(line)))
      dead.push(`recall id ${id}, ${original.label}: not the messages that were`);
    else if (original.kind !== "span" && !texts.has(original.text))
      dead.push(`recall id ${id}, ${original.kind} ${original.label}: not what was: ${original.text.slice(0, 120)}`);
  }
  return dead;
}

/** Everything that a recall id may stand for, in its own words. */
function textsOf({ parts }: Message): readonly string[] {
  return parts.flatMap((part): readonly string[] => {
    if (part.kind !== "tool-result") return textOf(part);
    const content = part.content.flatMap(textOf);
    return [...content, content.join(""), content.join("\n")];
  });
}

function textOf(part: Exclude<Part, { kind: "tool-result" }> | ContentPart): readonly string[] {
  switch (part.kind) {
    case "text":
    case "reasoning":
      return [part.text];
    case "tool-call":
      return [part.arguments];
    case "image":
    case "file":
      return part.source.type === "data" ? [part.source.data] : [];
    default:
      return "raw" in part ? [part.raw] : [];
  }
}
