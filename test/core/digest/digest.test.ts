import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeCall } from "../../../src/core/digest/call.ts";
import { withoutColour } from "../../../src/core/digest/cut.ts";
import { digestResult, isDigest, type Digest } from "../../../src/core/digest/digest.ts";
import { kindOf, type ResultKind } from "../../../src/core/digest/kind.ts";
import { createMeasure } from "../../../src/core/transcript/measure.ts";
import { callOf, outputs, type Output } from "./outputs.ts";

const tokens = createMeasure().text;
const RECALL = "r0123456ab";
const FOCUS = ["retry", "cache", "unheard-of"];

function digest(
  output: Output,
  options: { readonly triggerTokens?: number; readonly targetTokens?: number; readonly focus?: readonly string[] } = {},
): Digest | undefined {
  return digestResult({
    text: output.text,
    call: callOf(output),
    focus: FOCUS,
    recall: RECALL,
    tokens,
    triggerTokens: 0,
    ...options,
  });
}

const bash = (command: string, text: string): Output => ({ tool: "Bash", args: JSON.stringify({ command }), text });
const lines = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join("\n");
const written = (output: Output, focus: readonly string[] = []): string => digest(output, { focus })!.text;

describe("every digest", () => {
  test("is shorter than what it replaces, in tokens and in characters, and fits twice the target", () => {
    fc.assert(
      fc.property(outputs, fc.constantFrom(80, 150, 400), (output, targetTokens) => {
        const result = digest(output, { targetTokens });
        if (result === undefined) return;
        expect(result.text.length).toBeLessThan(output.text.length);
        expect(tokens(result.text)).toBeLessThan(tokens(output.text));
        expect(tokens(result.text)).toBeLessThanOrEqual(2 * targetTokens + 10);
      }),
    );
  });

  test("names the tool, counts what it leaves out, shows the recall id, and is recognised as a digest", () => {
    fc.assert(
      fc.property(outputs, (output) => {
        const result = digest(output);
        if (result === undefined) return;
        const first = result.text.split("\n", 1)[0]!;
        expect(first).toContain(`[digest: ${output.tool}`);
        expect(first).toMatch(/left out/);
        expect(first).toContain(`recall ${RECALL}`);
        expect(result.leftOut).toBeLessThanOrEqual(result.lines);
        expect(isDigest(result.text)).toBe(true);
        expect(digest({ ...output, text: result.text })).toBeUndefined();
      }),
    );
  });

  test("is the same every time", () => {
    fc.assert(fc.property(outputs, (output) => void expect(digest(output)).toEqual(digest(output))));
  });

  test("tears no surrogate pair that was whole", () => {
    const output = bash(
      "cat emoji",
      lines(40, () => "😀".repeat(300)),
    );
    expect(written(output).isWellFormed()).toBe(true);
  });

  test("keeps original lines word for word", () => {
    fc.assert(
      fc.property(outputs, (output) => {
        const result = digest(output);
        if (result === undefined || result.kind === "json") return;
        // Colours are the one thing that a kept line loses.
        const known = new Set(output.text.split("\n").map((line) => withoutColour(line).trimEnd()));
        const kept = result.text
          .split("\n")
          .slice(1)
          .filter((line) => !/^(?:\(|…$)| \[×\d+\]$| …\[[\d,]+ more characters\]$/.test(line));
        for (const line of kept) {
          const bare = line.replace(/^\d+: /, "");
          const stands =
            known.has(line) ||
            known.has(bare) ||
            [...known].some((one) => one.endsWith(line) || one.startsWith(line.replace(/:$/, "")));
          expect(stands, `${result.kind}: ${line}`).toBe(true);
        }
      }),
    );
  });

  test("leaves results up to the trigger alone", () => {
    const output = bash(
      "cat a",
      lines(20, (at) => `line ${at} of a short text`),
    );
    expect(tokens(output.text)).toBeLessThan(500);
    expect(
      digestResult({ text: output.text, call: callOf(output), focus: [], recall: RECALL, tokens }),
    ).toBeUndefined();
  });
});

describe("the short form of", () => {
  test("a test run has its status, its counts, every failing name and why it failed", () => {
    const failing = lines(
      3,
      (at) => `FAILED tests/test_cart.py::test_total_${at} - AssertionError: assert ${at} == 90`,
    );
    const passing = lines(200, (at) => `tests/test_cart.py::test_ok_${at} PASSED`);
    const text = written(
      bash("pytest -v", `Exit code 1\n${passing}\n${failing}\n=== 3 failed, 200 passed in 1.20s ===`),
    );
    expect(text).toMatch(/exit 1 · 3 failed, 200 passed · test run/);
    for (let at = 0; at < 3; at++) expect(text).toContain(`test_total_${at} - AssertionError: assert ${at} == 90`);
    expect(text).toContain("3 failed, 200 passed in 1.20s");
  });

  test("a test run with forty failures names all of them", () => {
    const failing = lines(
      40,
      (at) => `--- FAIL: TestShop${at} (0.00s)\n    shop_test.go:${at + 10}: got ${at}, want 0`,
    );
    const text = written(bash("go test ./...", `${failing}\nFAIL\nexit status 1\nFAIL\texample.org/shop\t0.1s`));
    for (let at = 0; at < 40; at++) expect(text).toMatch(new RegExp(`TestShop${at}\\b`));
    expect(text).toContain("want 0");
    expect(text).toContain("exit 1");
  });

  test("go test -v gives the reason of a failure, which stands in front of its name", () => {
    const log = lines(60, (at) => `    shop_test.go:${at}: phase ${at} done`);
    const text = written(
      bash(
        "go test -v",
        `=== RUN   TestShop\n${log}\n    shop_test.go:99: count should be 0, got 1\n    shop_test.go:100: phase ended\n--- FAIL: TestShop (0.10s)\nFAIL`,
      ),
    );
    expect(text).toContain("count should be 0, got 1");
  });

  test("a build has each distinct error at its first place, and says how often it came", () => {
    const errors = lines(
      60,
      (at) => `src/f${at}.ts(${at},1): error TS2304: Cannot find name '${at % 2 === 0 ? "alpha" : "beta"}'.`,
    );
    const text = written(bash("npx tsc", errors));
    expect(text).toContain("60 errors (2 distinct)");
    expect(text).toContain("src/f0.ts(0,1): error TS2304: Cannot find name 'alpha'. [×30]");
    expect(text).toContain("src/f1.ts(1,1): error TS2304: Cannot find name 'beta'. [×30]");
  });

  test("eslint and rustc errors keep the place that stands on another line", () => {
    const eslint = lines(30, (at) => `/app/src/f${at}.ts\n  3:7  error  'x${at}' is never used  no-unused-vars\n`);
    expect(written(bash("npx eslint .", eslint))).toMatch(/\/app\/src\/f0\.ts\n {2}3:7 {2}error {2}'x0' is never used/);
    const rust = lines(
      30,
      (at) => `error[E0308]: mismatched types in f${at}\n  --> src/f${at}.rs:3:5\n   |\n3  |     let a: u32 = "";\n`,
    );
    expect(written(bash("cargo build", rust))).toMatch(
      /error\[E0308\]: mismatched types in f0\n {2}--> src\/f0\.rs:3:5/,
    );
  });

  test("a log has levels, span, distinct errors with their number, and a DEBUG line the task is about", () => {
    const noise = (at: number): string =>
      `2026-03-01T10:${10 + Math.floor(at / 60)}:${String(at % 60).padStart(2, "0")}Z INFO request ${at} served`;
    const text = lines(400, (at) =>
      at === 333
        ? "2026-03-01T10:15:33Z DEBUG profiler: flushPages took 9134 ms"
        : at % 40 === 7
          ? `2026-03-01T10:11:00Z ERROR pool ${at} exhausted`
          : noise(at),
    );
    const short = written(bash("cat server.log", text), ["profiler"]);
    expect(short).toMatch(/10:10:00Z to 2026-03-01T10:16:39Z/);
    expect(short).toMatch(/INFO 389, ERROR 10, DEBUG 1/);
    expect(short).toContain("flushPages took 9134 ms");
    expect(short).toContain("ERROR pool 7 exhausted [×10]");
  });

  test("a table has header, count, extremes and a sample", () => {
    const text = `id,name,price\n${lines(300, (at) => `${at},item${at},${at === 177 ? 99999 : (at % 50) + 1}`)}`;
    const short = written({ tool: "Read", args: '{"file_path":"items.csv"}', text });
    expect(short).toContain("300 rows · 3 columns · table");
    expect(short).toContain("price 1 to 99999");
    expect(short).toContain("177,item177,99999");
    expect(short).toMatch(/\nid,name,price\n0,item0,1\n/);
  });

  test("JSON has its shape, keys, counts, and the values that tell items apart", () => {
    const flights = Array.from({ length: 30 }, (_, at) => ({
      flight: `HAT${at}`,
      price: 100 + at,
      seats: { economy: at, business: 2 },
    }));
    const short = written({ tool: "search_flights", args: "{}", text: JSON.stringify(flights) });
    expect(short).toMatch(/30 items · json/);
    expect(short).toMatch(
      /30 × \{flight: "HAT0", "HAT1".*… 30 distinct; price: 100 to 129; seats: \{economy, business\}/,
    );
  });

  test("source has its signatures with their line numbers", () => {
    const body = lines(200, (at) =>
      at % 20 === 0 ? `export function step${at}(input: string): number {` : `  total += input.charCodeAt(${at});`,
    );
    const short = written({ tool: "Read", args: '{"file_path":"src/steps.ts","offset":100}', text: body });
    expect(short).toContain("Read src/steps.ts from line 100 · 10 definitions · source");
    expect(short).toContain("100: export function step0(input: string): number {");
    expect(short).toContain("240: export function step140(input: string): number {");
    expect(short).toContain("(also defines step160:260, step180:280)");
  });

  test("a diff has its files with their counts, and hunk headers", () => {
    const file = (name: string): string =>
      `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -1,3 +1,43 @@ class Cart {\n-  old();\n${lines(40, (at) => `+  step${at}();`)}`;
    const short = written(bash("git diff", `${file("src/a.ts")}\n${file("src/b.ts")}`));
    expect(short).toContain("2 files · +80 −2 · diff");
    expect(short).toContain("(src/a.ts +40 −1; src/b.ts +40 −1)");
    expect(short).toContain("@@ -1,3 +1,43 @@ class Cart {");
  });

  test("search hits are counted by file, and every file has its turn", () => {
    const hits = ["src/a.ts", "src/b.ts", "src/c.ts"]
      .map((file) => lines(30, (at) => `${file}:${at + 1}:const value${at} = retry(${at});`))
      .join("\n");
    const short = written({ tool: "Grep", args: '{"pattern":"retry"}', text: hits });
    expect(short).toContain("90 hits in 3 files");
    for (const file of ["a", "b", "c"])
      expect(short).toMatch(new RegExp(`src/${file}\\.ts:\\n1:const value0 = retry\\(0\\);`));
  });

  test("context lines around hits give way to the hits", () => {
    const hits = lines(
      20,
      (at) =>
        `src/a.ts-${at * 10 + 9}-before\nsrc/a.ts:${at * 10 + 10}:hit number ${at} of them\nsrc/a.ts-${at * 10 + 11}-after\n--`,
    );
    const short = written({ tool: "Grep", args: '{"pattern":"hit"}', text: hits });
    expect(short).toContain("10:hit number 0 of them");
    expect(short).not.toContain("before");
  });

  test("a listing has counts by type and folder, and a sample from each folder", () => {
    const short = written({
      tool: "Glob",
      args: '{"pattern":"**/*"}',
      text: lines(300, (at) => `/repo/src/part${at % 3}/file${at}.${at % 2 ? "ts" : "md"}`),
    });
    expect(short).toContain("300 entries · .md 150, .ts 150");
    expect(short).toContain("part0/ 100");
    expect(short).toContain("\n/repo/src/:\npart0/file0.md\npart1/file1.ts\npart2/file2.md");
  });

  test("a stack trace has the exception, its message, and the frames in one's own code", () => {
    const foreign = lines(40, (at) => `    at Layer.handle (/app/node_modules/express/lib/layer${at}.js:95:5)`);
    const short = written(
      bash(
        "node app.js",
        `TypeError: Cannot read properties of undefined (reading 'id')\n    at loadCart (/app/src/cart.js:41:17)\n${foreign}`,
      ),
    );
    expect(short).toContain("TypeError: Cannot read properties of undefined (reading 'id')");
    expect(short).toContain("at loadCart (/app/src/cart.js:41:17)");
  });

  test("a Python traceback keeps the innermost own frame and its source line", () => {
    const frames = lines(
      30,
      (at) => `  File "/usr/lib/python3/site-packages/x${at}.py", line ${at}, in call\n    return fn()`,
    );
    const short = written(
      bash(
        "python run.py",
        `Traceback (most recent call last):\n${frames}\n  File "/app/cart.py", line 12, in total\n    return self.rows[0]\nIndexError: list index out of range`,
      ),
    );
    expect(short).toContain(
      '  File "/app/cart.py", line 12, in total\n    return self.rows[0]\nIndexError: list index out of range',
    );
  });

  test("a web page has its title, headings, number of links, and what the call asked for", () => {
    const page = `<title>Cache guide</title>\n# Cache guide\n${lines(200, (at) => (at === 150 ? "The eviction interval is 45 seconds unless configured." : `[Link ${at}](https://example.org/${at}) more to read here`))}`;
    const short = written({
      tool: "WebFetch",
      args: '{"url":"https://example.org","prompt":"What is the eviction interval?"}',
      text: page,
    });
    expect(short).toContain("Cache guide · 199 lines with links · web page");
    expect(short).toContain("The eviction interval is 45 seconds unless configured.");
  });

  test("plain text has its beginning, its end, and the lines the task is about", () => {
    const text = lines(300, (at) =>
      at === 200 ? "The quota for project Kestrel is 4,711 units." : `paragraph ${at} says very little about anything`,
    );
    const short = written(bash("./notes", text), ["kestrel"]);
    expect(short).toContain("paragraph 0 says");
    expect(short).toContain("paragraph 299 says");
    expect(short).toContain("The quota for project Kestrel is 4,711 units.");
  });

  test("bytes are their kind and size", () => {
    expect(
      written({ tool: "Read", args: '{"file_path":"a.png"}', text: `iVBORw0KGgo${"QUJDREVGR0hJ0a".repeat(400)}` }),
    ).toMatch(/PNG image · 5,611 characters · binary/);
  });

  test("a long line is cut visibly", () => {
    const text = lines(10, (at) => `entry ${at}: ${"lorem ipsum dolor ".repeat(60)}`);
    const short = written(bash("cat notes.md", text));
    expect(short.match(/…\[[\d,]+ more characters\]/g)!.length).toBeLessThanOrEqual(3);
    expect(tokens(short)).toBeLessThanOrEqual(155);
  });
});

describe("kindOf", () => {
  const call = (tool: string, args: unknown): ReturnType<typeof describeCall> =>
    describeCall(tool, JSON.stringify(args));
  test.each<[ResultKind, string, unknown, string]>([
    ["source", "Bash", { command: "sed -n '1,80p' src/a.ts" }, "import x from 'y';\nexport const a = 1;"],
    ["source", "Read", { file_path: "a.py" }, "     1→import os\n     2→def main():\n     3→    pass"],
    ["text", "Read", { file_path: "README.md" }, "# Title\n\nSome prose."],
    ["text", "Edit", { file_path: "a.ts" }, "The file a.ts has been updated."],
    ["json", "Bash", { command: "curl -s localhost" }, '{"a": [1, 2]}'],
    ["log", "Bash", { command: "cat app.log" }, lines(9, () => '{"level":"info","time":1700000000000,"msg":"x"}')],
    ["json", "Bash", { command: "cat data.jsonl" }, lines(9, (at) => `{"id":${at}}`)],
    ["listing", "Grep", { pattern: "x", output_mode: "files_with_matches" }, "src/a.ts\nsrc/b/c.ts\nsrc/d.ts"],
    [
      "listing",
      "Bash",
      { command: "ls -la" },
      "total 8\ndrwxr-xr-x  2 a b 64 Jan  1 10:00 .\n-rw-r--r--  1 a b 64 Jan  1 10:00 a.ts",
    ],
    [
      "diff",
      "Bash",
      { command: "git show HEAD" },
      "commit abc\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b",
    ],
    ["search-hits", "Bash", { command: "rg retry src" }, "src/a.ts:1:retry\nsrc/b.ts:2:retry"],
    ["search-hits", "Bash", { command: "cd x && grep -n retry a.ts | head" }, "1:retry\n22:retry"],
    [
      "test-run",
      "Bash",
      { command: "npm test 2>&1 | tail -20" },
      " Test Files  1 passed (1)\n      Tests  4 passed (4)",
    ],
    ["build", "Bash", { command: "make -j8" }, "cc -c a.c\na.c:3:5: error: 'x' undeclared\nmake: *** [a.o] Error 1"],
    ["table", "Bash", { command: "psql -c 'select 1'" }, " id | name \n----+------\n 1 | a\n 2 | b\n 3 | c"],
    [
      "table",
      "Bash",
      { command: "docker ps" },
      "CONTAINER ID   IMAGE    STATUS\nabc123         nginx    Up 2 hours\ndef456         redis    Up 3 hours",
    ],
    ["web-page", "WebFetch", { url: "https://x.org" }, "# Page\nSome text"],
    [
      "stack-trace",
      "Bash",
      { command: "python a.py" },
      'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nValueError: x',
    ],
    ["binary", "Bash", { command: "cat a.bin" }, "\u0000\u0001\u0002\u0003\ufffd\ufffd"],
    ["text", "Bash", { command: "git log --oneline" }, "abc1234 Add a thing\ndef5678 Fix a thing"],
  ])("%s: %s %j", (kind, tool, args, text) => expect(kindOf(text, call(tool, args))).toBe(kind));

  test("is never at a loss", () => {
    fc.assert(
      fc.property(
        fc.string(),
        outputs,
        (tool, output) => void kindOf(output.text, call(tool, { x: output.text.slice(0, 50) })),
      ),
    );
  });
});
