/**
 * Redaction of what is sent to the main model: off unless asked for, because it takes from the model what the person
 * gave it. Each message is looked at once, and looks the same in every request, so the provider's cache stays warm.
 */
import { redactMessage } from "../core/passes/redact-messages.ts";
import { createRedactor } from "../core/redaction/redactor.ts";
import type { Message, Transcript } from "../core/transcript/message.ts";
import type { RuntimeOptions } from "./contract.ts";

/** The transcript itself where nothing is to be masked. */
export function createOutgoing({ redactOutgoing = false, secrets }: RuntimeOptions): (sent: Transcript) => Transcript {
  if (!redactOutgoing) return (sent) => sent;
  const redact = createRedactor(secrets);
  const known = new WeakMap<Message, Message>();
  const safe = (message: Message): Message => {
    const masked = known.get(message) ?? redactMessage(message, redact);
    known.set(message, masked);
    return masked;
  };
  return (sent) => {
    const system = sent.system.map(safe);
    const messages = sent.messages.map(safe);
    return changed(system, sent.system) || changed(messages, sent.messages) ? { ...sent, system, messages } : sent;
  };
}

function changed(now: readonly Message[], before: readonly Message[]): boolean {
  return now.some((message, at) => message !== before[at]);
}
