/**
 * What declares tools or settings is no conversation: without it the model could not call those tools again, or would answer with
 * other settings. What a compaction leaves out of it is put back before its handoff, unless something later declares the same.
 */
import type { Estimator } from "../engines/contract.ts";
import { withParts, type Message, type Part, type Transcript } from "../transcript/message.ts";
import type { Compaction, Destination } from "./compaction.ts";

/** The compaction itself where none is missing. */
export function withDeclarations(compaction: Compaction, original: Transcript, { measure }: Estimator): Compaction {
  const missing = missingFrom(compaction, original.messages);
  if (missing.length === 0) return compaction;
  const { after, map, report } = compaction;
  const summary = after.findIndex(({ origin }) => origin === "summary");
  const place = Math.max(0, summary);
  const messages = missing.map((at) => declarationIn(original.messages[at]!));
  const moved = map.map((to, at): Destination => {
    const index = missing.indexOf(at);
    if (index >= 0) return { kind: "kept", at: place + index };
    return "at" in to && to.at >= place ? { ...to, at: to.at + missing.length } : to;
  });
  const tokens = measure.messages(messages);
  const gone = (kind: Destination["kind"]): number => missing.filter((at) => map[at]?.kind === kind).length;
  const { summarised, removed = 0, ...counts } = report.messages;
  return {
    ...compaction,
    after: after.toSpliced(place, 0, ...messages),
    map: moved,
    report: {
      ...report,
      tokens: { ...report.tokens, after: report.tokens.after + tokens },
      messages: {
        ...counts,
        after: counts.after + missing.length,
        kept: counts.kept + missing.length,
        summarised: summarised - gone("summarised"),
        ...(removed === 0 ? {} : { removed: removed - gone("removed") }),
      },
      parts: { ...report.parts, head: report.parts.head + tokens },
    },
  };
}

/** Tokens of all that a result has to declare again. */
export function declaredTokens({ messages }: Transcript, { measure }: Estimator): number {
  return measure.messages(messages.filter(declares));
}

function missingFrom({ map, covered, byHand = [] }: Compaction, messages: readonly Message[]): readonly number[] {
  const declared = new Set<string>();
  const missing: number[] = [];
  for (let at = messages.length - 1; at >= 0; at--) {
    if (!declares(messages[at]!)) continue;
    const names = namesIn(messages[at]!);
    const stands = at >= covered || "at" in map[at]!;
    const dropped = byHand.some(({ how, from, end }) => how === "drop" && at >= from && at < end);
    if (!stands && !dropped && names.some((name) => !declared.has(name))) missing.unshift(at);
    names.forEach((name) => declared.add(name));
  }
  return missing;
}

function declares({ parts }: Message): boolean {
  return parts.some(isDeclaration);
}

function isDeclaration(part: Part): boolean {
  return part.kind === "opaque" && part.declares !== undefined;
}

/** Without words that are beside it: those are told in the handoff. */
function declarationIn(message: Message): Message {
  const parts = message.parts.filter(isDeclaration);
  return parts.length === message.parts.length ? message : withParts(message, parts);
}

function namesIn({ parts }: Message): readonly string[] {
  return parts.flatMap((part) => (part.kind === "opaque" ? (part.declares ?? []) : []));
}
