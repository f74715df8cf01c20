/** `precis compact`: a transcript in, a smaller one out, and an account of what became of it. */
import { resolve } from "node:path";
import { loadConfiguration, type Flag } from "../../config/load.ts";
import { NO_LOSSES } from "../../core/compaction/compaction.ts";
import { WIRE_FORMATS } from "../../logs/index.ts";
import type { Transcript } from "../../core/transcript/message.ts";
import { protocols, type ProtocolName } from "../../protocols/index.ts";
import { elementTexts } from "../../protocols/json/scan.ts";
import { originsOf } from "../../session/synthetic.ts";
import { counted } from "../amounts.ts";
import type { Arguments, Command } from "../command.ts";
import { compactionViews, deliverViews, type CompactionViews } from "../compaction-views.ts";
import { compactForced, compactInput, type CompactionRequest, type ForcedCompaction } from "../compaction.ts";
import {
  compactionPage,
  disabledEnginePage,
  forcedLine,
  headingOf,
  hookFailuresPage,
  invalidPage,
  unchangedPage,
  usePage,
  windowLine,
} from "../compaction-page.ts";
import { withEngine } from "../engine.ts";
import { fileReader, hookSettings } from "../gateway-options.ts";
import { EXIT, usageError, type ExitCode } from "../exit.ts";
import { isSameFile, modeLike, writeOutput } from "../files.ts";
import { formatNamed, INPUT_ARGS, inputBytes, readInput, type Input } from "../input.ts";
import { addToKeep } from "../keep.ts";
import { parts, written } from "../output.ts";
import { withProgress } from "../progress.ts";
import { checkSummarize, summarizeFlags } from "../summarize.ts";
import { CONFIG_FLAGS, configurationRequest, ENGINE_FLAGS } from "../settings-flags.ts";
import { repairLines, verdictOf, verdictOfResult, type Repair } from "../validity.ts";
import { windowFor, type Window } from "../window.ts";
import type { Stream, Terminal } from "../terminal.ts";

export const compactCommand: Command = {
  name: "compact",
  summary: "Write a smaller transcript that still works, and report what happened to the rest.",
  about: [
    "The messages go to standard output in the protocol of the input, unchanged ones byte for byte; for a session file, in the protocol of its agent. The report goes to standard error.",
    "Compacts when the transcript is over the threshold that follows from the configuration. --budget sets the size of the result and overrides the documented minimums. --force compacts even if there is room: with the documented figures, or like --budget 20% if these would keep everything. It says so if nothing can be gained.",
  ],
  examples: [
    {
      line: "precis compact session.jsonl > smaller.json",
      says: "a session file of Claude Code, Codex, pi or Gemini CLI",
    },
    {
      line: "precis compact request.json --budget 20% --keep originals.json",
      says: "reduce it to a fifth and keep every original",
    },
    {
      line: "precis compact session.jsonl --force --focus 'the failing migration'",
      says: "give most of the handoff to one topic",
    },
    {
      line: "precis compact session.jsonl --force --summarize claude-haiku-4-5",
      says: "a model writes the handoff; your key is in ANTHROPIC_API_KEY",
    },
    {
      line: "precis compact request.json --force --engine handoff --set context.remote_compaction=on",
      says: "the provider compacts a request of OpenAI Responses itself; your key is in OPENAI_API_KEY",
    },
    {
      line: "precis compact session.jsonl --budget 20% --pin 4-5 --drop 12-20",
      says: "keep three messages, and leave a range out",
    },
    { line: "precis compact session.jsonl --force --diff | less -R", says: "what became of each message" },
    {
      line: "precis compact session.jsonl --force --html compaction.html",
      says: "the same as a page to send to somebody",
    },
    { line: "cat request.json | precis compact - --to openai-chat --json | jq .report", says: "for a script" },
  ],
  args: {
    ...INPUT_ARGS,
    to: { type: "string", valueHint: "PROTOCOL", description: `Write this protocol: ${WIRE_FORMATS.join(", ")}.` },
    budget: {
      type: "string",
      valueHint: "N|P%",
      description: "Size of the result, in tokens or as a share of the input.",
    },
    focus: { type: "string", valueHint: "TOPIC", description: "Give this topic 60 to 70 % of the handoff." },
    summarize: {
      type: "string",
      valueHint: "MODEL",
      description:
        "Have this model write the handoff (auxiliary.compression.model), or `main` for the model of model.name; its key comes from the environment.",
    },
    pin: {
      type: "string",
      valueHint: "N-M",
      description: "Keep these messages word for word; several ranges with commas between.",
    },
    fact: { type: "string", valueHint: "TEXT", description: "State this sentence word for word in the handoff." },
    drop: {
      type: "string",
      valueHint: "N-M",
      description: "Leave these messages out: whole exchanges, or single results; several ranges with commas between.",
    },
    force: { type: "boolean", description: "Compact even if there is room, if anything can be gained." },
    out: {
      type: "string",
      alias: "o",
      valueHint: "FILE",
      description: "Write the result here instead of standard output.",
    },
    keep: {
      type: "string",
      valueHint: "FILE",
      description: "Keep the originals in this file for `precis recall`; an existing file is extended.",
    },
    files: {
      type: "string",
      valueHint: "FOLDER",
      description:
        "With the engine `layered`, put the files read last back with what they hold in this folder now (context.files_folder).",
    },
    diff: {
      type: "boolean",
      description:
        "Print what was kept, shortened and replaced instead of the result; the result itself then goes to --out only.",
    },
    html: {
      type: "string",
      valueHint: "FILE",
      description:
        "Write the compaction as one HTML page, with secrets masked; the result itself then goes to --out only.",
    },
    json: {
      type: "boolean",
      description:
        "Print {messages, system?, tools?, synthetic, report}; `synthetic` says which messages precis wrote or shortened.",
    },
    ...ENGINE_FLAGS,
    ...CONFIG_FLAGS,
  },
  run: compact,
};

