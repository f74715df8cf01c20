/** `precis trust`: agreement to what the authors of a project wrote: the settings in its file, the code of its plugins. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { written } from "../../config/problems.ts";
import { projectFile, shortPath } from "../../config/load.ts";
import { pluginFolders } from "../../config/locate.ts";
import { distrust, trust } from "../../config/trust.ts";
import { PrecisError } from "../../core/errors.ts";
import { findPlugin, computeFingerprint } from "../../plugins/find.ts";
import type { Command } from "../program/command.ts";
import { EXIT, usageError, type ExitCode } from "../program/exit.ts";
import type { Terminal } from "../screen/terminal.ts";
import { visibleLine } from "../screen/text.ts";

export const trustCommand: Command = {
  name: "trust",
  summary: "Trust a project's settings that need your consent, or the code of a plugin in the project.",
  about: [
    "A project's file may set how much is compacted and when. Addresses, models, keys, plugins, files and tenants take effect only after you have trusted the file, because its author could have your requests sent to another server. This command shows those settings before it trusts them.",
    "A plugin in a project is code by the project's authors, and is not used before you trust it by its name; one next to your own configuration needs no consent. A folder with links that lead out of it is refused; code that the plugin imports from elsewhere is not part of the hash. No code of the plugin is run.",
    "The path and the hash are stored in your own configuration folder. If a file changes, you have to trust it again.",
  ],
  examples: [
    { line: "precis trust", says: "trust the project's file after reading it" },
    { line: "precis trust keep-ends", says: "a plugin, after reading its code" },
    { line: "precis trust keep-ends --forget", says: "no longer" },
  ],
  args: {
    what: {
      type: "positional",
      required: false,
      valueHint: "FILE|PLUGIN",
      description: "A file of settings, or the name of a plugin in the project; the project's file by default.",
    },
    forget: { type: "boolean", description: "Withdraw your trust." },
  },
  run: async (args, terminal) => {
    const what = args.text("what");
    const [project] = pluginFolders(terminal.folder, terminal.environment, terminal.platform);
    const isFile = what === undefined || existsSync(resolve(terminal.folder, what));
    const plugin = isFile ? undefined : findPlugin(what, [project]);
    if (plugin === undefined) return trustFile(what, args.is("forget"), terminal);
    const shown = shortPath(plugin.folder, terminal);
    if (args.is("forget")) distrust(plugin.folder, terminal);
    else trust(plugin.folder, computeFingerprint(plugin.folder), terminal);
    const says = args.is("forget") ? `${shown} is no longer agreed to` : `agreed to the code in ${shown}`;
    await terminal.out.say(`${says}\n`);
    return EXIT.done;
  },
};

async function trustFile(file: string | undefined, forget: boolean, terminal: Terminal): Promise<ExitCode> {
  const { out, err } = terminal;
  const found = await projectFile({ ...terminal, file }).catch((error: Error) => {
    throw error instanceof PrecisError
      ? error
      : usageError(error.message, "Name a file of settings, or a plugin that `precis plugins` lists.");
  });
  if (found === undefined) throw usageError("there is no project's file here", "Name one, or change into the project.");
  const { path, hash, refused } = found;
  const shown = visibleLine(shortPath(path, terminal));
  if (forget) {
    distrust(path, terminal);
    await out.say(`${shown} is no longer agreed to\n`);
    return EXIT.done;
  }
  const lines = refused.map(
    ({ path: setting, value, place }) => `  ${visibleLine(`${setting}: ${written(value)}  (${place})`)}\n`,
  );
  await out.say(`${shown} ${lines.length === 0 ? "sets nothing that needs your consent" : "sets"}\n${lines.join("")}`);
  const noted = trust(path, hash, terminal);
  await out.say(`agreed to ${shown}\n`);
  await err.say(`noted in ${shortPath(noted, terminal)}\n`);
  return EXIT.done;
}
