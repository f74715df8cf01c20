/**
 * A conversation as JSON of its protocol: as the client knows it, or as it would go out; messages without a secret as their very bytes.
 * What precis wrote is labelled or left out, so that it never passes for conversation in a data set.
 */
import { applyCompaction, type Compaction } from "../../core/compaction/compaction.ts";
import { exportedWithoutSecrets, ORIGIN_MEMBER, originsOf } from "../../session/handoff-text.ts";
import { opensWithHandoff } from "../../core/handoff/marks.ts";
import { withParts, type Message, type Part } from "../../core/transcript/message.ts";
import { protocols } from "../../protocols/index.ts";
import { elementTexts } from "../../protocols/json.ts";
import type { Exported, ExportOptions, Which } from "../../session/history.ts";
import { readConversation, findSession } from "./find.ts";
import type { HistoryDependencies } from "./sizes.ts";

const FALLBACK_PROTOCOL = "openai-chat";

export async function exportSession(
  dependencies: HistoryDependencies,
  which: Which,
  options: ExportOptions,
): Promise<Exported> {
  const { store, redact } = dependencies;
  const { tenant, entry } = await findSession(store, which);
  const conversation = await readConversation(store, tenant, entry.head);
  const { compaction } = options.compacted
    ? await store.findCompaction(tenant, await store.readLinks(tenant, entry.head))
    : {};
  const messages = applyForExport(conversation.messages, compaction, options)
    .flatMap((message) => fromElsewhere(message, options))
    .map((message) => (options.secrets === "keep" ? message : exportedWithoutSecrets(message, redact)));
  const protocol = options.to ?? conversation.protocol ?? FALLBACK_PROTOCOL;
  const elements = elementTexts(protocols[protocol].format(messages));
  const origins = options.synthetic === "drop" ? new Map<number, string>() : originsOf(protocol, messages);
  const labelled = options.synthetic === "mark" ? elements.map((text, at) => label(text, origins.get(at))) : elements;
  return {
    session: entry.id,
    protocol,
    text: written(labelled, options.form),
    messages: elements.length,
    synthetic: origins.size,
  };
}

function applyForExport(
  messages: readonly Message[],
  compaction: Compaction | undefined,
  { synthetic }: ExportOptions,
): readonly Message[] {
  if (compaction === undefined) return messages;
  const sent = applyCompaction({ system: [], messages }, compaction).messages;
  if (synthetic !== "drop") return sent;
  const originals = new Map<number, Message>();
  compaction.map.forEach((destination, at) => {
    if ("at" in destination) originals.set(destination.at, messages[at]!);
  });
  return sent.flatMap((message, at) => {
    const original = at < compaction.after.length ? originals.get(at) : message;
    return original === undefined ? [] : [original];
  });
}

/** A client may send a handoff that precis wrote elsewhere, in its library or an extension: it is recognised by how it opens. */
function fromElsewhere(message: Message, { synthetic }: ExportOptions): readonly Message[] {
  if (message.origin !== undefined || message.role !== "user" || !message.parts.some(isHandoff)) return [message];
  if (synthetic !== "drop") return [withParts(message, message.parts, "summary")];
  const theirs = message.parts.filter((part) => !isHandoff(part));
  return theirs.length === 0 ? [] : [withParts(message, theirs)];
}

function isHandoff(part: Part): boolean {
  return part.kind === "text" && opensWithHandoff(part.text);
}

function label(element: string, origin: string | undefined): string {
  if (origin === undefined) return element;
  const inside = element.slice(element.indexOf("{") + 1).trimStart();
  return `{"${ORIGIN_MEMBER}":"${origin}"${inside === "}" ? "" : ","}${inside}`;
}

/** A text in JSON holds no line break of its own: those between its pieces are white space. */
function written(elements: readonly string[], form: ExportOptions["form"]): string {
  const lines = elements.map((text) => text.replaceAll(/[\r\n]+/g, " "));
  if (form === "jsonl") return lines.map((line) => `${line}\n`).join("");
  return elements.length === 0 ? "[]\n" : `[\n${elements.join(",\n")}\n]\n`;
}
