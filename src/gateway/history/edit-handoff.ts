/**
 * A handoff as a person edited it, in a compaction that is not kept yet. Its frame, which names the originals, stays as precis
 * wrote it, and the result has to pass what every compaction passes.
 */
import { applyCompaction, type Compaction } from "../../core/compaction/compaction.ts";
import type { Pins } from "../../core/compaction/keep-messages.ts";
import { EngineFault } from "../../plugins/suite/fault.ts";
import { demandRecall } from "../../plugins/suite/examine.ts";
import { PrecisError } from "../../core/errors.ts";
import { liveRequestOf } from "../../core/events/live-request.ts";
import { HANDOFF_END, HANDOFF_START } from "../../core/handoff/marks.ts";
import type { Redactor } from "../../core/redaction/redactor.ts";
import { receiptOf } from "../../core/receipt/receipt.ts";
import type { Chain } from "../../core/transcript/links.ts";
import type { Measure } from "../../core/transcript/measure.ts";
import { contentText, textMessage, type Message } from "../../core/transcript/message.ts";
import { violationsOf } from "../../core/transcript/oracle.ts";

const HANDOFF_CHARS_MAX = 200_000;

export interface EditContext {
  readonly messages: readonly Message[];
  readonly chain: Chain;
  readonly measure: Measure;
  readonly redact: Redactor;
  readonly pins: Pins;
}

/** @throws PrecisError `bad_handoff`. */
export function withEditedHandoff(compaction: Compaction, given: string, context: EditContext): Compaction {
  const { measure, redact, messages, pins } = context;
  const at = compaction.after.findIndex(({ origin }) => origin === "summary");
  if (at < 0) throw badHandoff("this compaction wrote no handoff", "Only a compaction with a handoff can be edited.");
  const frame = readFrame(contentText(compaction.after[at]!.parts));
  const text = `${frame.opening}\n${redact(readBody(given, frame))}\n${HANDOFF_END}`;
  const handoff = textMessage("user", text, "summary");
  const grown = measure.message(handoff) - measure.message(compaction.after[at]!);
  const edited = { ...compaction, after: compaction.after.with(at, handoff) };
  const { report } = compaction;
  const made: Compaction = {
    ...edited,
    report: {
      ...report,
      tokens: { ...report.tokens, after: report.tokens.after + grown },
      parts: { ...report.parts, handoff: report.parts.handoff + grown },
      receipt: receiptOf(messages, edited, { pins, redact, hash: context.chain.hash, live: liveRequestOf(messages) }),
      summary: { by: "ledger", steps: [], ...report.summary, edited: true },
    },
  };
  refuseInvalid(made, compaction, context);
  return made;
}

interface Frame {
  /** The first two lines: the mark, and what says where the originals are. */
  readonly opening: string;
}

function readFrame(text: string): Frame {
  const start = text.indexOf(HANDOFF_START);
  const reference = text.indexOf("\n", start + HANDOFF_START.length + 1);
  if (start !== 0 || reference < 0)
    throw badHandoff("the handoff of this engine has a form of its own", "Use the engine `compressor` to edit it.");
  return { opening: text.slice(0, reference) };
}

/** What is between the lines of the frame, which may be given or left out. */
function readBody(given: string, { opening }: Frame): string {
  if (given.length > HANDOFF_CHARS_MAX)
    throw badHandoff(`the handoff is longer than ${HANDOFF_CHARS_MAX} characters`, "Shorten it.");
  const text = given.replaceAll("\r\n", "\n").trim();
  const opened = text.startsWith(opening) ? text.slice(opening.length) : text;
  const body = (opened.endsWith(HANDOFF_END) ? opened.slice(0, -HANDOFF_END.length) : opened).trim();
  if (body === "")
    throw badHandoff("the handoff is empty", "Write what the agent has to know, or discard the preview.");
  if (body.includes(HANDOFF_START) || body.includes(HANDOFF_END))
    throw badHandoff(
      "the first two lines or the last line of the handoff were changed",
      "They name the originals. Leave them as they are, or leave them out.",
    );
  return body;
}

/** Nothing that a provider refuses, nothing that cannot be fetched back, and smaller than what it replaces. */
function refuseInvalid(made: Compaction, shown: Compaction, context: EditContext): void {
  const { messages } = context;
  const original = { system: [], messages };
  const before = new Set(violationsOf(applyCompaction(original, shown)).map(({ code }) => code));
  const violation = violationsOf(applyCompaction(original, made)).find(({ code }) => !before.has(code));
  if (violation !== undefined)
    throw badHandoff(`a provider would refuse the result: ${violation.text}`, "Change the handoff, or discard it.");
  const fault = recallFault(made, context);
  if (fault !== undefined && recallFault(shown, context) === undefined)
    throw badHandoff(fault, "Leave the recall ids of the handoff where they are.");
  const { tokens } = made.report;
  if (tokens.after >= tokens.before)
    throw badHandoff(
      `the result has ${tokens.after} tokens, and the conversation ${tokens.before}`,
      "Shorten the handoff: a compaction has to make the conversation smaller.",
    );
}

function recallFault(compaction: Compaction, { messages, chain }: EditContext): string | undefined {
  try {
    demandRecall({ system: [], messages }, compaction, chain.hash);
    return undefined;
  } catch (error) {
    if (error instanceof EngineFault) return error.message.replace(/^recall: /, "");
    throw error;
  }
}

function badHandoff(message: string, hint: string): PrecisError {
  return new PrecisError(message, { code: "bad_handoff", hint });
}
