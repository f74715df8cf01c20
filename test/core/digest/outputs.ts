/** Generated tool outputs of every kind a digest knows, with the call that could have printed them. */
import * as fc from "fast-check";
import { describeCall, type CallSummary } from "../../../src/core/digest/call.ts";
import { anyText } from "../../support/turns.ts";

export interface Output {
  readonly tool: string;
  readonly args: string;
  readonly text: string;
}

const word = fc.constantFrom(
  "cache",
  "request",
  "parser",
  "timeout",
  "index",
  "retry",
  "src/app.ts",
  "userId",
  "4711",
  "日志",
);
const sentence = fc.array(word, { minLength: 1, maxLength: 14 }).map((words) => words.join(" "));
const level = fc.constantFrom("DEBUG", "INFO", "INFO", "WARN", "ERROR");
const minute = fc.integer({ min: 10, max: 59 });

const line = {
  log: fc.tuple(minute, level, sentence).map(([at, name, text]) => `2026-03-01T10:${at}:00Z ${name} ${text}`),
  test: fc
    .tuple(fc.nat(99), fc.constantFrom("PASSED", "PASSED", "FAILED"))
    .map(([n, end]) => `tests/test_a.py::test_${n} ${end}`),
  go: fc.tuple(fc.nat(99), fc.constantFrom("PASS", "FAIL")).map(([n, end]) => `--- ${end}: TestCase${n} (0.00s)`),
  build: fc
    .tuple(fc.nat(20), fc.nat(99), sentence)
    .map(([file, at, text]) => `src/f${file}.ts(${at},3): error TS2304: Cannot find ${text}`),
  hit: fc.tuple(fc.nat(9), fc.nat(999), sentence).map(([file, at, text]) => `src/dir/f${file}.ts:${at}:  ${text}`),
  path: fc.tuple(fc.nat(9), fc.nat(99)).map(([folder, file]) => `./src/dir${folder}/file${file}.ts`),
  row: fc.tuple(fc.nat(99), fc.float({ noNaN: true }), word).map(([id, value, name]) => `${id},${value},${name},x`),
  source: fc.oneof(
    sentence.map((text) => `  // ${text}`),
    fc.nat(99).map((n) => `export function f${n}(a: string): void {`),
    fc.nat(99).map((n) => `  return call(${n});\n}`),
  ),
  diff: fc.oneof(
    fc.nat(5).map((n) => `diff --git a/f${n}.ts b/f${n}.ts\n--- a/f${n}.ts\n+++ b/f${n}.ts\n@@ -1,2 +1,3 @@ class A {`),
    sentence.map((text) => `+${text}`),
    sentence.map((text) => `-${text}`),
  ),
  frame: fc.tuple(fc.nat(20), fc.nat(99)).map(([file, at]) => `    at run (/app/src/f${file}.js:${at}:7)`),
  page: fc.oneof(
    sentence,
    sentence.map((text) => `## ${text}`),
    sentence.map((text) => `[${text}](https://example.org/a)`),
  ),
  any: fc.oneof(anyText, sentence),
};

function printed(
  tool: string,
  args: unknown,
  lines: fc.Arbitrary<string>,
  around: readonly [string, string] = ["", ""],
): fc.Arbitrary<Output> {
  const text = fc.array(lines, { minLength: 1, maxLength: 160 }).map((all) => around[0] + all.join("\n") + around[1]);
  return text.map((value) => ({ tool, args: JSON.stringify(args), text: value }));
}

/** Any output, small ones and odd ones among them. */
export const outputs: fc.Arbitrary<Output> = fc.oneof(
  printed("Bash", { command: "cat server.log" }, line.log),
  printed("Bash", { command: "pytest -v" }, line.test, ["", "\n=== 3 failed, 9 passed in 1.2s ==="]),
  printed("Bash", { command: "go test ./..." }, line.go, ["Exit code 1\n", "\nFAIL"]),
  printed("Bash", { command: "npx tsc" }, line.build),
  printed("Grep", { pattern: "retry", path: "src" }, line.hit),
  printed("Glob", { pattern: "**/*.ts" }, line.path),
  printed("Read", { file_path: "data.csv" }, line.row, ["id,value,name,flag\n", ""]),
  printed("Read", { file_path: "src/app.ts", offset: 20 }, line.source),
  printed("Bash", { command: "git diff" }, line.diff),
  printed("Bash", { command: "node app.js" }, line.frame, ["TypeError: x is not a function\n", ""]),
  printed("WebFetch", { url: "https://example.org", prompt: "how does the cache retry" }, line.page),
  printed("shell", { command: "x" }, line.any),
  fc.jsonValue({ maxDepth: 4 }).chain((value) =>
    fc.tuple(fc.constantFrom(undefined, 2), fc.integer({ min: 1, max: 60 })).map(([space, times]) => ({
      tool: "get_things",
      args: "{}",
      text: JSON.stringify(
        Array.from({ length: times }, () => value),
        null,
        space,
      ),
    })),
  ),
  fc
    .constantFrom("x", "=", " ", "\n", "QUJD", "[", '{"a":', "#", "|", "\u0000", "错误", "\ud83d")
    .chain((unit) =>
      fc
        .integer({ min: 1, max: 20_000 })
        .map((times) => ({ tool: "Bash", args: '{"command":"cat blob"}', text: unit.repeat(times) })),
    ),
);

export function callOf({ tool, args }: Output): CallSummary {
  return describeCall(tool, args);
}
