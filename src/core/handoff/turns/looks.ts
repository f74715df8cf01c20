/** What was only looked at in a turn: one line for all of it, and, where no answer tells it, a line for what each look showed. */
import { oneLine } from "../../digest/cut.ts";
import { isErrorLine } from "../../digest/error-line.ts";
import { withoutGutter } from "../../digest/numbered-lines.ts";
import { LOOKING } from "../../digest/tool-names.ts";
import { onlyLine } from "../../events/endings.ts";
import type { CallEvent, SaidEvent, SessionEvent } from "../../events/events.ts";
import { targetText } from "./deeds.ts";
import { keptWith } from "../../kept.ts";
import { line, type Line, type LineWords, type TellerOptions } from "./line.ts";
import { proseBody, type Body } from "./shape.ts";

const LABELS_CHARS_MAX = 80;
/** What one line says is told with the look itself. */
const ANSWERS_CHARS_MAX = 60;
const SHOWN_CHARS_MIN = 120;

export function isLook({ summary, facts, ending }: CallEvent): boolean {
  if (ending.status !== "done" || (ending.exit ?? 0) !== 0) return false;
  return LOOKING.has(summary.action) || facts?.purpose === "show";
}

/** What was looked at is known when something changes it. */
export function remember({ text }: CallEvent, { things, redact }: TellerOptions): void {
  if (text.trimStart().startsWith("{")) things.changesIn(redact(text.trim()));
}

/** What was looked at in a turn is told by its answer; where there is none, by what it showed. */
function isOpen(answer: SaidEvent | undefined): boolean {
  return answer === undefined || !answer.ends || answer.text.length < ANSWER_CHARS_MIN;
}

const ANSWER_CHARS_MIN = 200;

/** One line for all that a turn looked at, and a line for what each look showed. */
export function lookLines(
  events: readonly SessionEvent[],
  answer: SaidEvent | undefined,
  options: TellerOptions,
): readonly Line[] {
  const looks = events.filter(
    (event) => event.kind === "call" && isLook(event) && event.summary.action !== "plan",
  ) as CallEvent[];
  if (looks.length === 0) return [];
  const labels = [...new Set(looks.map((event) => labelled(event, options)))];
  const open = isOpen(answer) ? looks.filter(({ text }) => text.length >= SHOWN_CHARS_MIN) : [];
  const [files, others] = [
    open.filter((event) => isFile(event) && !options.isOld(event)),
    open.filter((event) => !isFile(event)),
  ];
  return [
    line("look", looks[0]!.message, { lead: "· looked at: ", body: listBody(labels.filter((label) => label !== "")) }),
    ...others.map((event) => line("shown", event.message, shownAs(event, options))),
    ...files.flatMap((event) => fillingLines(event, options)),
  ];
}

/** A file can be read again, and its first lines say little: the names in it are quoted. */
function isFile({ summary }: CallEvent): boolean {
  return summary.action === "read";
}

const shownText = keptWith(({ text }: CallEvent) => withoutGutter(text));
/** Empty where there are none, or several. */
const onlyLineOf = keptWith((event: CallEvent) => onlyLine(shownText(event)) ?? "");

/** `git status → clean`: what was looked at, and what it said where that is a line or less. */
function labelled(event: CallEvent, { redact, shortened }: TellerOptions): string {
  const label = oneLine(shortened(targetText(event, redact)), LABELS_CHARS_MAX);
  const said = onlyLineOf(event);
  return label === "" || said === "" || said.length > ANSWERS_CHARS_MAX ? label : `${label} → ${redact(said)}`;
}

/** What a call showed; errors in it stay before other lines. */
function shownAs(event: CallEvent, { redact, shortened }: TellerOptions): LineWords {
  return {
    lead: `· ${oneLine(shortened(`${event.summary.tool} ${targetText(event, redact)}`), LABELS_CHARS_MAX)} showed: `,
    body: proseBody(event.text, () => redact(shownText(event)), { isMore: isErrorLine }),
  };
}

/** As many as fit, the newest last. */
function listBody(labels: readonly string[]): Body {
  const all = labels.join(", ");
  return {
    chars: all.length,
    within: (charsMax) => {
      if (all.length <= charsMax) return all;
      const kept: string[] = [];
      let left = charsMax - 12;
      for (const label of labels.toReversed()) {
        if (label.length + 2 > left) break;
        left -= label.length + 2;
        kept.unshift(label);
      }
      return kept.length === 0 ? "" : `${kept.join(", ")} (+${labels.length - kept.length})`;
    },
  };
}

/** What there is to fill a room with counts little beside what was said and done. */
const FILLING_TIMES = 0.2;

/** What a run printed beside how it ended, where the room is there to be used; one that was declined printed nothing. */
export function printedLines(event: CallEvent, options: TellerOptions): readonly Line[] {
  return event.summary.action === "run" && event.ending.status !== "declined" ? fillingLines(event, options) : [];
}

function fillingLines(event: CallEvent, options: TellerOptions): readonly Line[] {
  return options.fillsRoom === true ? [line("shown", event.message, shownAs(event, options), FILLING_TIMES)] : [];
}
