/** `precis-eval replay`: a recorded session lived again under each strategy, with what the cache and the bill make of it. */
import { toEngineSettings } from "../../../src/config/engine-settings.ts";
import { loadConfiguration } from "../../../src/config/load.ts";
import type { Configuration } from "../../../src/config/schema.ts";
import { SCHEDULES } from "../../../src/core/caching/schedule.ts";
import { ENGINE_NAMES } from "../../../src/core/engines/names.ts";
import { PrecisError } from "../../../src/core/errors.ts";
import { withPrompt, type Recording } from "../replay/requests.ts";
import { replay, type ReplayedSession } from "../replay/replay.ts";
import { strategiesOf } from "../replay/run.ts";
import { termsOf, type ReplayTerms } from "../replay/terms.ts";
import { registryOf } from "../../../src/models/index.ts";
import { loadSecretRules } from "../../../src/secrets/rules.ts";
import { counted, parseDuration, parseTokens } from "../../../src/cli/screen/amounts.ts";
import type { Arguments, Command } from "../../../src/cli/program/command.ts";
import { EXIT, usageError, type ExitCode } from "../../../src/cli/program/exit.ts";
import { INPUT_ARGS, inputBytes, readInput } from "../../../src/cli/files/input.ts";
import { withProgress, type Progress } from "../../../src/cli/screen/progress.ts";
import { replayPage, type Replay } from "./replay-page.ts";
import {
  CONFIG_FLAGS,
  configurationRequest,
  ENGINE_FLAGS,
  windowFor,
  type Window,
} from "../../../src/cli/settings/flags.ts";
import type { Terminal } from "../../../src/cli/screen/terminal.ts";

const GAP_DEFAULT = "30s";

export const replayCommand: Command = {
  program: "precis-eval",
  name: "replay",
  summary: "Replay a recorded session, and show how caching and compaction change its bill.",
  about: [
    "Each turn is sent as its agent sent it, with the whole history, through a precis session; the rules of the provider's prompt cache determine what is read, written and sent uncached, and the price table what it costs. No language model is used, and nothing leaves the machine.",
    "Compared are no caching and no compaction, caching only, compaction only, and both with each schedule. Caches expire according to the time stamps in the file, or else after an assumed gap between requests.",
  ],
  examples: {
    "precis-eval replay session.jsonl": "a session file of Claude Code, Codex, pi or Gemini CLI",
    "precis-eval replay session.jsonl --engines compressor,sacred-zone": "compare two engines",
    "precis-eval replay session.json --model gpt-5.4 --context-length 128k": "the bill for another model",
  },
  args: {
    file: INPUT_ARGS.file,
    from: INPUT_ARGS.from,
    model: {
      type: "string",
      valueHint: "NAME",
      description: "The model to bill; by default the one in the file, then the configured one.",
    },
    engines: {
      type: "string",
      valueHint: "NAME,…",
      description: "The engines to compact with, or all; the configured one by default.",
    },
    gap: {
      type: "string",
      valueHint: "TIME",
      description: `Time between two requests if the file has no time stamps, for example 2m; ${GAP_DEFAULT} by default.`,
    },
    "prompt-tokens": {
      type: "string",
      valueHint: "TOKENS",
      description: "Add a system prompt of this size, because session files do not contain it.",
    },
    "context-length": ENGINE_FLAGS["context-length"],
    json: { type: "boolean", description: "Print JSON, each request included." },
    ...CONFIG_FLAGS,
  },
  run: async (args, terminal): Promise<ExitCode> => {
    const configuration = await loadConfiguration(configurationRequest(args, terminal));
    const result = await withProgress(terminal.err, async (progress) =>
      replayed(await recorded(args, terminal, progress), { args, configuration, progress }),
    );
    if (args.is("json")) await terminal.out.write(jsonText(result));
    else await terminal.out.say(replayPage(result, terminal.out));
    return EXIT.done;
  },
};

