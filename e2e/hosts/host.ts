/** What has to be known of an agent to run it with precis inside: how precis is put there, and how its model asks for what was removed. */
import { join } from "node:path";
import type { AnswerCall } from "../../src/provider/index.ts";
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
  /** The call with which its model looks for words in what was removed; undefined where it has no such tool. */
  readonly recall: (words: string) => Omit<AnswerCall, "id"> | undefined;
}

/** The built package, as it is installed. */
export const DIST = join(import.meta.dirname, "../../dist");
