/** What a tool result is: by what was asked for (what a command or a file name leads one to expect), confirmed by a sample of its lines. */
import type { CallSummary } from "./call.ts";
import { sampleOf, signsOf, type Signs } from "./kind-signs.ts";

export type ResultKind =
  | "test-run"
  | "build"
  | "log"
  | "table"
  | "json"
  | "source"
  | "diff"
  | "search-hits"
  | "listing"
  | "web-page"
  | "stack-trace"
  | "text"
  | "binary";

/** What a database is asked, whatever the tool is called that asks it. */
const SQL = /^\s*(?:select|with|show|describe|explain|pragma|values)\s/i;

/** Looks at a sample of lines only: the cost does not grow with the text. */
export function kindOf(text: string, call: CallSummary): ResultKind {
  const signs = signsOf(sampleOf(text));
  if (signs.binary) return "binary";
  if (signs.json) return signs.jsonLog ? "log" : "json";
  if (call.values.some((value) => SQL.test(value)) && signs.table) return "table";
  switch (call.action) {
    case "read":
      return kindOfFile(signs, call);
    case "run":
      return kindOfRun(signs, call);
    case "search":
      return signs.hits || !signs.paths ? searched(signs) : "listing";
    case "list":
      return signs.hits ? "search-hits" : "listing";
    case "fetch":
      return signs.markup || signs.links || !signs.table ? "web-page" : "table";
    case "write":
    case "edit":
      return signs.diff ? "diff" : "text";
    default:
      return kindOfContent(signs);
  }
}

function searched(signs: Signs): ResultKind {
  if (signs.hits) return "search-hits";
  return signs.links || signs.markup ? "web-page" : signs.source || signs.numbered ? "search-hits" : "text";
}

function kindOfFile(signs: Signs, call: CallSummary): ResultKind {
  const hint = fileHint(call.paths[0] ?? "");
  if (hint === "text" && signs.table) return "table";
  if (hint !== undefined) return hint === "log" && !signs.log ? "text" : hint;
  if (signs.diff) return "diff";
  if (signs.log) return "log";
  if (signs.source) return "source";
  return signs.table ? "table" : signs.paths ? "listing" : "text";
}

function kindOfRun(signs: Signs, call: CallSummary): ResultKind {
  const hint = commandHint(call.command ?? "");
  if (signs.testRun && (hint === "test-run" || hint === undefined || hint === "build")) return "test-run";
  if (signs.trace && hint !== "source") return "stack-trace";
  return confirmed(hint, signs) ?? kindOfContent(signs);
}

/** A hint holds unless the lines speak against it. */
function confirmed(hint: Hint | undefined, signs: Signs): ResultKind | undefined {
  switch (hint) {
    case "diff":
      return signs.diff ? "diff" : undefined;
    case "search-hits":
      return signs.hits ? "search-hits" : signs.paths ? "listing" : signs.source ? "search-hits" : undefined;
    case "log":
      return signs.log ? "log" : undefined;
    case "test-run":
      return signs.errors ? "build" : undefined;
    case "table":
      return signs.table ? "table" : undefined;
    case "text":
      return signs.table ? "table" : "text";
    case "build":
    case "source":
    case "listing":
      return hint;
    default:
      return undefined;
  }
}

function kindOfContent(signs: Signs): ResultKind {
  if (signs.diff) return "diff";
  if (signs.testRun) return "test-run";
  if (signs.trace) return "stack-trace";
  if (signs.log) return "log";
  if (signs.errors) return "build";
  if (signs.hits) return "search-hits";
  if (signs.markup) return "web-page";
  if (signs.table) return "table";
  if (signs.source) return "source";
  if (signs.paths) return "listing";
  return signs.links ? "web-page" : "text";
}

type Hint = "test-run" | "build" | "diff" | "search-hits" | "listing" | "log" | "source" | "table" | "text";

const PROGRAMS: readonly (readonly [hint: Hint, names: string])[] = [
  [
    "test-run",
    "pytest py.test jest vitest mocha ava tap rspec phpunit ctest tox nox unittest playwright cypress karma gotestsum nextest minitest",
  ],
  [
    "build",
    "tsc tsgo vue-tsc make gmake cmake ninja gcc g++ cc clang clang++ rustc javac kotlinc scalac swiftc eslint oxlint biome ruff mypy pyright flake8 pylint golangci-lint staticcheck clippy webpack esbuild rollup msbuild xcodebuild docker-compose",
  ],
  ["search-hits", "grep egrep fgrep rg ag ack git-grep"],
  ["listing", "ls find fd tree exa eza du"],
  ["log", "journalctl dmesg"],
  ["source", "cat sed bat nl awk head tail less more"],
  ["table", "psql sqlite3 mysql duckdb docker kubectl ps df top"],
];
const HINT_OF_PROGRAM = new Map(
  PROGRAMS.flatMap(([hint, names]) => names.split(" ").map((name): [string, Hint] => [name, hint])),
);