async function compact(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const to = formatNamed(args.text("to"), "--to", WIRE_FORMATS);
  const files = outputFiles(args, terminal);
  const settings = configurationRequest(args, terminal);
  const configuration = await loadConfiguration({
    ...settings,
    flags: [...(settings.flags ?? []), ...summarizeFlags(args), ...filesFlags(args, terminal)],
  });
  checkSummarize(args, configuration);
  const { result, repair, text, summary, views } = await withProgress(terminal.err, async (progress) => {
    progress.expect(inputBytes(args, terminal));
    await progress.stage("reading", 0);
    const input = await readInput(args, terminal);
    progress.expect(input.chars);
    await progress.stage(`compacting ${counted(input.transcript.messages.length, "message")}`, 0.3);
    const request = {
      budget: args.text("budget"),
      focus: args.text("focus"),
      force: args.is("force"),
      ...markedIn(args),
    };
    const before = async (model: string): Promise<void> => {
      progress.expect(Infinity);
      await progress.stage(`asking ${model} for the handoff`, 0.5);
    };
    const asking = { environment: terminal.environment, before };
    const hooks = hookSettings(configuration, terminal.environment);
    const reader = fileReader(configuration);
    const made = await withEngine(configuration, terminal, (engine) =>
      (request.force && request.budget === undefined ? compactForced : compactInput)(input, configuration, {
        ...request,
        engine,
        to,
        asking,
        hooks,
        ...reader,
      }),
    );
    await progress.stage("writing", 0.9);
    if (files.keep !== undefined) await addToKeep(files.keep, made.originals, terminal);
    const protocol = to ?? input.protocol;
    const window = windowFor(args, configuration, input.transcript.model);
    const violations = {
      before: verdictOf(input).violations,
      after: verdictOfResult(input, made.transcript, protocol).violations,
    };
    const report = { input, result: made, to: protocol, window, repair: violations };
    return {
      result: made,
      repair: violations,
      text: args.is("json") ? jsonText(report) : written(input, made.transcript, protocol),
      summary: account(report, { out: args.is("json") ? undefined : files.out, keep: args.text("keep") }, terminal.err),
      views: await compactionViews({ input, result: made }, { html: files.html, diff: args.is("diff") }, configuration),
    };
  });
  await deliver({ text, summary, views }, files, terminal);
  if (repair.after.length > 0) return EXIT.failed;
  return irreducibleOf(result) === undefined ? EXIT.done : EXIT.irreducible;
}

function filesFlags(args: Arguments, { folder }: Terminal): readonly Flag[] {
  const files = args.text("files");
  return files === undefined ? [] : [{ path: "context.files_folder", text: resolve(folder, files), label: "--files" }];
}

function markedIn(args: Arguments): Pick<CompactionRequest, "pin" | "drop" | "fact"> {
  return { pin: args.text("pin"), drop: args.text("drop"), fact: args.text("fact") };
}

/** On a terminal the account comes last, where it can still be read; into a pipe it comes first, in case the reader hangs up. */
async function deliver({ text, summary, views }: Made, files: OutputFiles, terminal: Terminal): Promise<void> {
  const { out, err } = terminal;
  if (files.out !== undefined) await writeOutput(terminal, files.out, text, { mode: files.mode });
  if (views !== undefined) {
    await err.say(`${summary}${out.interactive ? "\n" : ""}`);
    await deliverViews(views, files, terminal);
  } else if (files.out !== undefined) await err.say(summary);
  else if (out.interactive) {
    await out.write(text);
    await err.say(`\n\n${summary}`);
  } else {
    await err.say(summary);
    await out.write(text);
  }
}

