/** What was done in a turn: each call with how it ended, in words of its result, and below it the lines that it wrote. */
import { describeCall, withoutChangeOfFolder } from "../../digest/call.ts";
import { oneLine } from "../../digest/cut.ts";
import { headOfChange } from "../../events/changes.ts";
import { isOfClient } from "../../events/envelopes.ts";
import type { CallEvent, SessionEvent } from "../../events/events.ts";
import { argumentsIn, valuesIn } from "../../events/things.ts";
import { keptWhile, keptWith } from "../../kept.ts";
import { line, type Line, type TellerOptions } from "./line.ts";
import { outlineOf } from "./outline.ts";
import { isInSentences, linesBody, piecesWithout, proseBody, type Body } from "./shape.ts";

const TARGET_CHARS_MAX = 200;
const PATHS_MAX = 12;
const HEAD_CHARS_MAX = 80;
/** What opens the body of a function. */
const OPENS = /(?:[{:(]|=>)$/;
/** A report that is a page, a list or a log, and not in sentences, is one of many things that were looked at. */
const PAGE_TIMES = 0.3;
/** A command that printed nothing, and of which nothing else is known, is worth less than one with an outcome. */
const SILENT_TIMES = 0.4;

export function deedLines(event: CallEvent, options: TellerOptions): readonly Line[] {
  const { redact, shortened, lasting, isRepeated } = options;
  const deed = deedLineWith(redact)(shortened)(event, howText(event, options), lasting.get(event));
  if (!isReport(event)) return [deed];
  const pieces = piecesWithout(event.text, redact, (one) => isRepeated(one, event));
  const isProse = isInSentences(event.text);
  const body = proseBody(event.text, redact, { pieces, hasEnd: isProse });
  return [deed, line("report", event.message, { lead: "Its report: ", body }, isProse ? 1 : PAGE_TIMES)];
}

/** The same line as long as it is told alike: what was worked out of it holds. */
const deedLineWith = keptWith((redact: TellerOptions["redact"]) =>
  keptWith((shortened: TellerOptions["shortened"]) =>
    keptWhile((event: CallEvent, how: string, added: readonly string[] | undefined): Line => {
      const body = deedBody(event, { how, added, redact, shortened });
      return line(
        "deed",
        event.message,
        { lead: "· ", body },
        how === "" && event.facts !== undefined ? SILENT_TIMES : 1,
      );
    }),
  ),
);

interface Deed extends Pick<TellerOptions, "redact" | "shortened"> {
  readonly how: string;
  readonly added: readonly string[] | undefined;
}

/** Whether the call ended with what an agent reported, which has a line of its own. */
export function isReport(event: SessionEvent): event is CallEvent {
  return event.kind === "call" && event.summary.action === "delegate" && event.ending.status === "done";
}

/** The call, how it ended, and below it the lines that it wrote. */
function deedBody(event: CallEvent, { how, added = [], redact, shortened }: Deed): Body {
  const { summary, ending } = event;
  const what = callWithin(event, redact);
  let lines: Body | undefined;
  const isChange = summary.action === "edit" || summary.action === "write";
  const written = linesBody(outlineOf(added), added.length);
  const chars = what(Infinity).length + how.length + written.chars;
  return {
    chars,
    within: (charsMax) => {
      if (charsMax < Math.min(chars, DEED_CHARS_MIN)) return "";
      const isWhole = charsMax >= chars || how.length <= Math.max(charsMax * 0.6, DEED_CHARS_MIN);
      const outcome = isWhole ? how : ` ${oneLine(how, Math.floor(charsMax * 0.6))}`;
      const head = `${what(Math.max(DEED_CHARS_MIN, charsMax - outcome.length))}${outcome}`;
      lines ??= redactedLines(outlineOf(added), redact, added.length) ?? written;
      const below = lines.within(charsMax - head.length);
      if (below !== "") return shortened(`${head}\n${below}`);
      return isChange && added.length > 0 && ending.status === "done" ? shortened(`${head} […]`) : shortened(head);
    },
  };
}

/** The lines without their secrets, where there are any. */
function redactedLines(lines: readonly string[], redact: (text: string) => string, count: number): Body | undefined {
  const text = lines.join("\n");
  const safe = text === "" ? text : redact(text);
  return safe === text ? undefined : linesBody(safe.split("\n"), count);
}

/** Less of a call or of what came of it is a stub. */
const DEED_CHARS_MIN = 90;

/** What a call was about. Its arguments are redacted before they are cut: half a secret is not known as one. */
export function targetText({ summary, call }: CallEvent, redact: (text: string) => string): string {
  if (summary.command !== undefined) return redact(summary.command);
  const args = redact(call.arguments);
  return redact(args === call.arguments ? summary.target : describeCall(call.name, args).target);
}

/** The command, or the tool with what it worked on. */
function callWithin(event: CallEvent, redact: TellerOptions["redact"]): (charsMax: number) => string {
  const { summary, call } = event;
  const { action, command, tool, paths } = summary;
  if (command !== undefined) {
    const text = redact(command.trim())
      .replace(/\s+/g, " ")
      .replace(/\p{Cc}/gu, "�");
    const own = withoutChangeOfFolder(text);
    return (charsMax) => {
      const room = Math.max(DEED_CHARS_MIN, Math.min(charsMax, TARGET_CHARS_MAX * 2));
      return `\`${own === text || text.length <= room ? oneLine(text, room) : `… ${oneLine(own, room - 2)}`}\``;
    };
  }
  if ((action === "edit" || action === "write") && paths.length > 0) {
    const head = paths.length > 1 ? undefined : headOfChange(call, event.text);
    const place =
      head === undefined ? "" : `, in ${oneLine(redact(head).replace(OPENS, "").trimEnd(), HEAD_CHARS_MAX)}`;
    return () => `${tool} ${redact(paths.slice(0, PATHS_MAX).join(", "))}${place}`;
  }
  if (action === "delegate" || action === "ask")
    return (charsMax) => oneLine(`${tool} ${targetText(event, redact)}`, Math.min(charsMax, TARGET_CHARS_MAX));
  const given = argumentsIn(redact(call.arguments));
  return (charsMax) => `${tool}(${oneLine(given, Math.max(DEED_CHARS_MIN, Math.min(charsMax, 600) - tool.length))})`;
}

/** What a result says of how it ended, in one line. Its lines are redacted together: one alone does not show that it is a secret. */
export function endingText(ending: CallEvent["ending"], redact: TellerOptions["redact"]): string {
  const safe = redact(ending.line ?? "");
  if (!safe.includes("\n")) return safe;
  const lines = safe.split("\n").map((one) => one.trim());
  return lines.filter((one) => one !== "" && !isOfClient(one)).join(" / ");
}

/** How it ended, in words of the result; nothing where all there is to say is that it was done. */
function howText(event: CallEvent, { redact, things }: TellerOptions): string {
  const { ending, summary, text } = event;
  const said = endingText(ending, redact);
  switch (ending.status) {
    case "declined":
      return ` → ${declinedText(event, redact)}`;
    case "interrupted":
      return ` → interrupted${ending.passed === undefined ? "" : `, ${ending.passed} passed so far`}${said === "" ? "" : `: ${said}`}`;
    case "running":
      // What still runs is in a section of its own; this one has ended since.
      return ` → started: ${said}`;
    case "unknown":
      return ` → ${said === "" ? "how it ended is not known" : said}`;
    case "failed": {
      const names = ending.failing.length === 0 ? "" : ` (failing: ${ending.failing.slice(0, FAILING_MAX).join(", ")})`;
      return ` → failed${countsText(event) || codeText(event)}${said === "" ? "" : `: ${said}`}${redact(names)}`;
    }
    case "done":
      break;
  }
  if (summary.action === "run") {
    const code = (ending.exit ?? 0) === 0 ? "" : ` exit code ${ending.exit}`;
    const how = countsText(event) || (said === "" ? code : ` ${said}`);
    return how === "" ? "" : ` →${how}`;
  }
  const isFileChange = (summary.action === "edit" || summary.action === "write") && summary.paths.length > 0;
  if (isFileChange || isReport(event)) return "";
  const shown = redact(text.trim());
  const facts = things.changesIn(shown) ?? (shown.length <= RESULT_CHARS_MAX ? valuesIn(shown) : undefined);
  return shown === "" ? "" : ` → ${facts ?? oneLine(shown, RESULT_CHARS_MAX)}`;
}

/** The words of the person, or else what the result says, as no more than that. */
function declinedText({ ending: { words, isHearsay } }: CallEvent, redact: TellerOptions["redact"]): string {
  if (isHearsay === undefined) return `declined by the user${words === undefined ? "" : `: ${redact(words)}`}`;
  return `its result says that the user declined${words === undefined ? "" : `: ${JSON.stringify(redact(words))}`}`;
}

const FAILING_MAX = 8;
const RESULT_CHARS_MAX = 900;

function codeText({ ending: { exit, line: said } }: CallEvent): string {
  return exit === undefined || said !== undefined ? "" : ` with exit code ${exit}`;
}

function countsText({ ending: { passed, failed } }: CallEvent): string {
  const counts = [
    ...(failed === undefined || failed === 0 ? [] : [`${failed} failed`]),
    ...(passed === undefined ? [] : [`${passed} passed`]),
  ];
  return counts.length === 0 ? "" : ` ${counts.join(", ")}`;
}
