/**
 * Compaction on request (Anthropic's docs, "Compaction on demand", 2026-11): a request with `compaction` is answered with one
 * signed block and nothing else. The block comes back first, unchanged, in place of the messages it summarises. At a
 * threshold ("Compaction at a token threshold"), `context_management` has a block put before the answer, and what stands
 * before the latest block is not read again.
 */
import { countOf, fieldsOf, isFields, listOf, textOf, type Fields } from "../../../src/protocols/fields.ts";
import { type Reply, type ReplyBlock } from "../contract.ts";
import { firstRefusal, invalid, type Refusal } from "../../../src/protocols/request-form/openai-refusals.ts";
import type { Sealer } from "../seals.ts";
import { messagesOf, placed } from "../../../src/protocols/request-form/anthropic.ts";

const BETA = "compact-2026-09-04";

export function asksCompaction({ compaction }: Fields): boolean {
  return compaction !== undefined && compaction !== null;
}

export function checkCompaction(body: Fields, headers: Headers, sealer: Sealer): Refusal | undefined {
  return (
    (asksCompaction(body) ? checkRequest(body, headers) : undefined) ??
    checkEdit(body, headers) ??
    checkBlocks(body, headers, sealer)
  );
}

export function hasBeta(headers: Headers, beta = BETA): boolean {
  return (headers.get("anthropic-beta") ?? "").split(",").some((name) => name.trim() === beta);
}

function checkRequest(body: Fields, headers: Headers): Refusal | undefined {
  if (!hasBeta(headers)) return invalid("shape", "compaction: Extra inputs are not permitted");
  if (fieldsOf(body["compaction"])["type"] !== "summarize")
    return invalid("shape", "compaction: Input tag found using 'type' does not match any of the expected tags");
  return isFields(body["context_management"])
    ? invalid("compaction", "compaction: cannot be combined with `context_management`")
    : undefined;
}

/** Signed blocks only: those of a threshold carry no signature and are anywhere. */
function checkBlocks(body: Fields, headers: Headers, sealer: Sealer): Refusal | undefined {
  const all = messagesOf(body).flatMap(placed);
  const signed = all.filter(({ block }) => block["type"] === "compaction" && typeof block["signature"] === "string");
  if (signed.length === 0) return undefined;
  if (!hasBeta(headers))
    return invalid("shape", `${signed[0]!.path}.compaction.signature: Extra inputs are not permitted`);
  if (signed.length > 1)
    return refused("compaction_block_ambiguous", "messages: send only the compaction block that was returned last");
  return firstRefusal(signed, ({ block, path }) => {
    if (block !== all[0]!.block)
      return refused(
        "compaction_block_misplaced",
        `${path}: a compaction block must be the first block of the conversation`,
      );
    return block["signature"] === signatureOf(block, sealer)
      ? undefined
      : refused("compaction_content_mismatch", `${path}: the content differs from what was signed`);
  });
}

function refused(code: string, message: string): Refusal {
  return { ...invalid("compaction", message), details: { error_code: code } };
}

/** What the vendor answers to such a request, whatever a script says. */
export function compactionOf(body: Fields): Reply {
  return { blocks: [{ kind: "compaction", text: `Summary of ${messagesOf(body).length} messages.` }], stop: "stop" };
}

export function signatureOf({ content, tool_changes: changes }: Fields, { mac }: Pick<Sealer, "mac">): string {
  return mac(`compaction\n${textOf(content) ?? ""}\n${JSON.stringify(changes ?? null)}`);
}

const THRESHOLD_BETA = "compact-2026-01-12";
const THRESHOLD_EDIT = "compact_20260112";
const TRIGGER_TOKENS = 150_000;
const TRIGGER_TOKENS_MIN = 50_000;

function editOf(body: Fields): Fields | undefined {
  const edits = listOf(fieldsOf(body["context_management"])["edits"]).map(fieldsOf);
  return edits.find(({ type }) => type === THRESHOLD_EDIT);
}

function triggerTokensOf(edit: Fields): number {
  return countOf(fieldsOf(edit["trigger"])["value"]) ?? TRIGGER_TOKENS;
}

function checkEdit(body: Fields, headers: Headers): Refusal | undefined {
  const edit = editOf(body);
  if (edit === undefined) return undefined;
  if (!hasBeta(headers, THRESHOLD_BETA)) return invalid("shape", "context_management: Extra inputs are not permitted");
  return triggerTokensOf(edit) < TRIGGER_TOKENS_MIN
    ? invalid("compaction", `context_management: trigger value must be at least ${TRIGGER_TOKENS_MIN}`)
    : undefined;
}

/** What the request lets the vendor do about that many tokens: nothing, a block before the answer, or a block and a pause. */
export function thresholdCompaction(body: Fields, inputTokens: number): { opening?: ReplyBlock; own?: Reply } {
  const edit = editOf(body);
  if (edit === undefined || inputTokens < triggerTokensOf(edit)) return {};
  const { blocks, stop } = compactionOf(body);
  return edit["pause_after_compaction"] === true ? { own: { blocks, stop } } : { opening: blocks[0]! };
}

/** The path of the latest block, before which nothing is read again. */
export function readFrom(body: Fields): string | undefined {
  return messagesOf(body)
    .flatMap(placed)
    .findLast(({ block }) => block["type"] === "compaction" && typeof block["content"] === "string")?.path;
}
