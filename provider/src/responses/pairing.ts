/**
 * What belongs together in Responses input: calls and outputs (https://developers.openai.com/api/docs/guides/function-calling),
 * reasoning and the item it led to (https://github.com/openai/codex/issues/20774), and the trigger at the end.
 */
import { textOf, type Fields } from "../../../src/protocols/fields.ts";
import { firstRefusal, invalid, type Refusal } from "../../../src/protocols/request-form/openai-refusals.ts";
import type { Memory } from "../memory.ts";
import type { Sealer } from "../seals.ts";
import type { JudgeRequest } from "../wire.ts";
import { kindOf } from "../../../src/protocols/request-form/responses.ts";

const CALLS = new Set(["function_call", "custom_tool_call"]);
const OUTPUTS = new Set(["function_call_output", "custom_tool_call_output"]);

const callId = (item: Fields): string => textOf(item["call_id"]) ?? "";
const idOf = (item: Fields): string => textOf(item["id"]) ?? "";
const about = (reason: "pairing" | "reasoning" | "state" | "ids", message: string): Refusal =>
  invalid(reason, message, { param: "input" });

export function checkPairs(items: readonly Fields[]): Refusal | undefined {
  const called = new Set<string>();
  const answered = new Set<string>();
  const stray = firstRefusal(items, (item) => {
    if (CALLS.has(kindOf(item))) called.add(callId(item));
    if (!OUTPUTS.has(kindOf(item))) return undefined;
    if (!called.has(callId(item)))
      return about("pairing", `No tool call found for function call output with call_id ${callId(item)}.`);
    answered.add(callId(item));
    return undefined;
  });
  const open = [...called].find((id) => !answered.has(id));
  return (
    stray ?? (open === undefined ? undefined : about("pairing", `No tool output found for function call ${open}.`))
  );
}

export function checkIds(items: readonly Fields[]): Refusal | undefined {
  const seen = new Set<string>();
  return firstRefusal(items, (item) => {
    const id = idOf(item);
    if (id === "" || kindOf(item) === "item_reference") return undefined;
    if (seen.has(id))
      return about("ids", `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`);
    seen.add(id);
    return undefined;
  });
}

/** Reasoning stays with what followed it, both ways; encrypted content comes back as it went out. */
export function checkReasoning(
  items: readonly Fields[],
  { memory, sealer }: Pick<JudgeRequest, "memory" | "sealer">,
): Refusal | undefined {
  return firstRefusal(items, (item, at) => {
    const before = items[at - 1];
    if (kindOf(item) !== "reasoning") {
      const needed = memory.reasoningOf.get(idOf(item));
      const has = before !== undefined && kindOf(before) === "reasoning" && idOf(before) === needed;
      if (needed === undefined || has) return undefined;
      return about(
        "reasoning",
        `Item '${idOf(item)}' of type '${kindOf(item)}' was provided without its required 'reasoning' item: '${needed}'.`,
      );
    }
    if (!isReply(items[at + 1]))
      return about(
        "reasoning",
        `Item '${idOf(item)}' of type 'reasoning' was provided without its required following item.`,
      );
    return checkOrigin(item, memory, sealer);
  });
}

function isReply(item: Fields | undefined): boolean {
  if (item === undefined) return false;
  const kind = kindOf(item);
  if (kind === "message") return item["role"] === "assistant";
  return kind === "reasoning" || kind.endsWith("_call");
}

function checkOrigin(item: Fields, memory: Memory, sealer: Sealer): Refusal | undefined {
  if (item["encrypted_content"] !== undefined && item["encrypted_content"] !== null) return checkSealed(item, sealer);
  const id = idOf(item);
  return id === "" || memory.items.get(id) !== undefined ? undefined : notFound(id);
}

export function checkSealed(item: Fields, sealer: Sealer): Refusal | undefined {
  const whole = Buffer.from(textOf(item["encrypted_content"]) ?? "", "base64").toString("utf8");
  const macChars = sealer.mac("").length;
  if (whole.slice(0, macChars) === sealer.mac(whole.slice(macChars))) return undefined;
  return invalid("reasoning", `The encrypted content for item ${idOf(item)} could not be verified.`, {
    code: "invalid_encrypted_content",
  });
}

export function notFound(id: string): Refusal {
  return {
    status: 404,
    reason: "state",
    param: "input",
    message: `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
  };
}

/** Not secret, only sealed: what is in it is the provider's own. */
export function sealed(text: string, sealer: Sealer): string {
  return Buffer.from(`${sealer.mac(text)}${text}`, "utf8").toString("base64");
}
