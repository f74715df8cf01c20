/** `precis config …`: writes a commented file, shows what follows from the settings, prints their schema. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { projectFile, resolveAll, shortPath, type Loaded } from "../../config/load.ts";
import { userFile } from "../../config/locate.ts";
import { distrust, trust as agreeTo } from "../../config/trust.ts";
import { written } from "../../config/bad-value.ts";
import { visibleLine } from "../visible.ts";
import { PrecisError } from "../../core/errors.ts";
import type { Command, CommandGroup } from "../command.ts";
import { EXIT, usageError } from "../exit.ts";
import { writeOutput } from "../files.ts";
import { CONFIG_FLAGS, configurationRequest, ENGINE_FLAGS } from "../settings-flags.ts";

const init: Command = {
  name: "config init",
  summary: "Write a configuration file with every setting explained.",
  about: [
    "Writes precis.yaml in the current folder, each setting commented out at its default. Refuses to replace a file.",
  ],
  examples: [
    { line: "precis config init", says: "for this project" },
    { line: "precis config init --user", says: "settings for all of your projects" },
  ],
  args: {
    user: { type: "boolean", description: "Write your own file instead of the project's." },
    force: { type: "boolean", description: "Replace a file that exists." },
  },
  run: async (args, terminal) => {
    const user = args.is("user");
    const path = user ? userFile(terminal.environment, terminal.platform) : join(terminal.folder, "precis.yaml");
    const shown = shortPath(path, terminal);
    if (existsSync(path) && !args.is("force"))
      throw usageError(`${shown} exists`, "Edit it, or replace it with `--force`.");
    const { configurationTemplate } = await import("../../config/template.ts");
    await writeOutput(terminal, path, configurationTemplate());
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
  examples: [
    { line: "precis config check", says: "the settings that apply in this folder" },
    { line: "precis config check --context-length 64k --set compression.threshold=0.7", says: "what would hold" },
  ],
  args: { ...CONFIG_FLAGS, ...ENGINE_FLAGS, json: { type: "boolean", description: "Print JSON." } },
  run: async (args, terminal) => {
    const loaded = await resolveAll({ ...configurationRequest(args, terminal), leaveOut: undefined });
    if (args.is("json")) await terminal.out.write(`${JSON.stringify(await asJson(loaded), null, 2)}\n`);
    else if (loaded.problems.length === 0) {
      const { configurationPage } = await import("../config-page.ts");
      await terminal.out.say(configurationPage(loaded, terminal));
    }
    if (loaded.problems.length === 0) return EXIT.done;
    const { configurationError } = await import("../../config/problems.ts");
    throw configurationError(loaded.problems);
  },
};

async function asJson({ configuration, provenance, files, problems }: Loaded): Promise<object> {
  const [{ computedValues, warningsOf }, { SETTINGS, valueAt }] = await Promise.all([
    import("../../config/computed.ts"),
    import("../../config/settings.ts"),
  ]);
  const settings = SETTINGS.map(({ path }) => [path, { value: valueAt(configuration, path), ...provenance.get(path) }]);
  const computed = computedValues(configuration).map(({ name, ...rest }) => [name, rest]);
  return {
    files: files.map(({ path, kind }) => ({ path, kind })),
    settings: Object.fromEntries(settings) as object,
    computed: Object.fromEntries(computed) as object,
    warnings: warningsOf(configuration),
    errors: problems,
  };
}

const schema: Command = {
  name: "config schema",
  summary: "Print the JSON Schema of the configuration file, for editors.",
  about: [
    "Put the output beside your project and name it in the first line of precis.yaml: `# yaml-language-server: $schema=./precis.schema.json`.",
  ],
  examples: [{ line: "precis config schema > precis.schema.json", says: "completion and checks while you type" }],
  args: {},
  run: async (_, terminal) => {
    const { jsonSchema } = await import("../../config/json-schema.ts");
    await terminal.out.write(`${JSON.stringify(jsonSchema(), null, 2)}\n`);
    return EXIT.done;
  },
};

const trust: Command = {
  name: "config trust",
  summary: "Trust the settings of a project's file that need your consent.",
  about: [
    "A project's file may set how much is compacted and when. Addresses, models, keys, plugins, files and tenants take effect only after you have trusted the file, because its author could have your requests sent to another server. This command shows those settings and stores the file's path and hash in your own configuration folder. If the file changes, you have to trust it again.",
  ],
  examples: [
    { line: "precis config trust", says: "trust the project's file after reading it" },
    { line: "precis config trust --forget", says: "no longer" },
  ],
  args: {
    file: {
      type: "positional",
      required: false,
      valueHint: "FILE",
      description: "The file; the project's by default.",
    },
    forget: { type: "boolean", description: "Withdraw your trust." },
  },
  run: async (args, { out, ...terminal }) => {
    const found = await projectFile({ ...terminal, file: args.text("file") }).catch((error: Error) => {
      throw error instanceof PrecisError ? error : usageError(error.message, "Name a file of settings.");
    });
    if (found === undefined)
      throw usageError("there is no project's file here", "Name one, or change into the project.");
    const { path, hash, refused } = found;
    const shown = shortPath(path, terminal);
    if (args.is("forget")) {
      distrust(path, terminal);
      await out.say(`${shown} is no longer agreed to\n`);
      return EXIT.done;
    }
    const lines = refused.map(
      ({ path: setting, value, place }) => `  ${visibleLine(`${setting}: ${written(value)}  (${place})`)}\n`,
    );
    const what = lines.length === 0 ? "sets nothing that needs your consent" : "sets";
    await out.say(`${visibleLine(shown)} ${what}\n${lines.join("")}`);
    const noted = agreeTo(path, hash, terminal);
    await out.say(`agreed to ${visibleLine(shown)}\n`);
    await terminal.err.say(`noted in ${shortPath(noted, terminal)}\n`);
    return EXIT.done;
  },
};

export const configCommands: CommandGroup = {
  name: "config",
  summary: "Settings: write a file, check it, trust a project's file, print the schema.",
  commands: [init, check, trust, schema],
};
