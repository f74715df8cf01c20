/**
 * Which lines of a Claude Code file are the conversation. Lines form a tree by `parentUuid`; the branch of the last
 * line counts. Parallel calls hang beside that branch, because every block of a reply and every result is a line of
 * its own: they belong to it when their reply or their call does.
 */
import { asFields, asList, asText, type Fields, toJson, asObjects } from "../fields.ts";
import type { Line } from "../lines.ts";
import { type History, type LogNote, findBranch, makeNote, recordedCall } from "../log.ts";
import type { ContentPart, MediaSource, Part } from "../../core/transcript/message.ts";
import { opaqueBlock } from "../../protocols/content.ts";

/** A link to no line in the file: the line before takes its place. */
const LINE_BEFORE = "";

interface Branch {
  readonly lines: readonly Line[];
  readonly notes: readonly LogNote[];
}

export function activeBranch(all: readonly Line[], history: History): Branch {
  const nodes = withoutRepeats(all.filter((line) => asText(line.record["uuid"]) !== undefined));
  const leaf = nodes.findLastIndex((line) => isConversation(line) || line.record["type"] === "attachment");
  if (leaf < 0) return { lines: [], notes: [] };
  const kept = keptSegments(nodes);
  const parents = new Map([...kept.values()].flatMap((segment) => segment.parents));
  const tree = nodes.map((node) => ({
    id: uuidOf(node),
    parent: parents.get(uuidOf(node)) ?? findParent(node, history),
  }));
  const branch = findBranch(tree, behindSegment(nodes, leaf, kept)).map((at) => nodes[at]!);
  const active = new Set(branch);
  const oldest = branch[0]!.at;
  addParallel(nodes, active);
  const lines = inOrder([...active, ...queueLines(all, active)], history === "live" ? [...kept.values()] : []);
  return { lines, notes: leftOut(nodes, active, oldest) };
}

/** The messages that a compaction kept come behind its summary, also if nothing has followed yet. */
function behindSegment(nodes: readonly Line[], leaf: number, kept: ReadonlyMap<string, KeptSegment>): number {
  const segment = [...kept.values()].findLast(({ anchorAt }) => anchorAt === nodes[leaf]!.at);
  const last = segment === undefined ? undefined : [...segment.uuids].at(-1);
  return last === undefined ? leaf : nodes.findIndex((node) => uuidOf(node) === last);
}

function withoutRepeats(lines: readonly Line[]): readonly Line[] {
  const seen = new Set<string>();
  return lines.filter((line) => !seen.has(uuidOf(line)) && seen.add(uuidOf(line)));
}

const uuidOf = (line: Line): string => asText(line.record["uuid"])!;

function isConversation(line: Line): boolean {
  return line.record["type"] === "user" || line.record["type"] === "assistant";
}

/** Null at a root, where the live history begins: a compaction boundary, a cleared context, or the first line. */
function findParent(line: Line, history: History): string | null {
  const parent = line.record["parentUuid"];
  if (parent !== null) return asText(parent) ?? LINE_BEFORE;
  return history === "live" ? null : (asText(line.record["logicalParentUuid"]) ?? LINE_BEFORE);
}

/** Lines of a reply that is on the branch, and results of its calls. */
function addParallel(nodes: readonly Line[], active: Set<Line>): void {
  const replies = new Set<string>();
  for (const line of active) {
    const id = asText(readMessage(line)?.["id"]);
    if (id !== undefined) replies.add(id);
  }
  const calls = new Map<string, number>();
  for (const line of nodes) {
    const message = readMessage(line);
    if (replies.has(asText(message?.["id"]) ?? "")) active.add(line);
    if (!active.has(line) || line.record["type"] !== "assistant") continue;
    for (const block of asList(message?.["content"])) {
      const id = asText(asFields(block)?.["id"]) ?? "";
      calls.set(id, calls.get(id) ?? line.at);
    }
  }
  for (const line of nodes) {
    if (line.record["type"] !== "user" || active.has(line)) continue;
    const results = asList(readMessage(line)?.["content"]).map((block) => asText(asFields(block)?.["tool_use_id"]));
    // What a compaction wrote once more has the same ids.
    if (results.some((id) => id !== undefined && (calls.get(id) ?? Infinity) < line.at)) active.add(line);
  }
}

/** The message of an entry; copies of what was sent (`api-request-blob`, 2.1.332) are no entries. */
export function readMessage({ record }: Line): Fields | undefined {
  return record["type"] === "api-request-blob" ? undefined : asFields(record["message"]);
}

/** Messages that a compaction carried over: they come before the boundary in the file and behind the summary in use. */
interface KeptSegment {
  readonly uuids: ReadonlySet<string>;
  /** Line behind which the segment is sent. */
  readonly anchorAt: number;
  /** Links, repaired as the agent repairs them when it loads the file. */
  readonly parents: readonly (readonly [string, string])[];
}

