/** The person's side of this agent: lines that they type, questions for approval, and what the agent says and does. */
import { createInterface } from "node:readline";
import { clip } from "../../src/cli/bars.ts";
import { counted } from "../../src/cli/amounts.ts";
import type { Terminal } from "../../src/cli/terminal.ts";
import { visible } from "../../src/cli/visible.ts";
import type { Call } from "./calls.ts";
import type { TurnScreen } from "./loop.ts";

const RESULT_LINES_SHOWN = 4;

export interface ChatScreen extends Omit<TurnScreen, "usage"> {
  /** The next line that is typed; undefined at the end of the input. A fresh one on a terminal was not typed or pasted before. */
  readonly line: (prompt: string, how?: { readonly fresh?: boolean }) => Promise<string | undefined>;
  readonly say: (text: string) => void;
  /** Calls `stop` for Ctrl-C instead of ending the program; answers with a function that ends that. */
  readonly onInterrupt: (stop: () => void) => () => void;
  readonly close: () => void;
}

export interface ScreenOptions {
  /** Nothing is asked. */
  readonly approveAll: boolean;
}

export function createScreen({ out }: Pick<Terminal, "out">, { approveAll }: ScreenOptions): ChatScreen {
  const { line, write, say, ...typing } = createTyping();
  const always = new Set<string>();
  const approves = async (call: Call): Promise<boolean> => {
    if (approveAll || always.has(call.tool)) return true;
    const typedAnswer = await line(`  Allow it? [y]es, [a]lways ${call.tool}, [n]o: `, { fresh: true });
    const answer = typedAnswer?.trim().toLowerCase() ?? "n";
    if (answer.startsWith("a")) always.add(call.tool);
    return answer.startsWith("y") || answer.startsWith("a");
  };
  const result = (text: string): void => {
    const lines = text.split("\n");
    for (const one of lines.slice(0, RESULT_LINES_SHOWN)) say(out.paint("dim", `  ${clip(one, out.columns - 2)}`));
    if (lines.length > RESULT_LINES_SHOWN)
      say(out.paint("dim", `  … ${counted(lines.length - RESULT_LINES_SHOWN, "more line")}`));
  };
  return {
    ...typing,
    line,
    say,
    approves,
    result,
    text: (piece) => write(visible(piece)),
    call: (call) => say(out.paint("accent", `→ ${clip(`${call.tool} ${whatOf(call)}`, out.columns - 2)}`)),
  };
}

type Typing = Pick<ChatScreen, "line" | "say" | "onInterrupt" | "close"> & { readonly write: (text: string) => void };

/** Lines come when they are typed, and are kept until somebody asks for one. */
function createTyping(): Typing {
  const { stdin, stdout } = process;
  const input = createInterface({ input: stdin, output: stdout, terminal: stdin.isTTY === true });
  const typed: string[] = [];
  let waiting: ((line: string | undefined) => void) | undefined;
  let [ended, atLineStart] = [false, true];
  let interrupt: (() => void) | undefined;
  input.on("line", (line) => void (waiting === undefined ? typed.push(line) : waiting(line)));
  input.on("close", () => {
    ended = true;
    waiting?.(undefined);
  });
  input.on("SIGINT", () => (interrupt === undefined ? input.close() : interrupt()));
  const write = (text: string): void => {
    stdout.write(text);
    if (text !== "") atLineStart = text.endsWith("\n");
  };
  const line: Typing["line"] = async (prompt, { fresh = false } = {}) => {
    if (!atLineStart) write("\n");
    const known = fresh && stdin.isTTY ? undefined : typed.shift();
    if (known !== undefined || ended) return known;
    input.setPrompt(prompt);
    input.prompt();
    const answer = await new Promise<string | undefined>((done) => (waiting = done));
    waiting = undefined;
    atLineStart = true;
    return answer;
  };
  const onInterrupt: Typing["onInterrupt"] = (stop) => {
    interrupt = stop;
    return () => (interrupt = undefined);
  };
  const say = (text: string): void => write(`${atLineStart ? "" : "\n"}${text}\n`);
  return { line, write, say, onInterrupt, close: () => input.close() };
}

/** What a person has to know of a call before they allow it. */
function whatOf({ input }: Call): string {
  const { command, path, text } = input;
  const [first] = [command, path, text].filter((one) => typeof one === "string");
  return first ?? JSON.stringify(input);
}
