/** `precis plugins`: engines of other people: which there are, where each is, and whether it keeps the contract. */
import { resolve } from "node:path";
import { loadConfiguration, shortPath } from "../../config/load.ts";
import { pluginFolders } from "../../config/locate.ts";
import { PrecisError } from "../../core/errors.ts";
import { sampleTranscripts } from "../../plugins/suite/samples.ts";
import type { Transcript } from "../../core/transcript/message.ts";
import { PluginFault, FAULTS, type FaultKind, PLUGIN_LIMITS } from "../../plugins/fault.ts";
import { findPlugin, pluginAt, type Plugin } from "../../plugins/find.ts";
import { openPlugin } from "../../plugins/load.ts";
import { parseWhole, counted } from "../screen/amounts.ts";
import { option, optional, positional, type Arguments, type Command, JSON_ARG, writeJson } from "../program/command.ts";
import { isAgreedTo, untrusted, pluginsFound, type FoundPlugins, type FoundPlugin } from "../settings/engine.ts";
import { EXIT } from "../program/exit.ts";
import { readInput } from "../files/input.ts";
import { withProgress } from "../screen/progress.ts";
import { CONFIG_FLAGS, configurationRequest } from "../settings/flags.ts";
import { namedLines } from "../screen/table.ts";
import type { Terminal, Stream } from "../screen/terminal.ts";
import { wrapped, clip, columnWidths, padEnd, visibleLine } from "../screen/text.ts";
import type { CheckName } from "../../plugins/suite/fault.ts";

const SAMPLES_DEFAULT = 20;
const SAMPLES_MAX = 1_000;
const SEED_DEFAULT = 1;
const SEED_MAX = 1_000_000;

export const pluginsCommand: Command = {
  name: "plugins",
  summary: "List the plugins and the engine in use, or test one plugin against the engine contract.",
  about: [
    "Each plugin is a folder in plugins/context_engine: first in the project, then next to your own configuration. A plugin is used only if context.engine or --engine names it, and one in the project only after you have trusted its code (`precis trust NAME --yes`). Listing them runs no code of a plugin.",
    "With a name or a folder, the plugin runs in its own thread through the test suite of the built-in engines, on generated transcripts or on one of your own. Stops at the first violation of the contract and exits with 1: it says which rule was violated, on which transcript, and where in the plugin. Output of the plugin goes to standard error. A plugin that is found by its name in the project runs only after you have trusted its code.",
    "Exits with 2 if there is no such plugin, its manifest is wrong, or it is not trusted.",
  ],
  examples: {
    "precis plugins": "list what context.engine could name",
    "precis plugins --json | jq -r '.plugins[].name'": "for a script",
    "precis plugins ./my-engine --samples 100": "test it while you are writing it",
    "precis plugins ./my-engine --on session.jsonl": "test it on your own transcript",
  },
  args: {
    plugin: optional(
      positional("NAME|FOLDER", "The plugin to test: its name, or a path to its folder, which needs no trust."),
    ),
    samples: option("N", `Number of transcripts; ${SAMPLES_DEFAULT} by default.`),
    seed: option("N", "Seed of the generated transcripts."),
    on: option("FILE", "Use this transcript instead, in any format that precis reads."),
    ...CONFIG_FLAGS,
    ...JSON_ARG,
  },
  run: async (args, terminal) => {
    const named = args.text("plugin");
    if (named === undefined) {
      const found = pluginsFound(await loadConfiguration(configurationRequest(args, terminal)), terminal);
      await tell(args, terminal, found, pluginList(found, terminal));
      return EXIT.done;
    }
    const plugin = pluginNamed(named, terminal);
    const checked = await checkedOn(plugin, await collectSubjects(args, terminal), terminal);
    await tell(args, terminal, checked, checkPage(checked, terminal.out));
    return checked.broken === null ? EXIT.done : EXIT.failed;
  },
};

/** A path has a separator in it or stands for a folder by dots; a name has neither. Who names the folder has agreed to it. */
function pluginNamed(named: string, terminal: Terminal): Plugin {
  const { folder, environment, platform } = terminal;
  if (/[/\\]|^\.+$/.test(named)) return pluginAt(resolve(folder, named));
  const folders = pluginFolders(folder, environment, platform);
  const plugin = findPlugin(named, folders);
  if (plugin === undefined) throw unknownPlugin(named, folders);
  const isFoundInProject = findPlugin(named, folders.slice(0, 1)) !== undefined;
  if (isFoundInProject && !isAgreedTo(plugin.folder, terminal)) throw untrusted(plugin, terminal);
  return plugin;
}

interface Subject {
  readonly name: string;
  readonly transcript: Transcript;
}

