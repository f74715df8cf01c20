/** A terminal that a program runs in, typed into and read from: tmux, on a socket of its own. */
import { execFileSync, spawnSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";

const WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 150;
const COLUMNS = 110;
const ROWS = 34;

export interface Screen {
  /** As it is seen now, without what has scrolled away. */
  readonly text: () => string;
  /** Waits until the screen is as wanted, and answers with the whole of it. @throws where that does not come in time. */
  readonly shown: (wanted: RegExp | ((text: string) => boolean)) => Promise<string>;
  readonly type: (line: string) => void;
  readonly close: () => void;
}

export interface Program {
  readonly words: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

export function hasTerminal(): boolean {
  return spawnSync("tmux", ["-V"]).status === 0;
}

/** Runs the program with nothing of this machine's environment but what is given. */
export function openScreen({ words, folder, environment }: Program): Screen {
  const socket = `precis-e2e-${process.pid}`;
  const tmux = (...given: string[]): string => execFileSync("tmux", ["-L", socket, ...given], { encoding: "utf8" });
  const variables = Object.entries({ TERM: "screen-256color", ...environment }).map(
    ([name, value]) => `${name}=${value}`,
  );
  const size = ["-x", String(COLUMNS), "-y", String(ROWS)];
  tmux("-f", "/dev/null", "new-session", "-d", "-s", "one", ...size, "-c", folder, "env", "-i", ...variables, ...words);
  const text = (): string => tmux("capture-pane", "-p", "-t", "one");
  return {
    text,
    shown: async (wanted) => {
      const deadlineMs = performance.now() + WITHIN_MS;
      for (;;) {
        const now = text();
        if (typeof wanted === "function" ? wanted(now) : wanted.test(now)) return now;
        if (performance.now() > deadlineMs) throw new Error(`not on the screen: ${String(wanted)}\n${now}`);
        await pause(LOOK_EVERY_MS);
      }
    },
    type: (line) => {
      tmux("send-keys", "-t", "one", "-l", line);
      tmux("send-keys", "-t", "one", "Enter");
    },
    close: () => void spawnSync("tmux", ["-L", socket, "kill-server"]),
  };
}
