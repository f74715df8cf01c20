/** An assistant message of Chat Completions put together from the chunks of its stream, as a later request says it. */
import type { Fields } from "../dialect.ts";
import { countOf, fieldsOf, isFields, listOf, parsed, textOf } from "../fields.ts";

type Growing = Record<string, unknown>;

/** The name of the tool that a call, or a piece of one, is for; empty where it is not said. */
export function nameOf(call: Fields): string {
  return textOf(fieldsOf(call["function"] ?? call["custom"])["name"]) ?? "";
}

/** `without`: ids of calls that are left out. */
export function assembleMessage(chunks: readonly string[], without: readonly string[] = []): Fields {
  const message: Growing = { role: "assistant", content: null };
  const calls: Growing[] = [];
  const numbered = new Map<number, Growing>();
  for (const data of chunks) {
    const delta = fieldsOf(fieldsOf(listOf(fieldsOf(parsed(data))["choices"])[0])["delta"]);
    for (const [key, piece] of Object.entries(delta)) {
      if (key === "tool_calls") for (const one of listOf(piece).filter(isFields)) growCall(calls, numbered, one);
      else if (key !== "role" && piece !== null) message[key] = grown(message[key], piece);
    }
  }
  const kept = calls.filter(({ id }) => !without.includes(textOf(id) ?? ""));
  if (message["content"] === "") message["content"] = null;
  return kept.length === 0 ? message : { ...message, tool_calls: kept };
}

/** Texts grow, lists too (pieces of reasoning that servers number); of anything else the later one counts. */
function grown(before: unknown, piece: unknown): unknown {
  if (typeof before === "string" && typeof piece === "string") return before + piece;
  if (Array.isArray(before) && Array.isArray(piece))
    return piece.reduce<unknown[]>(withDetail, [...(before as unknown[])]);
  return piece;
}

function withDetail(details: unknown[], piece: unknown): unknown[] {
  const last = details.at(-1);
  const goesOn =
    isFields(last) && isFields(piece) && last["type"] === piece["type"] && last["index"] === piece["index"];
  if (!goesOn) return [...details, piece];
  const joined = Object.entries(piece).map(([key, value]) => {
    const grows = ["text", "summary", "data"].includes(key);
    return [key, grows ? grown(last[key] ?? "", value) : (value ?? last[key])] as const;
  });
  return [...details.slice(0, -1), { ...last, ...Object.fromEntries(joined) }];
}

function growCall(calls: Growing[], numbered: Map<number, Growing>, piece: Fields): void {
  const index = countOf(piece["index"]);
  const id = textOf(piece["id"]) ?? "";
  const known = index === undefined ? calls.at(-1) : numbered.get(index);
  const same = known !== undefined && (id === "" || known["id"] === id || (known["id"] ?? "") === "");
  const call: Growing = same ? known : {};
  if (!same) {
    calls.push(call);
    if (index !== undefined) numbered.set(index, call);
  }
  for (const [key, value] of Object.entries(piece)) {
    if (key === "index" || value === null) continue;
    if (key !== "function" && key !== "custom") call[key] = value === "" ? (call[key] ?? value) : value;
    else call[key] = grownTarget(fieldsOf(call[key]), fieldsOf(value));
  }
}

function grownTarget(before: Fields, piece: Fields): Fields {
  const pairs = Object.entries(piece).filter(([, value]) => value !== null);
  return { ...before, ...Object.fromEntries(pairs.map(([key, value]) => [key, grown(before[key] ?? "", value)])) };
}
