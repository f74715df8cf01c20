import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { outcomeOf, type Outcome } from "../../../src/core/digest/outcome.ts";

type Expected = Partial<Omit<Outcome, "errors">> & { readonly errors?: readonly [line: number, text: RegExp][] };

const RUNS: Readonly<Record<string, readonly [output: string, expected: Expected]>> = {
  pytest: [
    `tests/test_cart.py::test_total PASSED                                  [ 50%]
tests/test_cart.py::test_discount[10-90] FAILED                        [100%]

=================================== FAILURES ===================================
__________________________ test_discount[10-90] ___________________________
>       assert cart.total == 90
E       AssertionError: assert 100 == 90
tests/test_cart.py:14: AssertionError
=========================== short test summary info ============================
FAILED tests/test_cart.py::test_discount[10-90] - AssertionError: assert 100 == 90
========================= 1 failed, 1 passed in 0.12s ==========================`,
    { failing: ["tests/test_cart.py::test_discount[10-90]"], passed: 1, failed: 1, errors: [[7, /AssertionError/]] },
  ],
  "a compiler that names only the place": [
    "compiling 2: app\nsrc/app.ts:10:5: expected ';' before '}'\ndone",
    { errors: [[2, /^src\/app\.ts:10:5: expected/]] },
  ],
  oxlint: [
    "\n  x eslint(no-shadow): 'known' is declared in the upper scope.\n    ,-[src/a.ts:100:7]\n",
    { errors: [[2, /no-shadow/]] },
  ],
  "pytest collection": [
    "ERROR tests/test_a.py - ModuleNotFoundError: No module named 'x'\n=== 1 error in 0.10s ===",
    { failing: ["tests/test_a.py"], failed: 1, errors: [[1, /ModuleNotFoundError/]] },
  ],
  jest: [
    `FAIL src/cart.test.js
  Cart
    ✓ adds (2 ms)
    ✕ removes (3 ms)

  ● Cart › removes

    expect(received).toBe(expected)

Test Suites: 1 failed, 1 total
Tests:       1 failed, 1 passed, 2 total
Time:        0.5 s`,
    { failing: ["Cart › removes"], passed: 1, failed: 1 },
  ],
  vitest: [
    ` ❯ test/cart.test.ts (2 tests | 1 failed) 12ms
   × Cart > removes 5ms
     → expected 1 to be 2

 FAIL  test/cart.test.ts > Cart > removes
AssertionError: expected 1 to be 2 // Object.is equality
 Test Files  1 failed (1)
      Tests  1 failed | 1 passed (2)`,
    { failing: ["test/cart.test.ts > Cart > removes"], passed: 1, failed: 1, errors: [[6, /AssertionError/]] },
  ],
  "go test": [
    `=== RUN   TestA
--- PASS: TestA (0.00s)
=== RUN   TestB
    b_test.go:12: got 1, want 2
--- FAIL: TestB (0.00s)
    --- FAIL: TestB/case_one (0.00s)
FAIL
exit status 1
FAIL	example.org/b	0.004s`,
    { exit: 1, failing: ["TestB", "TestB/case_one"], passed: 1, failed: 2 },
  ],
  "go build": [
    "# example.org/b\n./b.go:12:3: undefined: foo\nb/c.go:9: syntax error\nFAIL	example.org/b [build failed]",
    {
      failing: ["example.org/b"],
      errors: [
        [2, /undefined: foo/],
        [3, /syntax error/],
      ],
    },
  ],
  cargo: [
    `test cart::tests::adds ... ok
test cart::tests::removes ... FAILED
thread 'cart::tests::removes' panicked at src/cart.rs:14:9:
assertion failed: left == right
test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s`,
    { failing: ["cart::tests::removes"], passed: 1, failed: 1, errors: [[3, /panicked at/]] },
  ],
  mocha: [
    "  Cart\n    ✓ adds\n    1) removes\n\n  1 passing (5ms)\n  1 failing\n\n  1) Cart\n       removes:\n     Error: nope",
    { failing: ["removes", "Cart"], passed: 1, failed: 1 },
  ],
  node: [
    "✔ adds (1.2ms)\n✖ removes (0.4ms)\nℹ tests 2\nℹ pass 1\nℹ fail 1\n✖ failing tests:\n✖ removes (0.4ms)",
    { failing: ["removes"], passed: 1, failed: 1 },
  ],
  tap: [
    "ok 1 - adds\nnot ok 2 - removes\n# tests 2\n# pass 1\n# fail 1",
    { failing: ["removes"], passed: 1, failed: 1 },
  ],
  unittest: [
    "FAIL: test_removes (test_cart.CartTest)\nRan 12 tests in 0.1s\nFAILED (failures=1, errors=1)",
    { failing: ["test_removes (test_cart.CartTest)"], passed: 10, failed: 2 },
  ],
  rspec: [
    "12 examples, 1 failure\n\nrspec ./spec/cart_spec.rb:12 # Cart removes",
    { failing: ["./spec/cart_spec.rb:12"], passed: 11, failed: 1 },
  ],
  maven: ["[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 1", { passed: 3, failed: 1 }],
  dotnet: [
    "  Failed Cart.Removes [10 ms]\nFailed!  - Failed:     1, Passed:     9, Skipped:     0, Total:    10",
    { failing: ["Cart.Removes"], passed: 9, failed: 1 },
  ],
  gradle: [
    "CartTest > removes() FAILED\n10 tests completed, 1 failed",
    { failing: ["CartTest > removes()"], passed: 9, failed: 1 },
  ],
  bun: ["(fail) cart > removes [0.10ms]\n 3 pass\n 1 fail", { failing: ["cart > removes"], passed: 3, failed: 1 }],
  ctest: [
    "50% tests passed, 1 tests failed out of 2\n\nThe following tests FAILED:\n\t  2 - removes (Failed)",
    { failing: ["removes"], failed: 1 },
  ],
  tsc: [
    "src/a.ts(1,2): error TS2304: Cannot find name 'x'.\nsrc/b.ts(9,9): error TS2304: Cannot find name 'x'.\nsrc/b.ts(10,1): error TS1005: ';' expected.",
    {
      failing: [],
      errors: [
        [1, /TS2304/],
        [3, /TS1005/],
      ],
    },
  ],
  eslint: [
    "/a/b.ts\n  3:7  error  'x' is assigned a value but never used  no-unused-vars\n\n✖ 1 problem (1 error, 0 warnings)",
    { failing: [], errors: [[2, /never used/]] },
  ],
  gcc: [
    "a.c:3:5: error: 'x' undeclared\na.c:3:5: note: each\nmake: *** [Makefile:2: a.o] Error 1",
    {
      errors: [
        [1, /undeclared/],
        [3, /make/],
      ],
    },
  ],
  log: [
    "2026-01-01T10:00:00Z ERROR db: connection refused\n2026-01-01T10:00:05Z ERROR db: connection refused",
    { errors: [[1, /connection refused/]] },
  ],
  shell: ["bash: foo: command not found", { errors: [[1, /command not found/]] }],
  "clean output": ["0 errors, 0 warnings\nBuild succeeded\nno errors found", { failing: [], errors: [] }],
  source: ["catch (error: unknown) {\n  // Error: not one\n  throw new Error(message);", { failing: [], errors: [] }],
};

