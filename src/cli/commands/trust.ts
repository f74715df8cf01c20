/** `precis trust`: agreement to what the authors of a project wrote: the settings in its file, the code of its plugins. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { written } from "../../config/problems.ts";
import { projectFile, shortPath } from "../../config/load.ts";
import { pluginFolders } from "../../config/locate.ts";
import { distrust, trust } from "../../config/trust.ts";
import { PrecisError } from "../../core/errors.ts";
import { findPlugin, computeFingerprint, type Plugin } from "../../plugins/find.ts";
import { optional, positional, toggle, type Arguments, type Command } from "../program/command.ts";
import { EXIT, usageError, type ExitCode } from "../program/exit.ts";
import type { Terminal } from "../screen/terminal.ts";
import { visibleLine } from "../screen/text.ts";

export const trustCommand: Command = {
  name: "trust",
  summary: "Trust a project's settings that need your consent, or the code of a plugin in the project.",
  about: [
    "A project's file may set how much is compacted and when. Addresses, models, keys, plugins, files and tenants take effect only after you have trusted the file, because its author could have your requests sent to another server. Without --yes this command only shows those settings, as they are in the file; with it, it shows and trusts them.",
    "A plugin in a project is code by the project's authors, and is not used before you trust it by its name; one next to your own configuration needs no consent. A folder with links that lead out of it is refused; code that the plugin imports from elsewhere is not part of the hash. No code of the plugin is run.",
    "The path and the hash are stored in your own configuration folder. If a file changes, you have to trust it again.",
  ],
  examples: {
    "precis trust": "show what the project's file sets that needs your consent",
    "precis trust --yes": "trust it, after reading it",
    "precis trust keep-ends --yes": "a plugin, after reading its code",
    "precis trust keep-ends --forget": "no longer",
  },
  args: {
    what: optional(
      positional(
        "FILE|PLUGIN",
        "A file of settings, or the name of a plugin in the project; the project's file by default.",
      ),
    ),
    yes: toggle("Trust it instead of only showing it."),
    forget: toggle("Withdraw your trust."),
  },
  run: async (args, terminal) => {
    const what = args.text("what");
    const [project] = pluginFolders(terminal.folder, terminal.environment, terminal.platform);
    const isFile = what === undefined || existsSync(resolve(terminal.folder, what));
    const plugin = isFile ? undefined : findPlugin(what, [project]);
    const subject = plugin === undefined ? await fileToTrust(what, terminal) : pluginToTrust(plugin, terminal);
    return agree(subject, args, terminal);
  },
};

interface ToTrust {
  readonly path: string;
  readonly hash: () => string;
  /** What a person reads first. */
  readonly shows: string;
}

async function agree({ path, hash, shows }: ToTrust, args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const { out, err } = terminal;
  const shown = visibleLine(shortPath(path, terminal));
  if (args.is("forget")) {
    distrust(path, terminal);
    await out.say(`${shown} is no longer agreed to\n`);
    return EXIT.done;
  }
  const seen = hash();
  await out.say(shows);
  if (!args.is("yes")) {
    await out.say("nothing was agreed to: read it, then add --yes\n");
    return EXIT.done;
  }
  const noted = trust(path, seen, terminal);
  await out.say(`agreed to ${shown}\n`);
  await err.say(`noted in ${shortPath(noted, terminal)}\n`);
  return EXIT.done;
}

function pluginToTrust({ folder, entry, version, description }: Plugin, terminal: Terminal): ToTrust {
  const lines = [
    `${shortPath(folder, terminal)} is code that runs with your rights:`,
    `  ${shortPath(entry, terminal)}, version ${version}${description === "" ? "" : ` (${description})`}`,
  ];
  return {
    path: folder,
    hash: () => computeFingerprint(folder),
    shows: lines.map((line) => `${visibleLine(line)}\n`).join(""),
  };
}

async function fileToTrust(file: string | undefined, terminal: Terminal): Promise<ToTrust> {
  const found = await projectFile({ ...terminal, file }).catch((error: Error) => {
    throw error instanceof PrecisError
      ? error
      : usageError(error.message, "Name a file of settings, or a plugin that `precis plugins` lists.");
  });
  if (found === undefined) throw usageError("there is no project's file here", "Name one, or change into the project.");
  const { path, hash, refused } = found;
  const lines = refused.map(
    ({ path: setting, value, place }) => `  ${visibleLine(`${setting}: ${written(value)}  (${place})`)}\n`,
  );
  const sets = lines.length === 0 ? "sets nothing that needs your consent" : "sets";
  return { path, hash: () => hash, shows: `${visibleLine(shortPath(path, terminal))} ${sets}\n${lines.join("")}` };
}
