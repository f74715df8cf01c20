/** What was done in a turn: each call with how it ended, in words of its result, and below it the lines that it wrote. */
import { describeCall } from "../../digest/call.ts";
import { oneLine } from "../../digest/cut.ts";
import type { CallEvent } from "../../events/events.ts";
import { argumentsIn, valuesIn } from "../../events/things.ts";
import { line, type Line, type TellerOptions } from "./line.ts";
import { isInSentences, linesBody, proseBody, type Body } from "./shape.ts";

const TARGET_CHARS_MAX = 200;
const PATHS_MAX = 12;
/** A call that did not do what it should is worth more than one that did. */
const NOT_DONE_TIMES = 1.6;

export function deedLines(event: CallEvent, options: TellerOptions): readonly Line[] {
  const { message } = event;
  const lead = "· ";
  if (isReport(event))
    return [
      line("deed", message, { lead, body: deedBody(event, options) }),
      line("report", message, {
        lead: "Its report: ",
        body: proseBody(event.text, options.redact, { isLess: options.isRepeated, hasEnd: isInSentences(event.text) }),
      }),
    ];
  const times = event.ending.status === "done" ? 1 : NOT_DONE_TIMES;
  return [line("deed", message, { lead, body: deedBody(event, options) }, times)];
}

/** Whether the call ended with what an agent reported, which has a line of its own. */
function isReport({ summary, ending }: CallEvent): boolean {
  return summary.action === "delegate" && ending.status === "done";
}

/** The call, how it ended, and below it the lines that it wrote. */
function deedBody(event: CallEvent, options: TellerOptions): Body {
  const { summary, ending } = event;
  const { redact, shortened } = options;
  const how = howText(event, options);
  const what = callWithin(event, options);
  const added = options.lasting.get(event) ?? [];
  let lines: Body | undefined;
  const isChange = summary.action === "edit" || summary.action === "write";
  const written = linesBody(added);
  const chars = what(Infinity).length + how.length + written.chars;
  return {
    chars,
    within: (charsMax) => {
      if (charsMax < Math.min(chars, DEED_CHARS_MIN)) return "";
      const isWhole = charsMax >= chars || how.length <= Math.max(charsMax * 0.6, DEED_CHARS_MIN);
      const outcome = isWhole ? how : ` ${oneLine(how, Math.floor(charsMax * 0.6))}`;
      const head = `${what(Math.max(DEED_CHARS_MIN, charsMax - outcome.length))}${outcome}`;
      lines ??= redactedLines(added, redact) ?? written;
      const below = lines.within(charsMax - head.length);
      if (below !== "") return shortened(`${head}\n${below}`);
      return isChange && added.length > 0 && ending.status === "done"
        ? shortened(`${head} (+${added.length} lines)`)
        : shortened(head);
    },
  };
}

/** The lines without their secrets, where there are any. */
function redactedLines(lines: readonly string[], redact: (text: string) => string): Body | undefined {
  const text = lines.join("\n");
  const safe = text === "" ? text : redact(text);
  return safe === text ? undefined : linesBody(safe.split("\n"));
}

const DEED_CHARS_MIN = 32;

/** What a call was about. Its arguments are redacted before they are cut: half a secret is not known as one. */
export function targetText({ summary, call }: CallEvent, redact: (text: string) => string): string {
  if (summary.command !== undefined) return redact(summary.command);
  const args = redact(call.arguments);
  return redact(args === call.arguments ? summary.target : describeCall(call.name, args).target);
}

/** The command, or the tool with what it worked on. */
function callWithin(event: CallEvent, { redact }: TellerOptions): (charsMax: number) => string {
  const { summary, call } = event;
  const { action, command, tool, paths } = summary;
  if (command !== undefined) {
    const text = redact(command.trim()).replace(/\s+/g, " ");
    return (charsMax) => `\`${oneLine(text, Math.max(DEED_CHARS_MIN, Math.min(charsMax, TARGET_CHARS_MAX * 2)))}\``;
  }
  if ((action === "edit" || action === "write") && paths.length > 0)
    return () => `${tool} ${redact(paths.slice(0, PATHS_MAX).join(", "))}`;
  if (action === "delegate" || action === "ask")
    return (charsMax) => oneLine(`${tool} ${targetText(event, redact)}`, Math.min(charsMax, TARGET_CHARS_MAX));
  const given = argumentsIn(redact(call.arguments));
  return (charsMax) => `${tool}(${oneLine(given, Math.max(DEED_CHARS_MIN, Math.min(charsMax, 600) - tool.length))})`;
}

/** How it ended, in words of the result; nothing where all there is to say is that it was done. */
function howText(event: CallEvent, { redact, things }: TellerOptions): string {
  const { ending, summary, text } = event;
  const said = ending.line === undefined ? "" : redact(ending.line);
  switch (ending.status) {
    case "declined":
      return ` → declined by the user${declinedText(event, redact)}`;
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
function declinedText({ ending: { words, reason } }: CallEvent, redact: TellerOptions["redact"]): string {
  if (words !== undefined) return `: ${redact(words)}`;
  return reason === undefined ? "" : `; the result says ${JSON.stringify(redact(reason))}`;
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
