/** What people, the system and the agent said in a turn, line by line. */
import type { HeardEvent, SaidEvent } from "../../events/events.ts";
import type { Part } from "../../transcript/message.ts";
import { line, type Line, type LineKind, type TellerOptions } from "./line.ts";
import { proseBody, sectionsBody } from "./shape.ts";

const REMARK_CHARS_MIN = 60;
/** A person's longer text was pasted, at least in part. */
export const PASTE_CHARS_MIN = 2_000;

/** A question that was asked is worth less than what was stated. */
const QUESTION_TIMES = 0.7;
const QUESTION = /[?？]["')\]」』]*\s*$/;

export function isQuestion(text: string): boolean {
  return QUESTION.test(text);
}

/** What a person's words are worth, of what a statement is. */
export function timesOf(text: string): number {
  return isQuestion(text) ? QUESTION_TIMES : 1;
}

export function heardLines({ speaker, message }: HeardEvent, options: TellerOptions): readonly Line[] {
  const { redact, isBeside, tellsRequests } = options;
  switch (speaker.by) {
    case "person": {
      if (!tellsRequests || isBeside(speaker.text)) return [];
      const media = speaker.media.map((part) => mediaText(part, message)).join(" ");
      const text = [redact(speaker.text), media].filter((part) => part !== "").join("\n");
      const words = { lead: `[${message + 1}] User: `, body: proseBody(text) };
      return [line("request", message, words, timesOf(speaker.text))];
    }
    case "command":
      return [line("request", message, { lead: `[${message + 1}] User: `, body: proseBody(speaker.text, redact) })];
    case "system":
      return isBeside(speaker.text)
        ? []
        : spoken("system", message, { lead: `[${message + 1}] System: `, text: speaker.text }, options);
    case "summary":
      return [line("record", message, { lead: "Earlier summary: ", body: sectionsBody(speaker.text, redact) })];
    case "report":
      return spoken("report", message, { lead: "Report: ", text: speaker.text }, options);
    case "console":
      return spoken("shown", message, { lead: "Console of the user: ", text: speaker.text }, options);
    default:
      return [];
  }
}

interface Spoken {
  readonly lead: string;
  readonly text: string;
}

function spoken(kind: LineKind, message: number, { lead, text }: Spoken, { redact }: TellerOptions): readonly Line[] {
  return text.trim() === "" ? [] : [line(kind, message, { lead, body: proseBody(text, redact) })];
}

/** `[image/png, 3 KB, message 12]`: the original is found by the number of its message. */
export function mediaText(part: Part, message: number): string {
  if (part.kind !== "image" && part.kind !== "file") return "";
  const { source } = part;
  const kind = source.type === "data" ? source.mediaType : part.kind;
  const size = source.type === "data" ? [`${Math.ceil((source.data.length * 0.75) / 1024)} KB`] : [];
  const name = part.kind === "file" && part.name !== undefined ? [part.name] : [];
  return `[${[part.kind === "image" ? "picture" : "document", ...name, kind, ...size].join(", ")}; word for word in message ${message + 1}]`;
}

const LEADS_IN = /[:：]\s*$/;

/**
 * The last words of a turn are its answer, which ends with what comes of it; what was said on the way counts less, ends with what is done
 * next, and counts not at all where it only announces.
 */
export function saidLines(
  event: SaidEvent,
  isAnswer: boolean,
  { redact, isBeside, isRepeated }: TellerOptions,
): readonly Line[] {
  const { message, text } = event;
  if (isBeside(text)) return [];
  if (!isAnswer && (text.length < REMARK_CHARS_MIN || LEADS_IN.test(text))) return [];
  const body = proseBody(text, redact, { hasEnd: isAnswer, isLess: isRepeated });
  return [line(isAnswer ? "answer" : "remark", message, { lead: "Agent: ", body })];
}
