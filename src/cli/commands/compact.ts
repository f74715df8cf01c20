/** `precis compact`: a transcript in, a smaller one out, and a report of what became of it. */
import { resolve } from "node:path";
import { loadConfiguration, type Flag } from "../../config/load.ts";
import type { Configuration } from "../../config/schema.ts";
import { WIRE_FORMATS } from "../../logs/log.ts";
import { lostIn, missingIn } from "../../core/receipt/counts.ts";
import { protocols } from "../../protocols/index.ts";
import type { ProtocolName } from "../../core/protocols.ts";
import { createRedactor } from "../../core/redaction/redactor.ts";
import { createMeasure } from "../../core/transcript/measure.ts";
import { loadSecretRules } from "../../secrets/rules.ts";
import { counted } from "../screen/amounts.ts";
import { option, toggle, type Arguments, type Command } from "../program/command.ts";
import { compactionDiff, shownCompaction } from "../compaction/diff.ts";
import { compactForced, compactInput, type CompactionRequest, type ForcedCompaction } from "../compaction/compact.ts";
import { withEngine } from "../settings/engine.ts";
import { fileReader, hookSettings } from "../gateway/options.ts";
import { EXIT, usageError, type ExitCode } from "../program/exit.ts";
import { isSameFile, modeLike, writeOutput } from "../files/write.ts";
import {
  readImageTokens,
  checkSummarize,
  toFlag,
  CONFIG_FLAGS,
  configurationRequest,
  ENGINE_FLAGS,
  windowFor,
  type Window,
} from "../settings/flags.ts";
import { formatNamed, INPUT_ARGS, inputBytes, readInput, type Input } from "../files/input.ts";
import { addToKeep } from "../files/keep.ts";
import {
  written,
  findRefusal,
  checkInput,
  checkResult,
  parts,
  repairLines,
  type Repair,
} from "../compaction/output.ts";
import { withProgress, type Progress } from "../screen/progress.ts";
import type { Terminal, Stream } from "../screen/terminal.ts";
import type { Transcript } from "../../core/transcript/message.ts";
import { elementTexts } from "../../protocols/json.ts";
import { originsOf } from "../../session/handoff-text.ts";
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
} from "../compaction/page.ts";

export const compactCommand: Command = {
  name: "compact",
  summary: "Write a smaller transcript that still works, and report what happened to the rest.",
  about: [
    "The messages go to standard output in the protocol of the input, unchanged ones byte for byte; for a session file, in the protocol of its agent. The report goes to standard error.",
    "Compacts when the transcript is over the threshold that follows from the configuration. --budget sets the size of the result and overrides the documented minimums. --force compacts even if there is room: with the documented figures, or like --budget 20% if these would keep everything. It says so if nothing can be gained.",
  ],
  examples: {
    "precis compact session.jsonl > smaller.json": "a session file of Claude Code, Codex, pi or Gemini CLI",
    "precis compact request.json --budget 20% --keep originals.json": "reduce it to a fifth and keep every original",
    "precis compact session.jsonl --force --focus 'the failing migration'": "give most of the handoff to one topic",
    "precis compact session.jsonl --force --summarize claude-haiku-4-5":
      "a model writes the handoff; your key is in ANTHROPIC_API_KEY",
    "precis compact request.json --force --engine handoff --set context.remote_compaction=on":
      "the provider compacts a request of OpenAI Responses itself; your key is in OPENAI_API_KEY",
    "precis compact session.jsonl --budget 20% --pin 4-5 --drop 12-20": "keep three messages, and leave a range out",
    "precis compact session.jsonl --force --diff | less -R": "what became of each message",
    "cat request.json | precis compact - --to openai-chat --json | jq .report": "for a script",
    "precis compact session.jsonl --budget 20% --require recallable --keep originals.json --out smaller.json":
      "for CI: fails where something that the work may need is lost",
  },
  args: {
    ...INPUT_ARGS,
    to: option("PROTOCOL", `Write this protocol: ${WIRE_FORMATS.join(", ")}.`),
    budget: option("N|P%", "Size of the result, in tokens or as a share of the input."),
    focus: option("TOPIC", "Give this topic 60 to 70 % of the handoff."),
    summarize: option(
      "MODEL",
      "Have this model write the handoff (auxiliary.compression.model), or `main` for the model of model.name; its key comes from the environment.",
    ),
    pin: option("N-M", "Keep these messages word for word; several ranges with commas between."),
    fact: option("TEXT", "State this sentence word for word in the handoff."),
    drop: option(
      "N-M",
      "Leave these messages out: whole exchanges, or single results; several ranges with commas between.",
    ),
    force: toggle("Compact even if there is room, if anything can be gained."),
    out: { ...option("FILE", "Write the result here instead of standard output."), alias: "o" },
    keep: option("FILE", "Keep the originals in this file for `precis recall`; an existing file is extended."),
    files: option(
      "FOLDER",
      "With the engine `layered`, put the files read last back with what they hold in this folder now (context.files_folder).",
    ),
    require: option(
      "FATE",
      "Exit with 1 where the receipt has something that became less than this: `kept` word for word, or `recallable`. Without --keep nothing can be recalled.",
    ),
    diff: toggle(
      "Print what was kept, shortened and replaced instead of the result; the result itself then goes to --out only.",
    ),
    json: toggle(
      "Print {messages, system?, tools?, synthetic, report}; `synthetic` says which messages precis wrote or shortened.",
    ),
    ...ENGINE_FLAGS,
    ...CONFIG_FLAGS,
  },
  run: compact,
};

