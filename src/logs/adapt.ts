/**
 * A session as another format can hold it. Whatever has to change or stay behind is counted; nothing is made up. The
 * writers take what comes out of here, so that each says only how its format is spelled.
 */
import {
  withParts,
  type ContentPart,
  type Message,
  type Part,
  type ToolResultPart,
} from "../core/transcript/message.ts";
import { callIdsFor, callsFor } from "./adapt-calls.ts";
import { compactionsFor } from "./adapt-compactions.ts";
import { mergedFor, openedFor, sortedFor } from "./adapt-order.ts";
import type { Holds, WritableFormat } from "./format.ts";
import { createLosses, type Losses, type Remark } from "./losses.ts";
import type { Session, SessionMessage } from "./session.ts";
import type { ToolNames } from "./tools.ts";

export interface Adapted {
  readonly session: Session;
  readonly remarks: readonly Remark[];
}

export function adapt(session: Session, { holds, name, tools }: WritableFormat, from: ToolNames): Adapted {
  const losses = createLosses();
  const own = session.format === name;
  const keepsSystem = own && holds.ownSystem;
  if (!keepsSystem) losses.note("system_prompt", session.system.length);
  losses.note("record", session.otherRecords ?? 0);
  const chosen = compactionsFor(session, holds, losses);
  const spoken = { ...chosen, messages: chosen.messages.map((one) => messageFor(one, holds, losses)) };
  const called = callsFor(callIdsFor(spoken, holds, losses), { holds, losses, from, to: own ? from : tools });
  const merged = openedFor(mergedFor(sortedFor(called, holds, losses), holds, losses), holds, losses);
  const messages = merged.messages.map((one) => trimmedFor(one, holds, losses));
  return { session: { ...merged, messages, system: keepsSystem ? session.system : [] }, remarks: losses.remarks() };
}

function messageFor(one: SessionMessage, holds: Holds, losses: Losses): SessionMessage {
  const { message, injected, timeMs } = one;
  const system = message.role === "system" && !holds.systemMessages;
  if (system) losses.note("system_message");
  const marked = injected === true || system;
  if (marked && !holds.injectedMarks) losses.note("injected_mark");
  const parts = message.parts.flatMap((part) => partFor(part, message, holds, losses));
  const role = system ? "user" : message.role;
  return {
    message: {
      ...withParts({ role, parts }, parts),
      ...(message.origin === "summary" && { origin: "summary" }),
    },
    ...(timeMs !== undefined && { timeMs }),
    ...(marked && holds.injectedMarks && { injected: true }),
  };
}

function partFor(part: Part, message: Message, holds: Holds, losses: Losses): readonly Part[] {
  switch (part.kind) {
    case "reasoning":
      if (holds.thinking && part.text !== "") return [{ kind: "reasoning", text: part.text }];
      losses.note("thinking");
      return [];
    case "tool-call":
      return [part];
    case "tool-result":
      return [resultFor(part, holds, losses)];
    case "text":
      // An empty text says nothing, and most formats drop it.
      return part.text.trim() === "" ? [] : [{ kind: "text", text: part.text }];
    default:
      return [contentFor(part, message.role === "user" ? "user" : "elsewhere", holds, losses)];
  }
}

/** Where a format keeps no white space around a text, it goes here, and is counted. */
function trimmedFor(one: SessionMessage, holds: Holds, losses: Losses): SessionMessage {
  if (holds.outerSpace || one.message.role === "tool") return one;
  const parts = one.message.parts.map((part): Part => {
    if (part.kind !== "text") return part;
    const text = part.text.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
    if (text === part.text) return part;
    losses.note("trimmed_text");
    return { kind: "text", text };
  });
  return { ...one, message: withParts(one.message, parts) };
}

function resultFor(part: ToolResultPart, holds: Holds, losses: Losses): ToolResultPart {
  const { kind, callId } = part;
  const isError = part.isError === true && holds.errorMarks;
  if (part.isError === true && !isError) losses.note("error_mark");
  const content = part.content.flatMap((piece): readonly ContentPart[] =>
    piece.kind !== "text"
      ? [contentFor(piece, part.isError === true ? "failed" : "result", holds, losses)]
      : piece.text === ""
        ? []
        : [{ kind: "text", text: piece.text }],
  );
  const one = resultContent(content, holds, losses);
  return isError ? { kind, callId, content: one, isError: true } : { kind, callId, content: one };
}

/** Texts of a result come first and are one, where the format has a place for only one. */
function resultContent(content: readonly ContentPart[], holds: Holds, losses: Losses): readonly ContentPart[] {
  if (holds.oneText === "nowhere") return content;
  const texts = content.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  const rest = content.filter((part) => part.kind !== "text");
  if (texts.length > 1) losses.note("joined_texts");
  return [...(texts.length === 0 ? [] : [{ kind: "text", text: texts.join("\n") } as const]), ...rest];
}

function remark(what: string): ContentPart {
  return { kind: "text", text: `[precis: ${what} that could not be carried]` };
}

type Where = "user" | "result" | "failed" | "elsewhere";

const IMAGE_PLACES: Readonly<Record<Holds["images"], readonly Where[]>> = {
  everywhere: ["user", "result", "failed"],
  not_in_errors: ["user", "result"],
  user: ["user"],
};

/** Media as data where the format has a place for them, and a remark otherwise. */
function contentFor(
  part: Exclude<ContentPart, { kind: "text" }>,
  where: Where,
  holds: Holds,
  losses: Losses,
): ContentPart {
  if (part.kind === "opaque") {
    if (part.told !== undefined) return { kind: "text", text: part.told };
    losses.note("block");
    return remark(`a block of the type ${part.type}`);
  }
  const { source } = part;
  if (part.kind === "image") {
    if (IMAGE_PLACES[holds.images].includes(where) && source.type === "data") return { kind: "image", source };
    losses.note("image");
    return remark("an image");
  }
  if (holds.files && where === "user" && source.type === "data")
    return part.name === undefined ? { kind: "file", source } : { kind: "file", source, name: part.name };
  losses.note("file");
  return remark(part.name === undefined ? "a file" : `the file ${part.name}`);
}