/** Programs whose first words say which task they run. */
const TASK_RUNNERS = new Set(
  "pip pip3 npm pnpm yarn bun deno node go cargo make gmake just task mise gradle gradlew mvn mvnw dotnet swift rake composer nx turbo bazel lerna python python3 manage.py uv poetry sh bash zig mix stack cabal".split(
    " ",
  ),
);
const TEST_TASK = /^(?:--)?(?:tests?|pytest|vitest|jest|mocha|nextest|e2e|spec|specs)(?:[:.\-_]|$)/i;
const BUILD_TASK =
  /^(?:build|compile|lint|check|typecheck|type-check|types|vet|clippy|package|verify|assemble|install|ci|fmt|tsc|tidy)(?:[:.\-_]|$)/i;
const TASK_WORDS = 4;

/** The kind of output a command line is likely to have. A test run weighs more than whatever else it runs. */
function commandHint(command: string): Hint | undefined {
  const hints = parsePrograms(command)
    .map(inferHint)
    .filter((hint) => hint !== undefined);
  return hints.find((hint) => hint === "test-run") ?? hints.find((hint) => hint === "build") ?? hints.at(-1);
}

function inferHint(program: Program): Hint | undefined {
  const { name, words } = program;
  if (name === "git") return gitHint(words);
  if (TASK_RUNNERS.has(name)) {
    const tasks = words.slice(0, TASK_WORDS).filter((word) => !word.includes("/"));
    if (tasks.some((word) => TEST_TASK.test(word))) return "test-run";
    if (tasks.some((word) => BUILD_TASK.test(word))) return "build";
  }
  const hint = HINT_OF_PROGRAM.get(name);
  return hint === "source" ? sourceHint(words) : hint;
}

function gitHint(words: readonly string[]): Hint | undefined {
  switch (words.find((word) => !word.startsWith("-") && !word.includes("/"))) {
    case "diff":
    case "show":
      return words.some((word) => /^--(?:stat|name-only|name-status|shortstat)$/.test(word)) ? "listing" : "diff";
    case "log":
    case "reflog":
    case "blame":
      return words.some((word) => word === "-p" || word === "--patch") ? "diff" : "text";
    case "grep":
      return "search-hits";
    case "ls-files":
    case "ls-tree":
    case "branch":
    case "tag":
      return "listing";
    default:
      return "text";
  }
}

/** `cat`, `sed -n` and their like print a file: its name says what it holds. */
function sourceHint(words: readonly string[]): Hint | undefined {
  const file = words.findLast((word) => !word.startsWith("-") && /\.\w+$|\/\w+$/.test(word));
  return file === undefined ? undefined : (fileHint(file) ?? "text");
}

const CODE = new Set(
  "ts tsx js jsx mjs cjs mts cts py pyi go rs java kt kts scala c h cc cpp cxx hpp hh m mm cs fs swift rb php pl pm lua r jl ex exs erl hs ml mli clj cljs dart zig nim v vue svelte astro sh bash zsh fish ps1 sql proto graphql gql tf hcl css scss sass less cmake gradle groovy sol asm s vb pas".split(
    " ",
  ),
);
const PROSE = new Set("md mdx markdown txt rst adoc org tex".split(" "));

function fileHint(path: string): Hint | undefined {
  const name = path
    .slice(path.lastIndexOf("/") + 1)
    .replace(/(?<!["')])["')]+$/, "")
    .toLowerCase();
  const extension = name.slice(name.lastIndexOf(".") + 1);
  if (CODE.has(extension) || /^(?:makefile|dockerfile|rakefile|gemfile|justfile|cmakelists\.txt)$/.test(name))
    return "source";
  if (PROSE.has(extension)) return "text";
  if (extension === "csv" || extension === "tsv") return "table";
  if (extension === "log" || name === "log") return "log";
  return extension === "diff" || extension === "patch" ? "diff" : undefined;
}

interface Program {
  readonly name: string;
  /** Its words after the name, options included, without redirections. */
  readonly words: readonly string[];
}

const COMMAND_CHARS_MAX = 4_000;
const PROGRAMS_READ_MAX = 40;
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

const QUOTED = /"(?:\\[^]|[^"\\])*(?:"|\\?$)|'[^']*(?:'|$)/g;

/** The first program of each pipeline of a command line, in order, folder changes left out. What is quoted separates nothing. */
function parsePrograms(command: string): readonly Program[] {
  const line = command.slice(0, COMMAND_CHARS_MAX).replace(QUOTED, (text) => text.replace(/[|;&\n]/g, " "));
  return line
    .split(/&&|\|\||[;\n]/)
    .slice(0, PROGRAMS_READ_MAX)
    .flatMap((pipeline) => programIn(pipeline.split("|", 1)[0]!) ?? [])
    .filter(({ name }) => name !== "cd");
}

function programIn(segment: string): Program | undefined {
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
    return { name, words: words.slice(at + 1) };
  }
  return undefined;
}