async function compact(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const to = formatNamed(args.text("to"), "--to", WIRE_FORMATS);
  const files = outputFiles(args, terminal);
  const required = requirementIn(args);
  const settings = configurationRequest(args, terminal);
  const configuration = await loadConfiguration({
    ...settings,
    flags: [...settings.flags, ...filesFlags(args, terminal)],
  });
  checkSummarize(args, configuration);
  const made = await withProgress(terminal.err, async (progress) => {
    progress.expect(inputBytes(args, terminal));
    await progress.stage("reading", 0);
    const input = await readInput(args, terminal);
    progress.expect(input.chars);
    await progress.stage(`compacting ${counted(input.transcript.messages.length, "message")}`, 0.3);
    const result = await makeResult(input, { args, configuration, to, terminal, progress });
    await progress.stage("writing", 0.9);
    if (files.keep !== undefined) await addToKeep(files.keep, result.originals, terminal);
    const protocol = to ?? input.protocol;
    const violations = {
      before: checkInput(input).violations,
      after: checkResult(input, result.transcript, protocol).violations,
    };
    const window = windowFor(args, configuration, input.transcript.model);
    const text = written(input, result.transcript, protocol);
    // A session file is no request: what its agent sends beside it is not known.
    const decoded = input.decoded === undefined ? undefined : protocols[protocol].decode(text);
    const refusal = decoded === undefined ? undefined : findRefusal({ decoded }, protocol, window.tokens);
    const repair = { ...violations, refusal };
    const report = { input, result, to: protocol, window, repair };
    const beside = { out: args.is("json") ? undefined : files.out, keep: args.text("keep") };
    return {
      ...report,
      text: args.is("json") ? compactJson(report) : text,
      page: compactPage(report, beside, terminal.err),
      diff: args.is("diff") ? await makeDiff(input, result, { configuration, terminal }) : undefined,
    };
  });
  await deliver(made, files, terminal);
  if (made.repair.after.length > 0 || made.repair.refusal !== undefined) return EXIT.failed;
  if (!meetsRequirement(made.result, required)) return EXIT.failed;
  return findIrreducible(made.result) === undefined ? EXIT.done : EXIT.irreducible;
}

/** What a fate has to be at least; nothing where nothing is asked. @throws for anything else. */
function requirementIn(args: Arguments): "kept" | "recallable" | undefined {
  const wanted = args.text("require");
  if (wanted === undefined || wanted === "kept" || wanted === "recallable") return wanted;
  throw usageError(`--require ${wanted} is neither`, "Write `--require recallable` or `--require kept`.");
}

function meetsRequirement(result: ForcedCompaction, required: "kept" | "recallable" | undefined): boolean {
  if (required === undefined || result.kind !== "compacted") return true;
  const { receipt } = result.compaction.report;
  return required === "kept" ? missingIn(receipt) === 0 : lostIn(receipt) === 0;
}

