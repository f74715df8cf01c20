/** `precis config …`: writes a commented file or its schema, and shows what follows from the settings. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { resolveAll, shortPath, type Loaded } from "../../config/load.ts";
import { userFile } from "../../config/locate.ts";
import type { Command, CommandGroup } from "../command.ts";
import { EXIT, usageError } from "../exit.ts";
import { writeOutput } from "../files.ts";
import { JSON_ARG, writeJson } from "../json-output.ts";
import { CONFIG_FLAGS, configurationRequest, ENGINE_FLAGS } from "../settings-flags.ts";

const init: Command = {
  name: "config init",
  summary: "Write a configuration file with every setting explained.",
  about: [
    "Writes precis.yaml in the current folder, each setting commented out at its default. Refuses to replace a file.",
    "--schema prints the JSON Schema of the file for editors. Put it beside your project and name it in the first line of precis.yaml: `# yaml-language-server: $schema=./precis.schema.json`.",
  ],
  examples: [
    { line: "precis config init", says: "for this project" },
    { line: "precis config init --user", says: "settings for all of your projects" },
    { line: "precis config init --schema > precis.schema.json", says: "completion and checks while you type" },
  ],
  args: {
    user: { type: "boolean", description: "Write your own file instead of the project's." },
    force: { type: "boolean", description: "Replace a file that exists." },
    schema: { type: "boolean", description: "Print the JSON Schema instead, and write nothing." },
  },
  run: async (args, terminal) => {
    if (args.is("schema")) {
      const { jsonSchema } = await import("../../config/json-schema.ts");
      await writeJson(terminal, jsonSchema());
      return EXIT.done;
    }
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
  args: { ...CONFIG_FLAGS, ...ENGINE_FLAGS, ...JSON_ARG },
  run: async (args, terminal) => {
    const loaded = await resolveAll({ ...configurationRequest(args, terminal), leaveOut: undefined });
    if (args.is("json")) await writeJson(terminal, await asJson(loaded));
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

export const configCommands: CommandGroup = {
  name: "config",
  summary: "Settings: write a file, and check it.",
  commands: [init, check],
};
