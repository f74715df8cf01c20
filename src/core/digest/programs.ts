/** Which programs a command line runs: enough to know what its output will look like. */

export interface Program {
  /** The program's own name, without its folder. */
  readonly name: string;
  /** Its words after the name, options included, without redirections. */
  readonly words: readonly string[];
  /** Whether it reads another program's output. */
  readonly piped: boolean;
}

const COMMAND_CHARS_MAX = 4_000;
const PROGRAMS_MAX = 40;
/** Programs that run the program named after them. */
const WRAPPERS = new Set(
  "sudo time timeout nice nohup env npx bunx pnpx uvx exec command xargs stdbuf unbuffer".split(" "),
);
/** Two words that together only name a runner. */
const RUNNERS = new Set([
  "uv run",
  "poetry run",
  "pipenv run",
  "bundle exec",
  "pnpm exec",
  "npm exec",
  "yarn exec",
  "python -m",
  "python3 -m",
  "hatch run",
  "rye run",
]);

/** The programs of a command line in order, folder changes left out. */
export function programsOf(command: string): readonly Program[] {
  const programs: Program[] = [];
  for (const { text, piped } of segmentsOf(command.slice(0, COMMAND_CHARS_MAX))) {
    const program = programIn(text, piped);
    if (program !== undefined && program.name !== "cd") programs.push(program);
    if (programs.length >= PROGRAMS_MAX) break;
  }
  return programs;
}

function* segmentsOf(command: string): Generator<{ readonly text: string; readonly piped: boolean }> {
  let quote = "";
  let start = 0;
  let piped = false;
  for (let at = 0; at <= command.length; at++) {
    const char = command[at];
    if (quote !== "") {
      if (char === "\\" && quote === '"') at++;
      else if (char === quote) quote = "";
    } else if (char === "'" || char === '"') quote = char;
    else if (
      char === undefined ||
      char === "\n" ||
      char === ";" ||
      char === "|" ||
      (char === "&" && command[at + 1] === "&")
    ) {
      yield { text: command.slice(start, at), piped };
      const twice = char === command[at + 1];
      piped = char === "|" && !twice;
      if (twice) at++;
      start = at + 1;
    }
  }
  if (start < command.length) yield { text: command.slice(start), piped };
}

function programIn(segment: string, piped: boolean): Program | undefined {
  const words = segment
    .trim()
    .split(/\s+/)
    .filter((word) => word !== "" && !/^\d?>>?(?:&\d)?/.test(word) && word !== "2>&1" && word !== "/dev/null");
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!.replace(/^[({$"']+/, "");
    const name = word.slice(word.lastIndexOf("/") + 1).toLowerCase();
    if (
      name === "" ||
      word.startsWith("#") ||
      /^\w+=/.test(word) ||
      (at > 0 && (word.startsWith("-") || /^\d+[smh]?$/.test(word))) ||
      WRAPPERS.has(name)
    )
      continue;
    if (RUNNERS.has(`${name} ${words[at + 1] ?? ""}`)) {
      at++;
      continue;
    }
    return { name, words: words.slice(at + 1), piped };
  }
  return undefined;
}
