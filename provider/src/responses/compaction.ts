/**
 * OpenAI's compaction (its compaction guide, 2026-11). `POST /responses/compact` answers with the user's messages and one item
 * that only the provider can read. With `context_management` a request above its threshold is answered with such an item
 * first. Of what comes before the latest item, only what users said is read again.
 */
import { countOf, fieldsOf, listOf, type Fields } from "../../../src/protocols/fields.ts";
import { type Reply, type ReplyBlock } from "../contract.ts";
import { invalid, type Refusal, missing, notOneOf } from "../../../src/protocols/request-form/openai-refusals.ts";
import { kindOf } from "../../../src/protocols/request-form/responses.ts";

/** The least that a threshold may be (OpenAI API reference, Responses, `context_management`). */
const THRESHOLD_TOKENS_MIN = 1_000;

export function asksForCompaction(path: string): boolean {
  return path.endsWith("/responses/compact");
}

export function compactionOf(items: readonly Fields[]): Reply {
  return { blocks: [compactionBlock(items)], stop: "stop" };
}

export function compactionBlock(items: readonly Fields[]): ReplyBlock {
  const covered = items.filter((item) => kindOf(item) !== "compaction_trigger").length;
  return { kind: "compaction", text: `${covered} items` };
}

/** The object of the endpoint's answer, beside its usage. */
export function compacted(item: Fields, input: readonly Fields[]): Fields {
  return { object: "response.compaction", output: [...input.filter(isOfUser), item] };
}

function isOfUser(item: Fields): boolean {
  return kindOf(item) === "message" && item["role"] === "user";
}

/** What the model is given: of everything before the latest item, only what users said. */
export function readItems(items: readonly Fields[]): readonly Fields[] {
  const last = items.findLastIndex((item) => kindOf(item) === "compaction");
  return last < 0 ? items : [...items.slice(0, last).filter(isOfUser), ...items.slice(last)];
}

export function checkManagement({ context_management: management }: Fields): Refusal | undefined {
  if (management === undefined || management === null) return undefined;
  if (!Array.isArray(management)) return invalid("shape", "Invalid type for 'context_management': expected an array.");
  for (const [at, entry] of management.map(fieldsOf).entries()) {
    const place = `context_management[${at}]`;
    if (entry["type"] !== "compaction") return notOneOf(`${place}.type`, entry["type"], ["compaction"], "compaction");
    const threshold = countOf(entry["compact_threshold"]);
    if (threshold === undefined) return missing(`${place}.compact_threshold`);
    if (threshold < THRESHOLD_TOKENS_MIN)
      return invalid(
        "compaction",
        `Invalid '${place}.compact_threshold': integer below minimum value. Expected a value >= ${THRESHOLD_TOKENS_MIN}, but got ${threshold} instead.`,
        { param: `${place}.compact_threshold`, code: "integer_below_min_value" },
      );
  }
  return undefined;
}

/** Undefined if the request asks for none. */
export function thresholdOf({ context_management: management }: Fields): number | undefined {
  return countOf(fieldsOf(listOf(management)[0])["compact_threshold"]);
}
