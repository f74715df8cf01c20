/** What has to be known of an agent to run it with precis inside: how precis is put there, and how its model asks for what was removed. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { AnswerCall, ScriptedRequest } from "../../provider/src/index.ts";
import type { Client, Place } from "../client.ts";

export interface Host {
  readonly name: string;
  readonly title: string;
  /** How it is installed, started and called. */
  readonly client: Client;
  /** The provider's window, which the agent knows. */
  readonly windowTokens: number;
  /** Settings by their path in the home, with precis in them or without it. */
  readonly files: (place: Place, inside: boolean) => Readonly<Record<string, string>>;
  /** What it is started with beside the client's own words. */
  readonly words?: (inside: boolean) => readonly string[];
  /** How `precis setup` puts precis into it, where it does. */
  readonly setup?: readonly string[];
  /** What has to be done and started before its first prompt, beyond writing these files. */
  readonly begin?: (place: Place, inside: boolean) => Promise<Begun | undefined>;
  /** It cannot go on with a session, and is asked everything at once. */
  readonly startsOnce?: true;
  /** The call with which its model looks for words in what was removed; undefined where it has no such tool. */
  readonly recall: (words: string, asked: ScriptedRequest) => Omit<AnswerCall, "id"> | undefined;
}

export interface Begun {
  /** Where the agent sends its requests; the provider's address unless something was put before it. */
  readonly base: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
  /** How often the agent's own compaction was held off, where something holds it off. */
  readonly heldOff?: () => Promise<number>;
}

/** The built package, as it is installed. */
export const DIST = join(import.meta.dirname, "../../dist");

/** The package as `npm pack` makes it, unpacked below a folder. */
export function unpackedPackage(folder: string): string {
  const name = execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], {
    cwd: join(DIST, ".."),
    encoding: "utf8",
  }).trim();
  execFileSync("tar", ["-xzf", join(folder, name), "-C", folder]);
  return join(folder, "package");
}
