/**
 * What a command line does, read as a shell reads it: quotes, here-documents and separators first, words after that. It says
 * whether a command only looks, checks the work, commits, and which files it deletes or writes.
 */

export type CommandPurpose = "show" | "check" | "commit" | "other";

/** One simple command of a line. */
export interface Step {
  /** The program and its arguments, without quotes, redirections and assignments in front. */
  readonly words: readonly string[];
  /** As it was typed. */
  readonly text: string;
  /** Files that redirections write. */
  readonly writes: readonly string[];
}

export interface CommandFacts {
  readonly purpose: CommandPurpose;
  /** What it does, without what only shows something: two lines with the same text do the same. */
  readonly deed: string;
  /** The first words of that: two runs of one family do the same to different things. */
  readonly family: string;
  readonly deletes: readonly string[];
  readonly writes: readonly string[];
  /** Words that may name what it shows: neither options nor what it looks for. */
  readonly shows: readonly string[];
  /** The folder that it changes to first. */
  readonly folder?: string;
}

const COMMAND_CHARS_MAX = 4_000;
const STEPS_MAX = 40;
const FAMILY_WORDS = 2;
const CHECK_WORDS_MAX = 4;

/** Programs that only show something: what they print says nothing about how the work is going. */
const SHOWS = new Set(
  "cat head tail less more grep egrep rg ag ls dir find fd tree wc echo printf pwd which type file stat du df env printenv date whoami sort uniq cut awk jq column diff cmp nl od xxd hexdump strings history man ps open goto scroll_down scroll_up search_dir search_file find_file sleep true cd export test [ gc".split(
    " ",
  ),
);
/** What PowerShell calls a command says what it does; those verbs read, choose and print (https://learn.microsoft.com/powershell/scripting/developer/cmdlet/approved-verbs-for-windows-powershell-commands). */
const CMDLET_SHOWS =
  /^\(*(?:(?:Get|Select|Where|Sort|Group|Measure|Format|Compare|Test|Find|Search|Show|ConvertTo|ConvertFrom|Write|Join|Split|Resolve)-[A-Z]|Out-(?:String|Host|Null|Default)\b)/;
/** `$name = …` of PowerShell: what is behind it is the command. */
const VARIABLE = /^\(*\$\w+$/;
const GIT_SHOWS = new Set(
  "log show diff status blame grep ls-files ls-tree rev-parse reflog remote describe cat-file merge-base rev-list fetch config shortlog for-each-ref".split(
    " ",
  ),
);
/** Runs whose output is a verdict, by the words that say what is run. */
const CHECKS =
  /(?:^|[\s:_-])(?:tests?|pytest|unittest|jest|vitest|mocha|tox|nox|ctest|rspec|phpunit|check|lint|clippy|eslint|oxlint|biome|tsc|tsgo|mypy|pyright|ruff|flake8|build|compile|vet|make|typecheck|verify)(?=$|[\s:_-])/i;
/** Programs that take such words as names of things. */
const TAKES_NAMES = new Set(
  "git gh mkdir touch cp mv rm ln sed tee kill pkill chmod chown tar zip unzip curl wget ssh scp docker kubectl open code psql mysql sqlite3".split(
    " ",
  ),
);
/** Shells that run the command line given to them, and how it is handed over. */
const SHELLS = /(?:^|[\\/])(?:ba|z|da|k)?sh$|(?:^|[\\/])(?:pwsh|powershell|cmd)(?:\.exe)?$/i;
const HANDS_OVER = /^(?:-\w*c|-command|\/c)$/i;
const IN_FRONT = new Set(["sudo", "time", "timeout", "env", "nohup", "nice"]);
const RUNNERS = new Set("npm pnpm yarn bun mise make just task poetry uv npx cargo go".split(" "));
const ASSIGNMENT = /^\w+=/;

/** Reads a command line; more than its first 4,000 characters is not command but text. */
export function commandFacts(command: string): CommandFacts {
  const steps = stepsOf(command);
  const doing = steps.filter((step) => !shows(step));
  const folder = folderOf(steps);
  const deletes = steps.flatMap(deletedBy);
  const writes = steps.flatMap(writtenBy);
  const meant = doing.length > 0 ? doing : steps;
  return {
    purpose: purposeOf(steps, doing, deletes.length + writes.length > 0),
    deed: [folder ?? "", ...meant.map(({ words }) => words.join(" "))].join("\n"),
    family: familyOf(meant[0]),
    deletes,
    writes,
    shows: steps.flatMap(shownBy),
    ...(folder === undefined ? {} : { folder }),
  };
}

function purposeOf(steps: readonly Step[], doing: readonly Step[], changes: boolean): CommandPurpose {
  if (steps.some(({ words }) => words[0] === "git" && words.includes("commit"))) return "commit";
  if (doing.some(checks)) return "check";
  return doing.length === 0 && !changes ? "show" : "other";
}

function checks({ words }: Step): boolean {
  const [program = "", ...rest] = words.slice(0, CHECK_WORDS_MAX);
  if (TAKES_NAMES.has(program)) return false;
  const said = rest.map((word) => word.replace(/^--?/, "")).filter((word) => /^[\w:-]+$/.test(word));
  return CHECKS.test([...endsOf(baseName(program)), ...said].join(" "));
}

/** The words that a name begins and ends with, which say what it does: `run_tests.sh`; what stands between them is what it does that to. */
function endsOf(name: string): readonly string[] {
  const words = name.replace(/\.\w+$/, "").split(/[:_-]/);
  return [words[0]!, words.at(-1)!];
}

function shows({ words }: Step): boolean {
  const [program = "", ...rest] = words;
  if (VARIABLE.test(program)) return rest[0] !== "=" || isShown(rest[1] ?? "") || VARIABLE.test(rest[1] ?? "");
  if (program === "git") {
    const verb = rest.find((word) => !word.startsWith("-") && !word.includes("/")) ?? "";
    return (GIT_SHOWS.has(verb) && !setsConfig(rest)) || (verb === "branch" && rest.length === 1);
  }
  if (program === "sed") return rest.some((word) => /^-\w*n/.test(word)) && !rest.some((word) => /^-\w*i/.test(word));
  return isShown(program);
}

/** `git config user.name "A B"`: a key with its value. */
function setsConfig(words: readonly string[]): boolean {
  return (
    words[0] === "config" && pathsIn(words.slice(1)).length > 1 && !words.some((word) => /^--(?:get|list)/.test(word))
  );
}

function isShown(program: string): boolean {
  return SHOWS.has(program.toLowerCase()) || CMDLET_SHOWS.test(program);
}

function familyOf(step: Step | undefined): string {
  const words = step?.words ?? [];
  const named = RUNNERS.has(words[0] ?? "") && words[1] === "run" ? FAMILY_WORDS + 1 : FAMILY_WORDS;
  return words.slice(0, named).join(" ");
}

function folderOf(steps: readonly Step[]): string | undefined {
  const [first] = steps;
  if (first?.words[0] !== "cd") return undefined;
  return first.words.slice(1).find((word) => word !== "/d" && word !== "--");
}

/** Programs whose first word is what they look for, or do, unless an option says it. */
const TAKES_PATTERN = new Set("grep egrep fgrep rg ag ack sed awk jq select-string".split(" "));
const PATTERN_OPTION = /^-\w*[ef]$|^--(?:regexp|file|expression)$/;
/** Programs whose words are no files. */
const TAKES_TEXT = new Set(
  "echo printf pwd which type env printenv date whoami history ps sleep true cd export find fd".split(" "),
);

/** What an option such as `-A` takes. */
const NUMBER = /^\d+$/;

function shownBy(step: Step): readonly string[] {
  const [program = "", ...rest] = step.words;
  if (!shows(step) || TAKES_TEXT.has(program) || (program === "git" && rest[0] === "config")) return [];
  const takesPattern = TAKES_PATTERN.has(program) || (program === "git" && rest[0] === "grep");
  const given = rest.filter((_, at) => !PATTERN_OPTION.test(rest[at - 1] ?? ""));
  const named = pathsIn(program === "git" ? given.slice(1) : given);
  return takesPattern && given.length === rest.length ? named.filter((word) => !NUMBER.test(word)).slice(1) : named;
}

function deletedBy({ words }: Step): readonly string[] {
  const at = words[0] === "git" ? 1 : 0;
  const paths = pathsIn(words.slice(at + 1));
  if (words[at] === "mv") return paths.slice(0, -1);
  return words[at] === "rm" || words[at] === "del" ? paths : [];
}

function writtenBy({ words, writes }: Step): readonly string[] {
  const [program = "", ...rest] = words[0] === "git" ? words.slice(1) : words;
  if (program === "mv") return [...writes, ...pathsIn(rest).slice(-1)];
  const inPlace = program === "sed" && rest.some((word) => /^-\w*i/.test(word));
  const edited = inPlace ? pathsIn(rest).slice(-1) : program === "tee" ? pathsIn(rest) : [];
  return [...writes, ...edited];
}

function pathsIn(words: readonly string[]): readonly string[] {
  return words.filter((word) => !word.startsWith("-") && word !== "" && word !== "/dev/null");
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

interface Reader {
  readonly steps: Step[];
  words: string[];
  writes: string[];
  word: string;
  /** Whether a word has begun, which may be empty between quotes. */
  open: boolean;
  /** Set after `>`: the next word is a file that is written; after `<`, one that is read. */
  target: "" | "write" | "read";
  from: number;
  /** Marks that end here-documents announced on this line. */
  readonly pending: string[];
}

/** The simple commands of a line, in order; a shell that is given a line of its own is read as that line. */
function stepsOf(given: string): readonly Step[] {
  const steps = simpleSteps(given);
  return steps.flatMap((step) => {
    const at = SHELLS.test(step.words[0] ?? "") ? step.words.findIndex((word) => HANDS_OVER.test(word)) : -1;
    return at < 0 ? step : simpleSteps(step.words.slice(at + 1).join(" "));
  });
}

function simpleSteps(given: string): readonly Step[] {
  const command = given.slice(0, COMMAND_CHARS_MAX);
  const reader: Reader = {
    steps: [],
    words: [],
    writes: [],
    word: "",
    open: false,
    target: "",
    from: 0,
    pending: [],
  };
  let at = 0;
  while (at < command.length && reader.steps.length < STEPS_MAX) at = readAt(reader, command, at);
  endStep(reader, command, command.length);
  return reader.steps;
}

/** Reads what begins at a place; returns the place after it. */
function readAt(reader: Reader, command: string, at: number): number {
  const char = command[at]!;
  if (char === "\\" && !UNESCAPED.test(command[at + 1] ?? "")) return add(reader, command[at + 1] ?? "", at + 2);
  if (char === "'" || char === '"') return readQuoted(reader, command, at);
  if (char === "\n") {
    endStep(reader, command, at);
    return afterDocuments(reader, command, at + 1);
  }
  if (char === ";" || char === "|" || (char === "&" && command[at + 1] !== ">" && command[at - 1] !== ">")) {
    endStep(reader, command, at);
    reader.from = at + 1;
    return at + 1;
  }
  if (char === "#" && !reader.open) {
    const end = command.indexOf("\n", at);
    return end < 0 ? command.length : end;
  }
  if (char === "<" || char === ">") return readRedirection(reader, command, at);
  if (char === " " || char === "\t") {
    endWord(reader);
    return at + 1;
  }
  return add(reader, char, at + 1);
}

/** Nobody escapes what means nothing to a shell: behind a backslash it is the name of a file or folder on Windows. */
const UNESCAPED = /[\p{L}\p{N}_.]/u;

function add(reader: Reader, text: string, next: number): number {
  reader.word += text;
  reader.open = true;
  return next;
}

function readQuoted(reader: Reader, command: string, at: number): number {
  const quote = command[at]!;
  let end = at + 1;
  let text = "";
  while (end < command.length && command[end] !== quote) {
    if (quote === '"' && command[end] === "\\" && ESCAPED.test(command[end + 1] ?? "")) end++;
    text += command[end] ?? "";
    end++;
  }
  return add(reader, text, end + 1);
}

/** Within double quotes, a backslash before anything else is one: `"C:\\work"`. */
const ESCAPED = /["\\$`\n]/;
const HERE_DOCUMENT = /^<<-?[ \t]*["']?([A-Za-z_]\w*)["']?/;

function readRedirection(reader: Reader, command: string, at: number): number {
  const document = HERE_DOCUMENT.exec(command.slice(at, at + 80));
  if (document !== null && command[at - 1] !== "<") {
    reader.pending.push(document[1]!);
    endWord(reader);
    return at + document[0].length;
  }
  // The number in front names a stream: `2> log`.
  if (/^\d?$|^&$/.test(reader.word)) [reader.word, reader.open] = ["", false];
  endWord(reader);
  let next = at + 1;
  while (command[next] === ">" || command[next] === "<" || command[next] === "|") next++;
  if (command[next] === "&") {
    while (/[&\d-]/.test(command[next] ?? "")) next++;
    return next;
  }
  reader.target = command[at] === ">" ? "write" : "read";
  return next;
}

/** Past the bodies of here-documents, which are text. */
function afterDocuments(reader: Reader, command: string, from: number): number {
  let at = from;
  for (const mark of reader.pending.splice(0)) {
    const end = command.indexOf(`\n${mark}`, at - 1);
    at = end < 0 ? command.length : end + 1 + mark.length;
  }
  reader.from = at;
  return at;
}

function endWord(reader: Reader): void {
  if (!reader.open) return;
  const { word, target } = reader;
  if (target === "write" && word !== "/dev/null" && !word.startsWith("&")) reader.writes.push(word);
  else if (target === "") reader.words.push(word);
  [reader.word, reader.open, reader.target] = ["", false, ""];
}

function endStep(reader: Reader, command: string, until: number): void {
  endWord(reader);
  const first = reader.words.findIndex((word, at) => !ASSIGNMENT.test(word) && !isInFront(reader.words, at));
  const words =
    first < 0 ? [] : reader.words.slice(first).map((word, at) => (at === 0 ? word.replace(/^\(+/, "") : word));
  const text = command.slice(reader.from, until).trim();
  if (words.length > 0 || reader.writes.length > 0) reader.steps.push({ words, text, writes: reader.writes });
  [reader.words, reader.writes, reader.target, reader.from] = [[], [], "", until + 1];
}

/** `sudo`, `timeout 60`: what runs the program that follows. */
function isInFront(words: readonly string[], at: number): boolean {
  return IN_FRONT.has(words[at]!) || (/^\d+[smh]?$/.test(words[at]!) && IN_FRONT.has(words[at - 1] ?? ""));
}
