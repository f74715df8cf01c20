/** What has to be known of a client to run it: where it comes from, how it is pointed at a gateway, how its tools are called. */
import type { Answer, ScriptedRequest } from "../provider/src/index.ts";
import type { ProtocolName } from "../src/core/protocols.ts";
import type { CallFor } from "./script.ts";
import type { Step } from "./task.ts";

/** Where everything is, for one run. */
export interface Place {
  /** The gateway's address, without `/v1`. */
  readonly base: string;
  /** A home of the run's own. */
  readonly home: string;
  readonly workspace: string;
  /** The folder that the client was installed into. */
  readonly installed: string;
}

export interface Client {
  readonly name: string;
  readonly title: string;
  /** From npm, or with `isPython` from PyPI. */
  readonly package: string;
  readonly isPython?: true;
  /** Packages of npm that it needs and does not name; npm alone looks for them for an hour. */
  readonly beside?: readonly string[];
  readonly version: string;
  readonly protocol: ProtocolName;
  readonly model: string;
  /** The provider's window; the client is told of a larger one, so that its own compaction does not come first. */
  readonly windowTokens: number;
  /** The program and what it is always given. */
  readonly program: (place: Place) => readonly string[];
  /** Settings, by their path in the home. */
  readonly files: (place: Place) => Readonly<Record<string, string>>;
  readonly environment: (place: Place) => Readonly<Record<string, string>>;
  /** The words that start it, with its first prompt or going on with the last session. */
  readonly words: (prompt: string, goesOn: boolean) => readonly string[];
  readonly callFor: CallFor;
  /** What it can do that the others cannot, done once in the first stage. */
  readonly own?: readonly Step[];
  /** It writes its first message again whenever it goes on, so that a resumed session is another conversation. */
  readonly resumesAnew?: true;
  /** What makes its own compaction come before the gateway's: other settings, or a prompt. */
  readonly compactsFirst: { readonly files?: Client["files"]; readonly prompt?: string };
  /** Answers what the client asks beside the task. */
  readonly aside: (asked: ScriptedRequest) => Answer;
  /** What its output says went wrong. */
  readonly complaints: (output: string) => readonly string[];
}

/** The objects of an output of JSON lines; other lines are left out. */
export function jsonLines(output: string): readonly Readonly<Record<string, unknown>>[] {
  return output.split("\n").flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return typeof value === "object" && value !== null ? [value as Record<string, unknown>] : [];
    } catch {
      return [];
    }
  });
}
