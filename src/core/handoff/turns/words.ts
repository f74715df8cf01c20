/** What people, the system and the agent said in a turn, line by line. */
import type { HeardEvent, SaidEvent } from "../../events/events.ts";
import { chosenOption } from "../../events/questions.ts";
import { saysLittle, sentencesOf } from "../../events/text.ts";
import { keptWhile, keptWith } from "../../kept.ts";
import type { Part } from "../../transcript/message.ts";
import { line, type Line, type LineKind, type Spoken, type TellerOptions } from "./line.ts";
import { GAP } from "./list-lead.ts";
import { piecesWithout, proseBody, sectionsBody } from "./shape.ts";

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
  const { redact, isBeside, tellsRequests, live, before, isAskedAgain } = options;
  switch (speaker.by) {
    case "person": {
      if (!tellsRequests) return [];
      // What was done for it would read as if it were done for the request before.
      if (message === live)
        return [line("remark", message, { lead: `[${message + 1}] User: `, body: proseBody(BELOW) }, BELOW_TIMES)];
      if (isBeside(speaker.text)) return [];
      const answered = chosenOption(speaker.text, before) ?? questionBefore(speaker.text, before);
      const own = newWords(speaker, isAskedAgain);
      const words = answered === undefined ? own : `${own} (${answered})`;
      const ended = (speaker.ended ?? []).map(({ text }) =>
        line("deed", message, { lead: "· ", body: proseBody(text, redact) }),
      );
      return [...ended, askedLine(speaker, message, redact, words)];
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
    case "interruption":
      return [line("deed", message, { lead: "· ", body: INTERRUPTED }, BELOW_TIMES)];
    case "console":
      return spoken("shown", message, { lead: "Console of the user: ", text: speaker.text }, options);
    default:
      return [];
  }
}

const QUESTION_CHARS_MAX = 200;

/** The question that a few words answer: without it they would seem to answer whatever stands before them. */
function questionBefore(text: string, before: string): string | undefined {
  if (!saysLittle(text) || !isQuestion(before)) return undefined;
  const question = sentencesOf(before.trim()).at(-1)!.trim();
  return question.length > QUESTION_CHARS_MAX ? undefined : question;
}

/** What is told of the live request, which stands after the handoff. */
export const BELOW = "(the request that stands below)";
/** What a person broke off is not done, and what they asked for in it may not hold. */
const INTERRUPTED = proseBody("interrupted by the user");
/** So short a line is told at any length. */
const BELOW_TIMES = 5;

const askedLine = keptWhile(
  ({ text, media }: Spoken, message: number, redact: TellerOptions["redact"], told: string): Line => {
    const shown = media.map((part) => mediaText(part, message)).join(" ");
    const words = [redact(told), shown].filter((part) => part !== "").join("\n");
    return line("request", message, { lead: `[${message + 1}] User: `, body: proseBody(words) }, timesOf(text));
  },
);

/** So long a message may be made of a template or of an earlier one; a short line of it may stand in any. */
const MADE_CHARS_MIN = 500;
const MADE_LINE_CHARS_MIN = 40;

/** The words without the lines that a later message has again: a template is told with its last use. */
function newWords(words: Spoken, isAskedAgain: TellerOptions["isAskedAgain"]): string {
  const { text } = words;
  if (text.length < MADE_CHARS_MIN) return text;
  const lines = text.split("\n");
  const isOld = lines.map((one) => one.trim().length >= MADE_LINE_CHARS_MIN && isAskedAgain(one, words));
  return lines.flatMap((one, at) => (!isOld[at] ? one : isOld[at - 1] ? [] : GAP)).join("\n");
}

interface Told {
  readonly lead: string;
  readonly text: string;
}

function spoken(kind: LineKind, message: number, { lead, text }: Told, { redact }: TellerOptions): readonly Line[] {
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

/** The last words of a turn are its answer, which ends with what comes of it; what was said on the way counts less, and begins with it. */
export function saidLines(
  event: SaidEvent,
  { isAnswer, isWhole }: { readonly isAnswer: boolean; readonly isWhole: boolean },
  { redact, isBeside, isRepeated }: TellerOptions,
): readonly Line[] {
  const { message } = event;
  if (isBeside(event.text)) return [];
  const text = isWhole ? event.text : withoutNext(event);
  if (!isAnswer && text.length < REMARK_CHARS_MIN) return [];
  const pieces = piecesWithout(text, redact, (one) => isRepeated(one, event), true);
  const body = saidBody(pieces, text, redact, isAnswer);
  return [line(isAnswer ? "answer" : "remark", message, { lead: "Agent: ", body })];
}

const saidBody = keptWhile(
  (pieces: () => readonly string[], text: string, redact: TellerOptions["redact"], hasEnd: boolean) =>
    proseBody(text, redact, { hasEnd, pieces }),
);

/** What an agent says before it calls a tool ends with what it does next, which the call tells where it was done: a last sentence. */
const withoutNext = keptWith(({ text }: SaidEvent): string => {
  const paragraphs = text.trim().split(/\n[ \t]*\n\s*/);
  if (paragraphs.at(-1)!.includes("\n")) return text;
  const left = sentencesOf(paragraphs.at(-1)!).slice(0, -1).join("").trim();
  return [...paragraphs.slice(0, -1), ...(left === "" ? [] : [left])].join("\n\n");
});