function keptSegments(nodes: readonly Line[]): ReadonlyMap<string, KeptSegment> {
  const segments = new Map<string, KeptSegment>();
  for (const boundary of nodes) {
    const metadata = asFields(boundary.record["compactMetadata"]);
    const listed = asFields(metadata?.["preservedMessages"]);
    const ranged = asFields(metadata?.["preservedSegment"]);
    const anchor = asText((listed ?? ranged)?.["anchorUuid"]);
    if (anchor === undefined) continue;
    const uuids =
      listed === undefined ? findRange(nodes, ranged!) : asList(listed["uuids"]).filter((id) => typeof id === "string");
    const anchorAt = nodes.find((node) => uuidOf(node) === anchor)?.at;
    if (anchorAt === undefined || uuids.length === 0) continue;
    const chain = uuids.map((uuid, at) => [uuid, uuids[at - 1] ?? anchor] as const);
    const followers = nodes.filter((node) => node.at > boundary.at && node.record["parentUuid"] === anchor);
    const after = followers.map((node) => [uuidOf(node), uuids.at(-1)!] as const);
    segments.set(uuidOf(boundary), { uuids: new Set(uuids), anchorAt, parents: [...after, ...chain] });
  }
  return segments;
}

/** From the segment's head to its tail, by parent; nothing if the links do not lead from one to the other. */
function findRange(nodes: readonly Line[], range: Fields): readonly string[] {
  const parents = new Map(nodes.map((node) => [uuidOf(node), asText(node.record["parentUuid"])]));
  const uuids: string[] = [];
  for (let at = asText(range["tailUuid"]); at !== undefined && uuids.length <= nodes.length; at = parents.get(at)) {
    uuids.push(at);
    if (at === range["headUuid"]) return uuids.toReversed();
  }
  return [];
}

/** Records of the queue are in no tree: they go with the message before them. */
function queueLines(all: readonly Line[], active: ReadonlySet<Line>): readonly Line[] {
  let within = false;
  return all.filter((line) => {
    if (isConversation(line)) within = active.has(line);
    return within && line.record["type"] === "queue-operation";
  });
}

function inOrder(lines: readonly Line[], segments: readonly KeptSegment[]): readonly Line[] {
  const places = new Map(lines.map((line) => [line, findPlace(line, segments)]));
  return lines.toSorted((a, b) => places.get(a)! - places.get(b)! || a.at - b.at);
}

/** Lines have whole numbers, so that a half is right behind one. */
function findPlace(line: Line, segments: readonly KeptSegment[]): number {
  const segment = segments.findLast(({ uuids }) => uuids.has(asText(line.record["uuid"]) ?? ""));
  return segment === undefined ? line.at : segment.anchorAt + 0.5;
}

function leftOut(nodes: readonly Line[], active: ReadonlySet<Line>, oldest: number): readonly LogNote[] {
  const out = nodes.filter((line) => isConversation(line) && !active.has(line));
  const [before, beside] = [out.filter((line) => line.at < oldest), out.filter((line) => line.at >= oldest)];
  const replaced = `${before.length} earlier lines are no longer sent by the agent`;
  const skipped = `${beside.length} lines are on an abandoned branch`;
  return [
    ...before.slice(0, 1).map(({ at }) => makeNote("history_replaced", at, replaced)),
    ...beside.slice(0, 1).map(({ at }) => makeNote("branch_skipped", at, skipped)),
  ];
}

const KEPT_MARK = /\n\n\[precis: the next (\d+) messages are kept as they were\]$/;

export function withKeptMark(text: string, count: number): string {
  if (count === 0) return text;
  return `${text}\n\n[precis: the next ${count} messages are kept as they were]`;
}

/** For a reader of the whole history, which has them from before the compaction. */
export function withoutKept(lines: readonly Line[]): readonly Line[] {
  let left = 0;
  return lines.filter((line) => {
    const { type } = line.record;
    if (type !== "user" && type !== "assistant") return true;
    if (left > 0) {
      left--;
      return false;
    }
    const content = readMessage(line)?.["content"];
    if (typeof content === "string") left = Number(KEPT_MARK.exec(content)?.[1] ?? 0);
    return true;
  });
}

export function replyPart(block: Fields): Part {
  switch (block["type"]) {
    case "thinking":
      return { kind: "reasoning", text: asText(block["thinking"]) ?? "" };
    case "redacted_thinking":
      return { kind: "reasoning", text: "" };
    case "tool_use":
      return recordedCall(block["id"], block["name"], block["input"]);
    default:
      return contentPart(block);
  }
}

export function contentParts(content: unknown): readonly ContentPart[] {
  if (typeof content === "string") return content === "" ? [] : [{ kind: "text", text: content }];
  return readBlocks(content).map(contentPart);
}

export function readBlocks(content: unknown): readonly Fields[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : asObjects(content);
}

function contentPart(block: Fields): ContentPart {
  const opaque = (): ContentPart => opaqueBlock(block, toJson(block));
  switch (block["type"]) {
    case "text":
      return { kind: "text", text: asText(block["text"]) ?? "" };
    case "image": {
      const source = mediaSource(block["source"]);
      return source === undefined ? opaque() : { kind: "image", source };
    }
    case "document": {
      const source = mediaSource(block["source"]);
      const name = asText(block["title"]);
      if (source === undefined) return opaque();
      return name === undefined ? { kind: "file", source } : { kind: "file", source, name };
    }
    default:
      return opaque();
  }
}

function mediaSource(value: unknown): MediaSource | undefined {
  const source = asFields(value);
  const data = asText(source?.["data"]);
  const url = asText(source?.["url"]);
  const id = asText(source?.["file_id"]);
  if (data !== undefined)
    return { type: "data", mediaType: asText(source?.["media_type"]) ?? "application/octet-stream", data };
  if (url !== undefined) return { type: "url", url };
  return id === undefined ? undefined : { type: "id", id };
}