describe("outcomeOf", () => {
  test.each(Object.entries(RUNS))("%s", (_, [output, { errors, ...expected }]) => {
    const outcome = outcomeOf(output);
    expect(outcome).toMatchObject(expected);
    if (errors === undefined) return;
    expect(outcome.errors.map(({ line }) => line)).toEqual(errors.map(([line]) => line));
    errors.forEach(([, text], at) => expect(outcome.errors[at]!.text).toMatch(text));
  });

  test.each([
    ["Exit code 1\nFAIL", 1],
    ["Command exited with code 2", 2],
    ["[Command finished with exit code 0]", 0],
    ["Chunk ID: x\nWall time: 1s\nProcess exited with code 7\nOutput:\nexit status 1", 7],
    ["Exit Code: 128", 128],
    ["exit status 1\nlater\nlater\nlater\nlater\nlater\nexit status 3", 1],
    ['{"output":"x","metadata":{"exit_code":4,"duration_seconds":0.1}}', 4],
    ["error Command failed with exit code 1.", 1],
    ["call process.exit(3) when done", undefined],
  ])("exit status of %j", (output, exit) => expect(outcomeOf(output).exit).toBe(exit));

  test("counts an error wherever it repeats, colours or not", () => {
    const [error] = outcomeOf("\u001b[31merror\u001b[0m: boom\nok\nerror: boom").errors;
    expect(error).toMatchObject({ line: 1, count: 2 });
  });

  test("every error is a line of the text, at its number", () => {
    const line = fc.oneof(
      fc.string(),
      fc.constantFrom("Error: a", "error: b", "ok", "FAILED x::y", "1) z", "Exit code 3", "✖ no"),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const text = lines.join("\n");
        const all = text.split("\n");
        for (const error of outcomeOf(text).errors) expect(all[error.line - 1]!.startsWith(error.text)).toBe(true);
      }),
    );
  });
});
