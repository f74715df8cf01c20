/** What operators' hooks receive: plain JSON, without secrets, media and the bytes of the wire. */
import type { Compaction } from "../../core/compaction/compaction.ts";
import { redactMessage } from "../../core/passes/redact-messages.ts";
import { redactJson, type Redactor } from "../../core/redaction/redactor.ts";
import type { MediaSource, Message, Part } from "../../core/transcript/message.ts";
import type { Change } from "../contract.ts";
import { HOOK_LIMITS } from "./contract.ts";

/** Common to all that hooks receive. */
export interface HookHeading {
  readonly event: "before_compact" | "after_compact";
  readonly tenant: string;
  readonly model: string;
}

export function beforeText(heading: HookHeading, messages: readonly Message[], redact: Redactor): string {
  const plainHeading = { ...heading, model: redact(heading.model) };
  return withinLimit(
    () => ({ ...plainHeading, messages: messages.map((message) => plainMessage(message, redact)) }),
    () => ({ ...plainHeading, messages: [], messagesLeftOut: messages.length }),
  );
}

/** The state of the engine is left out, which is nobody else's, and so are originals: `precis recall` has these. */
export function afterText(
  heading: HookHeading,
  { compaction, change }: { readonly compaction: Compaction; readonly change: Change },
  redact: Redactor,
): string {
  const { schemaVersion, after, covered, covers, system, map, evicted, report } = compaction;
  const plain = (messages: readonly Message[]): readonly object[] =>
    messages.map((message) => plainMessage(message, redact));
  const head = {
    ...heading,
    model: redact(heading.model),
    ...change,
    noLongerVisible: change.noLongerVisible.map((one) => ({ ...one, target: redact(one.target) })),
  };
  const common = {
    schemaVersion,
    covered,
    covers,
    evicted: evicted.map(({ original: _, ...one }) => ({ ...one, label: redact(one.label) })),
    report: JSON.parse(redactJson(JSON.stringify(report), redact)) as unknown,
  };
  return withinLimit(
    () => ({
      ...head,
      compaction: { ...common, map, after: plain(after), ...(system === undefined ? {} : { system: plain(system) }) },
    }),
    () => ({ ...head, compaction: { ...common, after: [] }, messagesLeftOut: after.length }),
  );
}

function withinLimit(whole: () => object, smaller: () => object): string {
  const text = JSON.stringify(whole());
  return Buffer.byteLength(text) <= HOOK_LIMITS.dataBytes ? text : JSON.stringify(smaller());
}

function plainMessage(message: Message, redact: Redactor): object {
  const { role, parts, origin, name } = redactMessage(message, redact);
  return {
    role,
    ...(name === undefined ? {} : { name: redact(name) }),
    ...(origin === undefined ? {} : { origin }),
    parts: parts.flatMap((part) => plainPart(part, redact)),
  };
}

/** Thinking is never edited, so thinking that holds a secret is left out. */
function plainPart({ at: _, ...part }: Part, redact: Redactor): readonly object[] {
  switch (part.kind) {
    case "reasoning":
      return redact(part.text) === part.text ? [part] : [];
    case "opaque":
      return [{ ...part, raw: redactJson(part.raw, redact) }];
    case "image":
    case "file":
      return [{ ...part, source: plainSource(part.source, redact) }];
    case "tool-result":
      return [{ ...part, content: part.content.flatMap((one) => plainPart(one, redact)) }];
    default:
      return [part];
  }
}

function plainSource(source: MediaSource, redact: Redactor): object {
  if (source.type === "data") return { type: source.type, mediaType: source.mediaType, chars: source.data.length };
  return source.type === "url" ? { type: source.type, url: redact(source.url) } : source;
}