async function collectSubjects(args: Arguments, terminal: Terminal): Promise<readonly Subject[]> {
  const file = args.text("on");
  if (file !== undefined) {
    const own: Arguments = { ...args, text: (name) => (name === "file" ? file : undefined) };
    return [{ name: file, transcript: (await readInput(own, terminal)).transcript }];
  }
  const count = parseWhole(args.text("samples") ?? String(SAMPLES_DEFAULT), "--samples", SAMPLES_MAX);
  const seed = parseWhole(args.text("seed") ?? String(SEED_DEFAULT), "--seed", SEED_MAX);
  return sampleTranscripts(count, seed).map((transcript, at) => ({
    name: `sample ${at + 1} of seed ${seed}`,
    transcript,
  }));
}

async function checkedOn(plugin: Plugin, subjects: readonly Subject[], { err }: Terminal): Promise<CheckedPlugin> {
  const { name, version, folder } = plugin;
  const says = (text: string): void => void err.write(err.shown(text));
  const { host, close } = openPlugin(plugin, { says });
  const common = { name, version, folder, transcripts: subjects.length };
  try {
    const broken = await withProgress(err, async ({ stage }) => {
      for (const [at, subject] of subjects.entries()) {
        await stage(`transcript ${at + 1} of ${subjects.length}`, at / subjects.length);
        try {
          const data = { name: "check", transcript: subject.transcript } as const;
          await host.run({ data, deadlineMs: PLUGIN_LIMITS.checkMs });
        } catch (error) {
          if (!(error instanceof PluginFault)) throw error;
          const { kind, check: promise = null, detail, place = null } = error.data;
          return { fault: kind, promise, text: detail, on: subject.name, place };
        }
      }
      return null;
    });
    return { ...common, kept: broken === null, broken };
  } finally {
    await close();
  }
}

function unknownPlugin(name: string, folders: readonly string[]): PrecisError {
  return new PrecisError(`there is no plugin "${name}" in ${folders.join(" or ")}`, {
    code: "unknown_engine",
    hint: "`precis plugins` lists the plugins; it also takes the path of a folder.",
  });
}

function tell(args: Arguments, { out }: Terminal, data: unknown, page: string): Promise<void> {
  return args.is("json") ? writeJson({ out }, data) : out.say(page);
}

interface CheckedPlugin {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
  readonly transcripts: number;
  readonly kept: boolean;
  readonly broken: BrokenPromise | null;
}

interface BrokenPromise {
  readonly fault: FaultKind;
  readonly promise: CheckName | null;
  readonly text: string;
  readonly on: string;
  readonly place: string | null;
}

const NAME_COLUMNS = 10;

function pluginList({ engine, means, plugins, folders, builtIn }: FoundPlugins, terminal: Terminal): string {
  const { paint, columns } = terminal.out;
  const rows = plugins.map((one) => [
    one.inForce ? "→" : " ",
    one.name,
    visibleLine(one.version ?? "?"),
    visibleLine(shortPath(one.folder, terminal)),
  ]);
  const widths = columnWidths(rows);
  const lines = plugins.flatMap((one, at) => {
    const [mark = "", name = "", version = "", folder = ""] = rows[at]!.map((cell, of) => padEnd(cell, widths[of]!));
    const remark = noteOn(one);
    const drawn = `${paint("good", mark)} ${paint("accent", name)}  ${version}  ${paint("dim", folder)}`.trimEnd();
    return [drawn, ...(remark === "" ? [] : [`  ${paint("warn", clip(remark, columns - 2))}`])];
  });
  const none = `no plugin in ${folders.map((folder) => shortPath(folder, terminal)).join(" or ")}`;
  const says = { plugin: "a plugin", "built-in": "built in", nothing: "nothing there is" }[means];
  const named = `context.engine is ${engine}: ${means === "nothing" ? paint("bad", says) : says}`;
  const others = wrapped(`built in: ${builtIn.join(", ")}`, columns);
  return `${[...(lines.length === 0 ? wrapped(none, columns) : lines), "", named, ...others.map((line) => paint("dim", line))].join("\n")}\n`;
}

function noteOn({ name, problem, shadowed, trusted }: FoundPlugin): string {
  if (problem !== null) return problem;
  if (!trusted) return `not used before you trust its code: \`precis trust ${name} --yes\``;
  return shadowed ? "not used: another engine has the same name" : "";
}

function checkPage({ name, version, transcripts, broken }: CheckedPlugin, stream: Stream): string {
  const { paint } = stream;
  const title = `${paint("strong", name)} ${version}`;
  if (broken === null)
    return `${title}  ${paint("good", "keeps the contract")} on ${counted(transcripts, "transcript")}\n`;
  const { fault, promise, text, on, place } = broken;
  return `${title}  ${paint("bad", "breaks the contract")}\n${rowLines(
    [
      ["promise", promise ?? FAULTS[fault]],
      ["what", text],
      ["on", on],
      ...(place === null ? [] : [["at", place] as const]),
    ],
    stream,
  )}`;
}

function rowLines(rows: readonly (readonly [string, string])[], stream: Stream): string {
  return `${rows.flatMap(([name, says]) => namedLines(name, says, { left: NAME_COLUMNS }, stream)).join("\n")}\n`;
}
