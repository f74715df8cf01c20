/** What was only looked at in a turn: one line for all of it, and, where no answer tells it, a line for what each look showed. */
import { oneLine } from "../../digest/cut.ts";
import { isErrorLine } from "../../digest/error-line.ts";
import { lineNumberOf, withoutGutter } from "../../digest/numbered-lines.ts";
import { kindOf, type ResultKind } from "../../digest/kind.ts";
import { LOOKING } from "../../digest/tool-names.ts";
import { onlyLine } from "../../events/endings.ts";
import type { CallEvent, SaidEvent, SessionEvent } from "../../events/events.ts";
import { targetText } from "./deeds.ts";
import { keptWhile, keptWith } from "../../kept.ts";
import { line, type Line, type LineWords, type TellerOptions } from "./line.ts";
import { proseBody, type Body } from "./shape.ts";

const LABELS_CHARS_MAX = 80;
/** What one line says is told with the look itself. */
const ANSWERS_CHARS_MAX = 60;
const SHOWN_CHARS_MIN = 120;

export function isLook({ summary, facts, ending }: CallEvent): boolean {
  return ending.status === "done" && (LOOKING.has(summary.action) || facts?.purpose === "show");
}

const KINDS: ReadonlySet<ResultKind> = new Set(["source", "diff", "listing"]);

/** Whether the lines of a result mean little without the others: source, differences and listings, which can be looked at again as well. */
function meansLittleByLine(event: CallEvent): boolean {
  return KINDS.has(kindOfResult(event));
}

const kindOfResult = keptWith(({ text, summary }: CallEvent) => kindOf(text, summary));

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
  const { redact, shortened } = options;
  const labels = [...new Set(looks.map((event) => labelled(event, redact, shortened)))];
  const open = isOpen(answer) ? looks.filter(({ text }) => text.length >= SHOWN_CHARS_MIN) : [];
  const others = open.filter((event) => event.summary.action !== "read" && !meansLittleByLine(event));
  return [
    line("look", looks[0]!.message, { lead: "· looked at: ", body: listBody(labels.filter((label) => label !== "")) }),
    ...others.map((event) => line("shown", event.message, shownAs(event, redact, shortened))),
  ];
}

/**
 * What a call showed, without the numbers of its lines: of a search what it found, and not what stands around that; and but for a
 * read, no stretch of numbered lines, which is a file.
 */
const shownText = keptWith((event: CallEvent) => {
  const { text, summary } = event;
  const isHits = kindOfResult(event) === "search-hits";
  if (summary.action === "read" || (!isHits && !NUMBERED.test(text))) return withoutGutter(text);
  const lines = text.split("\n");
  const numbers = lines.map(lineNumberOf);
  const isOfFile = (at: number): boolean => {
    const number = numbers[at];
    return number !== undefined && (numbers[at - 1] === number - 1 || numbers[at + 1] === number + 1);
  };
  const own = lines.filter((one, at) => !isOfFile(at) && (!isHits || HIT.test(one)));
  return withoutGutter(own.join("\n"));
});

/** Whether any line has a number in front. */
const NUMBERED = /^\s{0,8}\d{1,7}[→\t:|]/m;
/** A line that was found, behind the name of its file where several were searched: `src/a.ts:12:`; around it is `src/a.ts-13-`. */
const HIT = /^(?:[^\s:]{1,200}:)?\d{1,7}:/;
/** Empty where there are none, or several. */
const onlyLineOf = keptWith((event: CallEvent) => onlyLine(shownText(event)) ?? "");

/** `git status → clean`: what was looked at, and what it said where that is a line or less. */
const labelled = keptWhile((event: CallEvent, redact: Change, shortened: Change): string => {
  const label = oneLine(shortened(targetText(event, redact)), LABELS_CHARS_MAX);
  const { exit = 0 } = event.ending;
  const said = exit === 0 ? onlyLineOf(event) : `exit code ${exit}`;
  return label === "" || said === "" || said.length > ANSWERS_CHARS_MAX ? label : `${label} → ${redact(said)}`;
});

type Change = TellerOptions["redact"];

/** What a call showed; errors in it stay before other lines. */
const shownAs = keptWhile((event: CallEvent, redact: Change, shortened: Change): LineWords => ({
  lead: `· ${oneLine(shortened(`${event.summary.tool} ${targetText(event, redact)}`), LABELS_CHARS_MAX)} showed: `,
  body: proseBody(event.text, () => redact(shownText(event)), { isMore: isErrorLine }),
}));

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
