/**
 * Masks the secrets of a whole message, for what is sent to the main model. Ids, names, media and blocks we do not know
 * stay, and so does the model's own thinking, which nobody may edit. Nothing is evicted: the store has the original,
 * and no id in the message should lead back to a secret.
 */
import { redactJson, type Redactor } from "../redaction/redactor.ts";
import { withParts, type ContentPart, type Message, type Part } from "../transcript/message.ts";

/** The message itself where nothing in it is a secret. A message may grow by the length of a mask: redaction wins. */
export function redactMessage(message: Message, redact: Redactor): Message {
  const parts = message.parts.map((part) => redactPart(part, redact));
  return parts.every((part, at) => part === message.parts[at]) ? message : withParts(message, parts);
}

function redactPart(part: Part, redact: Redactor): Part {
  switch (part.kind) {
    case "tool-call": {
      const safe = redactJson(part.arguments, redact);
      return safe === part.arguments ? part : Object.freeze({ ...part, arguments: safe });
    }
    case "tool-result": {
      const content = part.content.map((one) => redactContent(one, redact));
      const same = content.every((one, at) => one === part.content[at]);
      return same ? part : Object.freeze({ ...part, content: Object.freeze(content) });
    }
    case "reasoning":
      return part;
    default:
      return redactContent(part, redact);
  }
}

function redactContent(part: ContentPart, redact: Redactor): ContentPart {
  if (part.kind !== "text") return part;
  const text = redact(part.text);
  return text === part.text ? part : Object.freeze({ ...part, text });
}
