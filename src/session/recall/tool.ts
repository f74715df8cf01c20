/** The tool with which a model recalls what left its conversation: what it is told of it, and what a call of it is answered. */
import type { EngineTool } from "../../core/engines/contract.ts";
import { PrecisError } from "../../core/errors.ts";
import { rangesIn, ROLES, type MessageRange } from "../../core/recall/messages.ts";
import type { Role } from "../../core/transcript/message.ts";
import { isFields, parsed, textOf } from "../../protocols/fields.ts";
import { answerRecall, type RecallRequest, type RecallSource } from "./answer.ts";
import { RECALL_ID } from "../../core/transcript/links.ts";

export const RECALL_TOOL = "precis_recall";

/** It is paid for with every request: short. */
export const RECALL_TOOL_DECLARATION: EngineTool = {
  name: RECALL_TOOL,
  description:
    "Finds and returns, word for word, what was removed from this conversation when it was shortened. Search with `query`; each hit has an id and a message number. Read around a hit with `messages`. Use it when you need something earlier exactly.",
  parameters: {
    type: "object",
    properties: {
      query: { type: "string", description: "Words to search for." },
      id: { type: "string", description: "A recall id such as r1a2b3c4d5; without it, everything that was removed." },
      messages: { type: "string", description: "Numbers of messages to read or search: 99, 99-131 or 12,99-131." },
      role: { type: "string", enum: ["user", "assistant", "tool"] },
      outline: { type: "boolean", description: "One line a message." },
      offset: { type: "integer", description: "Where to continue reading, as the last answer said." },
    },
    additionalProperties: false,
  },
};

export interface RecallToolAnswer {
  readonly text: string;
  readonly found: boolean;
}

/** Arguments that are longer are not even read. */
const ARGUMENTS_CHARS_MAX = 2_000;

/** What cannot be answered is said in words. @throws PrecisError of the store. */
export async function answerRecallCall(
  source: RecallSource,
  given: string,
  tokensMax: number,
): Promise<RecallToolAnswer> {
  try {
    return { text: await answerRecall(source, requestIn(given), tokensMax), found: true };
  } catch (error) {
    if (!(error instanceof PrecisError) || error.code.startsWith("store_")) throw error;
    return { text: `${error.message} ${error.hint}`, found: false };
  }
}

/** Models write arguments as they like: under other names, as one text, numbers as texts. */
function requestIn(given: string): RecallRequest {
  if (given.length > ARGUMENTS_CHARS_MAX) throw bad("That is too long.");
  const value = parsed(given);
  if (value === undefined && given.trim() !== "") throw bad("The arguments are not JSON.");
  if (!isFields(value)) return spokenRequest(textOf(value) ?? "");
  const { query, id, messages, role, outline, offset, ...others } = value;
  const spoken = Object.values(others).filter((one) => typeof one === "string" && one.trim() !== "");
  const known = { ...spokenRequest([...spoken, textOf(id) ?? ""].join(" ")), ...queryOf(query) };
  const range = messages === undefined || messages === null || messages === "" ? {} : { ranges: rangesOf(messages) };
  return {
    ...known,
    ...range,
    ...(isRole(role) ? { role } : {}),
    outline: outline === true || outline === "true",
    ...(Number.isInteger(Number(offset)) && Number(offset) > 0 ? { offset: Number(offset) } : {}),
  };
}

function queryOf(query: unknown): Pick<RecallRequest, "query"> {
  const words = textOf(query)?.trim() ?? "";
  return words === "" ? {} : { query: words };
}

const SPOKEN = new RegExp(`^(${RECALL_ID})?[\\s:,]*([^]*)$`);

/** `r1a2b3c4d5`, `r1a2b3c4d5 99-131`, `r1a2b3c4d5 deadline`, `99-131` or `deadline friday`. */
function spokenRequest(text: string): RecallRequest {
  const [, id, rest = ""] = SPOKEN.exec(text.trim())!;
  const named = id === undefined ? {} : { id };
  if (rest.trim() === "") return named;
  const ranges = rangesIn(rest);
  return { ...named, ...(ranges === undefined ? { query: rest.trim() } : { ranges }) };
}

/** A list of two numbers is a range, as models write it; a list of texts is a list of ranges. */
function rangesOf(messages: unknown): readonly MessageRange[] {
  const text = Array.isArray(messages)
    ? messages.join(messages.length === 2 && messages.every((one) => typeof one === "number") ? "-" : ",")
    : typeof messages === "number"
      ? String(messages)
      : textOf(messages);
  const ranges = rangesIn(text ?? "");
  if (ranges === undefined) throw bad("`messages` is a number, a range, or several with commas between.");
  return ranges;
}

function isRole(role: unknown): role is Role {
  return ROLES.some((one) => one === role);
}

function bad(message: string): PrecisError {
  return new PrecisError(message, {
    code: "bad_recall",
    hint: "Give `query` (a few words), `id`, or `messages` such as 99-131.",
  });
}
