/** `precis config …`: writes a commented file or its schema, and shows what follows from the settings. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { resolveAll, shortPath, type Loaded } from "../../config/load.ts";
import { userFile } from "../../config/locate.ts";
import { toggle, type Command, type CommandGroup, JSON_ARG, writeJson } from "../program/command.ts";
import { configurationError, written } from "../../config/problems.ts";
import { EXIT, usageError } from "../program/exit.ts";
import { writeOutput } from "../files/write.ts";
import { CONFIG_FLAGS, configurationRequest, ENGINE_FLAGS } from "../settings/flags.ts";
import { findParent, SECTIONS, SETTINGS, valueAt, jsonSchema } from "../../config/settings.ts";
import { wrapped, columnWidths, padEnd, padStart, track } from "../screen/text.ts";
import { computedValues, findWarnings, type ComputedValue, type Warning } from "../../config/computed.ts";
import { count } from "../screen/amounts.ts";
import { withRowNote } from "../screen/table.ts";
import type { Stream, Terminal } from "../screen/terminal.ts";

const init: Command = {
  name: "config init",
  summary: "Write a configuration file with every setting explained.",
  about: [
    "Writes precis.yaml in the current folder, each setting commented out at its default. Refuses to replace a file.",
    "--schema prints the JSON Schema of the file for editors. Put it beside your project and name it in the first line of precis.yaml: `# yaml-language-server: $schema=./precis.schema.json`.",
  ],
  examples: {
    "precis config init": "for this project",
    "precis config init --user": "settings for all of your projects",
    "precis config init --schema > precis.schema.json": "completion and checks while you type",
  },
  args: {
    user: toggle("Write your own file instead of the project's."),
    force: toggle("Replace a file that exists."),
    schema: toggle("Print the JSON Schema instead, and write nothing."),
  },
  run: async (args, terminal) => {
    if (args.is("schema")) {
      await writeJson(terminal, jsonSchema());
      return EXIT.done;
    }
    const user = args.is("user");
    const path = user ? userFile(terminal.environment, terminal.platform) : join(terminal.folder, "precis.yaml");
    const shown = shortPath(path, terminal);
    if (existsSync(path) && !args.is("force"))
      throw usageError(`${shown} exists`, "Edit it, or replace it with `--force`.");
    await writeOutput(terminal, path, configurationTemplate(), { isOwnSettings: user });
    await terminal.err.say(`wrote ${shown}; \`precis config check\` shows what follows from it\n`);
    return EXIT.done;
  },
};

const check: Command = {
  name: "config check",
  summary: "Show the settings in force, the values computed from them, and warnings about extreme ones.",
  about: [
    "Prints the computed values (window, threshold, tail, ceiling, handoff, safety net), how they depend on each other, and where each setting comes from. Warnings do not fail the command; errors exit with 2.",
  ],
  examples: {
    "precis config check": "the settings that apply in this folder",
    "precis config check --context-length 64k --set compression.threshold=0.7": "what would hold",
  },
  args: { ...CONFIG_FLAGS, ...ENGINE_FLAGS, ...JSON_ARG },
  run: async (args, terminal) => {
    const loaded = await resolveAll({ ...configurationRequest(args, terminal), leaveOut: undefined });
    if (args.is("json")) await writeJson(terminal, asJson(loaded));
    else if (loaded.problems.length === 0) await terminal.out.say(configurationPage(loaded, terminal));
    if (loaded.problems.length === 0) return EXIT.done;
    throw configurationError(loaded.problems);
  },
};

function asJson({ configuration, provenance, files, problems }: Loaded): object {
  const settings = SETTINGS.map(({ path }) => [path, { value: valueAt(configuration, path), ...provenance.get(path) }]);
  const computed = computedValues(configuration).map(({ name, ...rest }) => [name, rest]);
  return {
    files: files.map(({ path, kind }) => ({ path, kind })),
    settings: Object.fromEntries(settings) as object,
    computed: Object.fromEntries(computed) as object,
    warnings: findWarnings(configuration),
    errors: problems,
  };
}

export const configCommands: CommandGroup = {
  name: "config",
  summary: "Settings: write a file, and check it.",
  commands: [init, check],
};

const COMMENT_COLUMNS = 96;

export function configurationTemplate(): string {
  const lines = [
    "# Settings of precis. Every line below is the default: remove the # to change one.",
    "# `precis config check` shows the values computed from them.",
  ];
  for (const { path, description } of SECTIONS) {
    const depth = path.split(".").length - 1;
    const indent = "  ".repeat(depth);
    if (depth === 0) lines.push("");
    lines.push(`${indent}# ${description}`, `${indent}${path.slice(path.lastIndexOf(".") + 1)}:`);
    for (const setting of SETTINGS)
      if (findParent(setting.path) === path) for (const each of settingLines(setting, `${indent}  `)) lines.push(each);
  }
  for (const setting of SETTINGS)
    if (findParent(setting.path) === "") for (const each of ["", ...settingLines(setting, "")]) lines.push(each);
  return `${lines.join("\n")}\n`;
}

function settingLines(setting: (typeof SETTINGS)[number], indent: string): readonly string[] {
  const key = setting.path.slice(setting.path.lastIndexOf(".") + 1);
  const text = `${setting.description} Takes ${setting.expects}.`;
  return [
    ...wrapped(text, COMMENT_COLUMNS).map((line) => `${indent}# ${line}`),
    `${indent}# ${key}: ${written(setting.default)}`,
  ];
}

function barColumns({ columns }: Stream): number {
  if (columns < 60) return 0;
  return columns >= 96 ? 28 : 12;
}

const NAMES: Readonly<Record<string, string>> = {
  ceiling: "tail, at most",
  summary_max: "handoff, at most",
  summary_min: "handoff, at least",
};

function makeLabel({ name }: ComputedValue): string {
  return NAMES[name] ?? name.replaceAll("_", " ");
}

const TITLE = "precis configuration";

function configurationPage(loaded: Loaded, terminal: Terminal): string {
  const { out } = terminal;
  const files = loaded.files.map(({ path }) => shortPath(path, terminal));
  const from = files.length === 0 ? "no file: defaults, environment and flags" : files.join(", ");
  const warnings = findWarnings(loaded.configuration);
  return [
    ...withRowNote({ line: out.paint("strong", TITLE), width: TITLE.length, says: from, look: "dim" }, out),
    "",
    ...figures(loaded, out),
    "",
    ...settingRows(loaded, out),
    ...(warnings.length === 0 ? [] : ["", ...warnings.flatMap((warning) => warned(warning, out))]),
    "",
  ].join("\n");
}

function figures({ configuration }: Loaded, stream: Stream): readonly string[] {
  const { paint } = stream;
  const values = computedValues(configuration).toSorted((one, other) => other.tokens - one.tokens);
  const largest = values.reduce((most, { tokens }) => Math.max(most, tokens), 0);
  const [names = 0, numbers = 0] = columnWidths(values.map((value) => [makeLabel(value), count(value.tokens)]));
  const bars = barColumns(stream);
  return values.flatMap((value) => {
    const { tokens, meaning } = value;
    const drawn = bars === 0 ? "" : `  ${paint("accent", track(tokens / largest, bars))}`;
    const figure = padStart(count(tokens), numbers);
    const line = `  ${padEnd(makeLabel(value), names)}  ${paint("strong", figure)}${drawn}`;
    const width = 2 + names + 2 + numbers + (bars === 0 ? 0 : 2 + bars);
    return withRowNote({ line, width, says: meaning, look: "dim" }, stream);
  });
}

/** What fills the window right after a compaction, up to the next one. Only the default engine shares it out by figures. */
function settingRows({ configuration, provenance }: Loaded, stream: Stream): readonly string[] {
  const { paint, columns } = stream;
  const rows = SETTINGS.map(({ path }) => [path, written(valueAt(configuration, path)), provenance.get(path)!.place]);
  const [paths = 0, values = 0] = columnWidths(rows);
  const narrow =
    2 + paths + 2 + values + 2 + rows.reduce((most, [, , place = ""]) => Math.max(most, place.length), 0) > columns;
  return rows.flatMap(([path = "", value = "", place = ""]) => {
    const own = place !== "default";
    const look = own ? "strong" : "dim";
    if (narrow)
      return [`  ${path}`, ...wrapped(`${value}  (${place})`, columns - 4).map((one) => `    ${paint(look, one)}`)];
    return `  ${padEnd(path, paths)}  ${paint(look, padEnd(value, values))}  ${paint("dim", place)}`;
  });
}

function warned({ path, message, fix, note }: Warning, { paint, columns }: Stream): readonly string[] {
  const lines = wrapped(`${path}: ${message}`, columns - 4);
  const next = wrapped(fix, columns - 8).map((line, at) => `  ${paint("dim", at === 0 ? "next" : "    ")}  ${line}`);
  const mark = note === true ? paint("dim", "· ") : paint("warn", "! ");
  return [...lines.map((line, at) => `${at === 0 ? mark : "  "}${line}`), ...next];
}
