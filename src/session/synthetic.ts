/** What an export needs: which messages hold something that precis wrote, and messages without their secrets. */
import { redactMessage } from "../core/passes/redact-messages.ts";
import type { Redactor } from "../core/redaction/redactor.ts";
import { withParts, type Message } from "../core/transcript/message.ts";
import { elementTexts } from "../protocols/json/scan.ts";
import { protocols, type ProtocolName } from "../protocols/index.ts";

/** The member that labels such a message. */
export const ORIGIN_MEMBER = "precis_origin";

/** By the index in the wire's array, what precis wrote there; several messages may share one element. */
export function originsOf(protocol: ProtocolName, messages: readonly Message[]): ReadonlyMap<number, string> {
  const origins = new Map<number, string>();
  const elementsUpTo = (end: number): number => elementTexts(protocols[protocol].format(messages.slice(0, end))).length;
  messages.forEach(({ origin }, at) => {
    if (origin === undefined) return;
    const end = elementsUpTo(at + 1);
    // The wire of some protocols joins a message to the one before it.
    for (let element = Math.min(elementsUpTo(at), end - 1); element < end; element++) origins.set(element, origin);
  });
  return origins;
}

/** Thinking is never edited, so that which holds a secret is left out. */
export function exportedWithoutSecrets(message: Message, redact: Redactor): Message {
  const safe = redactMessage(message, redact);
  const parts = safe.parts.filter((part) => part.kind !== "reasoning" || redact(part.text) === part.text);
  return parts.length === safe.parts.length ? safe : withParts(safe, parts);
}