interface Compacting {
  readonly args: Arguments;
  readonly configuration: Configuration;
  readonly to: ProtocolName | undefined;
  readonly terminal: Terminal;
  readonly progress: Progress;
}

function makeResult(
  input: Input,
  { args, configuration, to, terminal, progress }: Compacting,
): Promise<ForcedCompaction> {
  const { environment } = terminal;
  const request = {
    budget: args.text("budget"),
    focus: args.text("focus"),
    force: args.is("force"),
    keepsOriginals: args.text("keep") !== undefined,
    ...markedIn(args),
  };
  const before = async (model: string): Promise<void> => {
    progress.expect(Infinity);
    await progress.stage(`asking ${model} for the handoff`, 0.5);
  };
  return withEngine(configuration, terminal, (engine) =>
    (request.force && request.budget === undefined ? compactForced : compactInput)(input, configuration, {
      ...request,
      engine,
      to,
      asking: { environment, before },
      hooks: hookSettings(configuration, environment),
      ...fileReader(configuration),
    }),
  );
}

async function makeDiff(
  input: Input,
  result: ForcedCompaction,
  { configuration, terminal }: Pick<Compacting, "configuration" | "terminal">,
): Promise<string> {
  if (result.kind === "unchanged") return "";
  const redact = createRedactor(await loadSecretRules(configuration.redaction));
  const measure = createMeasure(readImageTokens(input.transcript, configuration));
  const view = shownCompaction(result.compaction, input.transcript.messages, { redact, measure });
  return compactionDiff(view, terminal.out);
}

function filesFlags(args: Arguments, { folder }: Terminal): readonly Flag[] {
  const files = args.text("files");
  return files === undefined ? [] : [toFlag("files", "context.files_folder", resolve(folder, files))];
}

function markedIn(args: Arguments): Pick<CompactionRequest, "pin" | "drop" | "fact"> {
  return { pin: args.text("pin"), drop: args.text("drop"), fact: args.text("fact") };
}

/** On a terminal the report comes last, where it can still be read; into a pipe it comes first, in case the reader hangs up. */
async function deliver({ text, page, diff }: Made, files: OutputFiles, terminal: Terminal): Promise<void> {
  const { out, err } = terminal;
  if (files.out !== undefined) await writeOutput(terminal, files.out, text, { mode: files.mode });
  if (diff !== undefined) {
    await err.say(`${page}${out.interactive ? "\n" : ""}`);
    if (diff === "") await err.say("Nothing was compacted, so there is no diff.\n");
    else await out.write(out.shown(diff));
  } else if (files.out !== undefined) await err.say(page);
  else if (out.interactive) {
    await out.put(text);
    await err.say(`\n\n${page}`);
  } else {
    await err.say(page);
    await out.put(text);
  }
}

interface Made {
  readonly text: string;
  readonly page: string;
  readonly diff: string | undefined;
}

interface OutputFiles {
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
  const [input, out, keep] = [named("file"), named("out"), named("keep")];
  if (args.text("keep") === "-")
    throw usageError("--keep is `-`, but originals need a file", "Write for example `--keep originals.json`.");
  if (args.is("diff") && args.is("json"))
    throw usageError("--diff and --json exclude one another", "Leave one out; `report` of --json has the figures.");
  const paths = [input, out, keep].flatMap((one) => (one === undefined ? [] : [resolve(folder, one)]));
  if (paths.some((path, at) => paths.slice(at + 1).some((other) => isSameFile(path, other))))
    throw usageError("the input, --out and --keep must be different files", "The input is never overwritten.");
  return { out, keep, mode: modeLike(input === undefined ? "/dev/stdin" : resolve(folder, input)) };
}

function findIrreducible(
  result: ForcedCompaction,
): { readonly limit: number; readonly smallest: number; readonly because: string } | undefined {
  return result.kind === "compacted" ? result.compaction.report.irreducible : result.irreducible;
}

interface CompactOutput {
  readonly input: Input;
  readonly result: ForcedCompaction;
  readonly to: ProtocolName;
  readonly window: Window;
  readonly repair: Repair;
}

interface WrittenFiles {
  readonly out: string | undefined;
  readonly keep: string | undefined;
}

function compactPage(report: CompactOutput, { out, keep }: WrittenFiles, stream: Stream): string {
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

function compactJson(report: CompactOutput): string {
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