interface Source {
  readonly name: string;
  readonly format: string;
  readonly recording: Recording;
  /** Where nothing else is said. */
  readonly model: string | undefined;
  readonly notes: readonly string[];
}

async function recorded(args: Arguments, terminal: Terminal, progress: Progress): Promise<Source> {
  progress.expect(inputBytes(args, terminal));
  await progress.stage("reading", 0);
  const { name, format, protocol, transcript, timesMs, notes } = await readInput(args, terminal, { history: "all" });
  if (!transcript.messages.some(({ role }) => role === "assistant"))
    throw new PrecisError(`${name} contains no answer of a model`, {
      code: "unreadable_input",
      place: name,
      hint: "Use a session in which a model has answered at least once.",
    });
  const summaries = transcript.messages.filter(({ origin }) => origin === "summary").length;
  return {
    name,
    format,
    recording: { transcript, spoken: protocol, ...(timesMs === undefined ? {} : { timesMs }) },
    model: transcript.model,
    notes: [
      ...notes.map(({ text, line }) => (line > 0 ? `line ${line}: ${text}` : text)),
      ...(summaries === 0
        ? []
        : [
            `${counted(summaries, "summary").replace("summarys", "summaries")} by the agent itself are among the messages`,
          ]),
    ],
  };
}

interface ReplayContext {
  readonly args: Arguments;
  readonly configuration: Configuration;
  readonly progress: Progress;
}

async function replayed(source: Source, { args, configuration, progress }: ReplayContext): Promise<Replay> {
  const window = windowFor(args, configuration, source.model);
  const terms = termsFor(source, configuration, window);
  const { contextLength: _, maxOutputTokens, ...settings } = toEngineSettings(configuration);
  const prompt = args.text("prompt-tokens");
  const recording =
    prompt === undefined
      ? source.recording
      : withPrompt(source.recording, parseTokens(prompt, "--prompt-tokens") / terms.tokenFactor);
  const gapMs = parseDuration(args.text("gap") ?? GAP_DEFAULT, "--gap");
  const session: ReplayedSession = await replay(recording, {
    terms,
    strategies: strategiesFor(args, configuration),
    gapMs,
    maxOutputTokens: maxOutputTokens > 0 ? maxOutputTokens : undefined,
    session: {
      settings,
      secrets: await loadSecretRules(configuration.redaction),
      redactOutgoing: configuration.redaction.outgoing,
      ingestLimitTokens: configuration.compression.ingest_limit_tokens,
    },
    onTurn: (turn, of) => progress.stage(`request ${turn + 1} of ${of}`, turn / of),
  });
  const { name, format, notes } = source;
  return { name, format, window, terms, session, gapMs, notes };
}

function termsFor(source: Source, configuration: Configuration, window: Window): ReplayTerms {
  const { prompt_caching: caching } = configuration;
  const { model } = window;
  if (model === undefined)
    throw usageError(
      `${source.name} does not say which model it was recorded with`,
      "Name the model to bill, for example `--model claude-sonnet-4-5`.",
    );
  return termsOf({
    registry: registryOf(configuration),
    model: model.name,
    spoken: source.recording.spoken,
    windowTokens: window.tokens,
    ttl: caching.cache_ttl,
    strategy: caching.strategy,
  });
}

function strategiesFor(args: Arguments, { context }: Configuration): ReturnType<typeof strategiesOf> {
  const engines = (args.text("engines") ?? context.engine).split(",").map((name) => name.trim());
  return strategiesOf([...new Set(engines.flatMap((name) => (name === "all" ? ENGINE_NAMES : [name])))], SCHEDULES);
}

function jsonText({ name, format, window, terms, session, gapMs, notes }: Replay): string {
  const { facts: _facts, caching: _caching, traits: _traits, ...plainTerms } = terms;
  return `${JSON.stringify({ name, format, window, terms: plainTerms, gapMs, notes, ...session }, null, 2)}\n`;
}
