/** What a command or a file name leads one to expect. */
import { programsOf, type Program } from "./programs.ts";

export type Hint = "test-run" | "build" | "diff" | "search-hits" | "listing" | "log" | "source" | "table" | "text";

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
export function commandHint(command: string): Hint | undefined {
  const hints = programsOf(command)
    .filter((program) => !program.piped)
    .map(hintOf)
    .filter((hint) => hint !== undefined);
  return hints.find((hint) => hint === "test-run") ?? hints.find((hint) => hint === "build") ?? hints.at(-1);
}

function hintOf(program: Program): Hint | undefined {
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

export function fileHint(path: string): Hint | undefined {
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
