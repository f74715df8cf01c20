/** What `precis compact` says of a compaction: a page for a person, and the same as JSON for a program. */
import type { Transcript } from "../../core/transcript/message.ts";
import { protocols } from "../../protocols/index.ts";
import { type ProtocolName } from "../../core/protocols.ts";
import { elementTexts } from "../../protocols/json.ts";
import { originsOf } from "../../session/handoff-text.ts";
import type { ForcedCompaction } from "./compact.ts";
import {
  compactionPage,
  disabledEnginePage,
  forcedLine,
  headingLines,
  hookFailuresPage,
  invalidPage,
  unchangedPage,
  usePage,
  windowLine,
} from "./page.ts";
import type { Input } from "../files/input.ts";
import { parts, repairLines, type Repair } from "./output.ts";
import type { Stream } from "../screen/terminal.ts";
import type { Window } from "../settings/flags.ts";

export interface CompactOutput {
  readonly input: Input;
  readonly result: ForcedCompaction;
  readonly to: ProtocolName;
  readonly window: Window;
  readonly repair: Repair;
}

export interface WrittenFiles {
  readonly out: string | undefined;
  readonly keep: string | undefined;
}

export function compactPage(report: CompactOutput, { out, keep }: WrittenFiles, stream: Stream): string {
  const { input, result, to, window, repair } = report;
  const page =
    result.kind === "compacted"
      ? `${forcedLine(result.because, stream)}${compactionPage(result.compaction.report, undoHint(keep), stream)}`
      : unchangedPage({ because: result.because, irreducible: result.irreducible, next: nextStep(result) }, stream);
  const heading = headingLines({ ...input, to }, stream).join("\n");
  const next =
    result.kind === "compacted" && out !== undefined ? usePage(describeUse(report, { out, keep }), stream) : "";
  const repairs = invalidPage(repairLines(repair, input.transcript, result.transcript), stream);
  return `${heading}\n${page}${windowLine(window, stream)}${repairs}${next}${disabledEnginePage(result.disabledEngine, stream)}${hookFailuresPage(result.hookFailures, stream)}`;
}

const FORMS = { request: "a request body", messages: "an array of messages" } as const;

function describeUse({ input, to }: CompactOutput, { out, keep }: WrittenFiles): string {
  const form = input.decoded !== undefined && to === input.protocol ? input.decoded.form : undefined;
  const use =
    form === undefined
      ? `${out} is the conversation as ${to} takes it: send it in your next request`
      : `${out} is ${FORMS[form]} of ${to}: send it in place of ${input.name}`;
  const back =
    keep === undefined
      ? `the originals are only in ${input.name}`
      : `\`precis recall 'words of it' --keep ${keep}\` finds the originals`;
  return `${use}; ${back}`;
}

function undoHint(keep: string | undefined): string {
  return keep === undefined
    ? "add `--keep FILE` to be able to fetch the originals"
    : `\`precis recall ID --keep ${keep}\` prints the original`;
}

function nextStep({
  budget,
  irreducible,
  exhausted,
}: ForcedCompaction & { readonly kind: "unchanged" }): string | undefined {
  if (exhausted) return "--budget cannot make it smaller either; `precis inspect` shows what uses the tokens";
  if (budget !== undefined || irreducible !== undefined) return undefined;
  return "`--budget 20%` sets the size of the result, `--force` compacts anyway";
}

export function compactJson(report: CompactOutput): string {
  const { input, result, to } = report;
  const shown = parts(input, result.transcript, to);
  const synthetic = syntheticIn(result.transcript, shown.messages.length, to);
  return `${JSON.stringify({ ...shown, synthetic, report: collectFigures(report) })}\n`;
}

/** Where precis wrote or shortened something: beside the messages and not in them, because they may go to a provider as they are. */
function syntheticIn({ system, messages }: Transcript, elements: number, to: ProtocolName): readonly object[] {
  const origins = originsOf(to, messages);
  // Some protocols have their system prompt, or what is added to it, in front of the messages.
  const first = elements - elementTexts(protocols[to].format(messages)).length;
  const beside = system.length - first;
  const ofSystem = system.flatMap(({ origin }, at) => {
    if (origin === undefined) return [];
    return [at < beside ? { in: "system", origin } : { in: "messages", index: at - beside, origin }];
  });
  return [...ofSystem, ...[...origins].map(([at, origin]) => ({ in: "messages", index: at + first, origin }))];
}

/** The same keys whatever happened, so that a script need not look for them. */
function collectFigures({ input, result, to, window, repair }: CompactOutput): object {
  const { format, notes, transcript } = input;
  const { before, budget } = result;
  const common = {
    format,
    protocol: to,
    window,
    budget: budget ?? null,
    disabledEngine: result.disabledEngine ?? null,
    hookFailures: result.hookFailures,
    notes,
    violations: repair,
  };
  if (result.kind === "compacted") {
    const { irreducible = null, summary = null, receipt = null, ...report } = result.compaction.report;
    return { changed: true, because: result.because ?? null, ...report, irreducible, summary, receipt, ...common };
  }
  const messages = transcript.messages.length;
  return {
    changed: false,
    because: result.because,
    tokens: { before, after: before },
    messages: { before: messages, after: messages, kept: messages, edited: 0, summarised: 0 },
    irreducible: result.irreducible ?? null,
    degraded: [],
    recall: [],
    receipt: null,
    summary: null,
    modelCalls: 0,
    costUsd: 0,
    ...common,
  };
}
