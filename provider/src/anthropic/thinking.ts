/**
 * Thinking that comes back ("preserved thinking" in docs/sources.md). A block whose text is not the signed one is refused on every model. On models that bind it,
 * so is one before which anything changed: system, tools, a message, or a thinking block that is missing between others.
 * Leaving out the first ones is allowed. With `drop_block` what fails is taken out instead, and said.
 */
import { createHash } from "node:crypto";
import { fieldsOf, isFields, lazy, textOf, blocksOf, type Fields } from "../../../src/protocols/fields.ts";
import { firstRefusal, invalid, type Refusal } from "../../../src/protocols/request-form/openai-refusals.ts";
import { hasBeta } from "./compaction.ts";
import type { Memory } from "../memory.ts";
import { FIRST, type Seal, type Sealer } from "../seals.ts";
import { canonical } from "../weigh.ts";
import { messagesOf, placed, promptTools, type PlacedBlock } from "../../../src/protocols/request-form/anthropic.ts";

const CONTROLS_BETA = "thinking-binding-controls-2026-08-01";

export interface ThinkingQuery {
  readonly body: Fields;
  readonly headers: Headers;
  readonly model: string;
  readonly binds: boolean;
  /** Whether the signature of a thought is looked at; it is by default. */
  readonly signs?: boolean;
  readonly sealer: Sealer;
}

export interface ThinkingFound {
  /** Paths of blocks that the model does not see. */
  readonly dropped: ReadonlySet<string>;
  /** What the answer says of them; undefined if the request did not ask. */
  readonly transformations: readonly unknown[] | undefined;
  /** Hash of the whole request, for the thinking that answers it; taken when first asked for. */
  readonly prefix: () => string;
  /** The last thinking block that the model sees. */
  readonly last: string;
}

const isThinking = (block: Fields): boolean => block["type"] === "thinking" || block["type"] === "redacted_thinking";

/** The setting needs its beta header; the turn in the middle of a tool loop keeps its own thinking. */
export function checkThinkingUse(body: Fields, headers: Headers, memory: Memory): Refusal | undefined {
  const binding = fieldsOf(body["thinking"])["block_binding"];
  const type = textOf(fieldsOf(body["thinking"])["type"]);
  if (isFields(binding)) {
    const behavior = binding["prefix_mismatch_behavior"];
    if (!hasBeta(headers, CONTROLS_BETA))
      return invalid("thinking", `thinking.${type}.block_binding: Extra inputs are not permitted`);
    if (behavior !== undefined && behavior !== null && behavior !== "error" && behavior !== "drop_block")
      return invalid(
        "thinking",
        `thinking.${type}.block_binding.prefix_mismatch_behavior: Input should be 'error' or 'drop_block'`,
      );
  }
  if (type !== "enabled" && type !== "adaptive") return undefined;
  return checkOpenTurn(
    messagesOf(body),
    (first) => type === "enabled" || first.some(({ id }) => memory.thoughtOver.get(String(id)) === true),
  );
}

/**
 * Where results come last, the turn they belong to began after the last message in which a person spoke. A model that
 * thinks as it sees fit need not have thought; then it is known by its calls whether it did.
 */
function checkOpenTurn(
  messages: readonly Fields[],
  thought: (blocks: readonly Fields[]) => boolean,
): Refusal | undefined {
  // A system message behind the results begins no new turn.
  const said = messages.findLast((message) => message["role"] !== "system");
  if (said === undefined || !hasResults(said)) return undefined;
  const spoke = messages.findLastIndex((message) => message["role"] === "user" && !hasResults(message));
  const at = messages.findIndex((message, index) => index > spoke && message["role"] === "assistant");
  const blocks = at < 0 ? [] : blocksOf(messages[at]!["content"]);
  const [first] = blocks;
  if (first === undefined || isThinking(first) || !thought(blocks)) return undefined;
  return invalid(
    "thinking",
    `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first["type"])}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking`,
  );
}

function hasResults(message: Fields): boolean {
  return blocksOf(message["content"]).some((block) => block["type"] === "tool_result");
}

export function checkThinkingBlocks(query: ThinkingQuery): Refusal | ThinkingFound {
  const { body, headers, binds } = query;
  const dropsMismatch =
    fieldsOf(fieldsOf(body["thinking"])["block_binding"])["prefix_mismatch_behavior"] === "drop_block";
  const dropped = new Map<string, string>();
  const before = runningHash();
  for (const block of [...promptTools(body), null, ...blocksOf(body["system"])]) before.add(() => canonical(block));
  let last = FIRST;
  const see = (one: PlacedBlock): Refusal | undefined => {
    const { block, path } = one;
    // Only Anthropic signs what its models think.
    if (!isThinking(block) || query.signs === false) {
      before.add(() => canonical(block));
      return undefined;
    }
    const seal = readSeal(query, block, before.digest());
    if (seal === undefined || !seal.whole) return forged(path, block);
    const follows = last === FIRST || seal.after === last;
    if (!seal.sameModel) dropped.set(path, "model_binding_mismatch");
    else if (!binds || (seal.samePrefix && follows)) last = seal.id;
    else if (dropsMismatch) dropped.set(path, "prefix_binding_mismatch");
    else return bound(path, block);
    return undefined;
  };
  const refusal = firstRefusal(messagesOf(body), (message, at) => {
    before.add(() => String(message["role"]));
    return firstRefusal(placed(message, at), see);
  });
  if (refusal !== undefined) return refusal;
  const drops = Array.from(dropped, ([path, reason]) => ({ type: "thinking_dropped", path, reason }));
  const asked = hasBeta(headers, CONTROLS_BETA);
  before.add(() => "assistant");
  const prefix = lazy(before.digest);
  return { dropped: new Set(dropped.keys()), transformations: asked ? drops : undefined, prefix, last };
}

interface RunningHash {
  readonly add: (piece: () => string) => void;
  /** Of all pieces until now. */
  readonly digest: () => string;
}

/** Most requests hold no thinking: pieces are written down only when somebody asks. */
function runningHash(): RunningHash {
  const running = createHash("sha256");
  let pending: (() => string)[] = [];
  return {
    add: (piece) => void pending.push(piece),
    digest: () => {
      for (const piece of pending) running.update(`${piece()}\n`);
      pending = [];
      return running.copy().digest("hex");
    },
  };
}

function readSeal({ sealer, model }: ThinkingQuery, block: Fields, prefix: string): Seal | undefined {
  const redacted = block["type"] === "redacted_thinking";
  const signature = textOf(block[redacted ? "data" : "signature"]) ?? "";
  return sealer.read(signature, { text: redacted ? "" : (textOf(block["thinking"]) ?? ""), model, prefix });
}

function forged(path: string, block: Fields): Refusal {
  return invalid("thinking", `${path}: Invalid \`signature\` in \`${String(block["type"])}\` block`);
}

function bound(path: string, block: Fields): Refusal {
  return invalid(
    "thinking",
    `${path}: Invalid \`signature\` in \`${String(block["type"])}\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`,
  );
}