interface Made {
  readonly text: string;
  readonly summary: string;
  /** Where --diff or --html asked for one. */
  readonly views: CompactionViews | undefined;
}

interface OutputFiles {
  readonly html: string | undefined;
  readonly out: string | undefined;
  readonly keep: string | undefined;
  /** What was for its owner alone stays so. */
  readonly mode: number;
}

/** Files that must not be one another: a result over its own input would lose the original for good. */
function outputFiles(args: Arguments, { folder }: Terminal): OutputFiles {
  const named = (name: string): string | undefined => {
    const given = args.text(name);
    return given === "-" ? undefined : given;
  };
  const [input, out, keep, html] = [named("file"), named("out"), named("keep"), args.text("html")];
  if (args.text("keep") === "-")
    throw usageError("--keep is `-`, but originals need a file", "Write for example `--keep originals.json`.");
  if (args.is("diff") && args.is("json"))
    throw usageError("--diff and --json exclude one another", "Leave one out; `report` of --json has the figures.");
  if (args.is("diff") && html === "-")
    throw usageError("--diff and --html - both write to standard output", "Name a file for --html.");
  const paths = [input, out, keep, html === "-" ? undefined : html].flatMap((one) =>
    one === undefined ? [] : [resolve(folder, one)],
  );
  if (paths.some((path, at) => paths.slice(at + 1).some((other) => isSameFile(path, other))))
    throw usageError("the input, --out, --keep and --html must be different files", "The input is never overwritten.");
  return { out, keep, html, mode: modeLike(input === undefined ? "/dev/stdin" : resolve(folder, input)) };
}

function irreducibleOf(
  result: ForcedCompaction,
): { readonly limit: number; readonly smallest: number; readonly because: string } | undefined {
  return result.kind === "compacted" ? result.compaction.report.irreducible : result.irreducible;
}

/** What was written beside standard output, as it was named. */
type WrittenFiles = Pick<OutputFiles, "out" | "keep">;

function account(report: Report, { out, keep }: WrittenFiles, stream: Stream): string {
  const { input, result, to, window, repair } = report;
  const page =
    result.kind === "compacted"
      ? `${forcedLine(result.because, stream)}${compactionPage(result.compaction.report, undoHint(keep), stream)}`
      : unchangedPage({ because: result.because, irreducible: result.irreducible, next: nextStep(result) }, stream);
  const heading = headingOf({ ...input, to }, stream).join("\n");
  const next = result.kind === "compacted" && out !== undefined ? usePage(useOf(report, { out, keep }), stream) : "";
  const repairs = invalidPage(repairLines(repair, input.transcript, result.transcript), stream);
  return `${heading}\n${page}${windowLine(window, stream)}${repairs}${next}${disabledEnginePage(result.disabledEngine, stream)}${hookFailuresPage(result.hookFailures, stream)}`;
}

const FORMS = { request: "a request body", messages: "an array of messages" } as const;

/** What to do with the file, and where the originals are. */
function useOf({ input, to }: Report, { out, keep }: WrittenFiles): string {
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

/** What would make it smaller all the same. */
function nextStep({
  budget,
  irreducible,
  exhausted,
}: ForcedCompaction & { readonly kind: "unchanged" }): string | undefined {
  if (exhausted) return "--budget cannot make it smaller either; `precis inspect` shows what uses the tokens";
  if (budget !== undefined || irreducible !== undefined) return undefined;
  return "`--budget 20%` sets the size of the result, `--force` compacts anyway";
}

interface Report {
  readonly input: Input;
  readonly result: ForcedCompaction;
  readonly to: ProtocolName;
  readonly window: Window;
  readonly repair: Repair;
}

function jsonText(report: Report): string {
  const { input, result, to } = report;
  const shown = parts(input, result.transcript, to);
  const synthetic = syntheticIn(result.transcript, shown.messages.length, to);
  return `${JSON.stringify({ ...shown, synthetic, report: reportOf(report) })}\n`;
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
function reportOf({ input, result, to, window, repair }: Report): object {
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
    const { irreducible = null, summary = null, ...report } = result.compaction.report;
    return { changed: true, because: result.because ?? null, ...report, irreducible, summary, ...common };
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
    lost: NO_LOSSES,
    summary: null,
    modelCalls: 0,
    costUsd: 0,
    ...common,
  };
}
