/** Claims that the ledger knows better: which are caught, and which sentences only sound like one. */
import { describe, expect, it } from "vitest";
import { createLedgerKeeper } from "../../../../src/core/ledger/ledger.ts";
import { contradictionIn } from "../../../../src/core/handoff/model/claims.ts";
import type { Topic } from "../../../../src/core/handoff/topics/topic.ts";
import { edits, reads, run, says, user } from "../../ledger/ledger-talk.ts";

const ledger = createLedgerKeeper().ledgerOf([
  user("Fix the cart."),
  ...reads("/shop/src/money.ts"),
  ...reads("/shop/src/api/index.ts"),
  ...edits("/shop/src/cart.ts"),
  ...edits("/shop/src/index.ts"),
  ...run("npm run lint", "3 problems\nExit code 1"),
  ...run("npm run lint", "0 problems"),
  ...run("npx tsc", ""),
  ...run("pytest tests", "FAILED tests/test_cart.py::test_rounding - assert 1 == 2\n1 failed, 9 passed in 0.1s"),
  says("One test is left."),
]);
const claim = (text: string, topic: Topic = "state"): string | undefined => contradictionIn(text, topic, ledger);

describe("a claim that the ledger contradicts", () => {
  it.each<readonly [string, Topic]>([
    ["src/cart.ts is unchanged.", "state"],
    ["`src/cart.ts` was not modified", "decisions"],
    ["No changes were made to cart.ts so far", "progress"],
    ["money.ts was edited, cart.ts was left alone", "state"],
    ["未修改 src/cart.ts", "state"],
    ["Edited src/money.ts to round halves [tool: edit]", "actions"],
    ["Created /shop/src/money.ts", "actions"],
    ["All tests pass.", "state"],
    ["pytest tests passes", "state"],
    ["RUN pytest tests — 10 passed, 0 failed", "actions"],
    ["test_rounding passes since the last edit", "context"],
    ["The test suite is green", "progress"],
    ["测试全部通过", "state"],
    ["npm run lint still fails", "blocked"],
  ])("%s", (text, topic) => expect(claim(text, topic)).toBeDefined());
});

describe("a sentence that is no such claim", () => {
  it.each<readonly [string, Topic]>([
    ["src/money.ts is unchanged.", "state"],
    ["src/api/index.ts was not modified", "state"],
    ["index.ts was not modified", "state"],
    ["Edited src/cart.ts: halves are rounded [tool: edit]", "actions"],
    ["No uncommitted changes in cart.ts", "state"],
    ["src/cart.ts must not be changed any more", "decisions"],
    ["money.ts was left alone, cart.ts was edited", "state"],
    ["Read src/money.ts to see what must be changed", "actions"],
    ["1 failed, 9 passed (test_rounding)", "state"],
    ["All tests must pass before the release", "remaining"],
    ["The tests should pass once halves are rounded", "progress"],
    ["test_totals passes", "state"],
    ["tests/test_money.py passes", "state"],
    ["npm run lint failed at first and was fixed", "actions"],
    ["RUN npm run lint — 3 problems, failed", "actions"],
    ["npx tsc is clean", "state"],
    ["Lint passes now", "state"],
    ["The build of the release page is left", "remaining"],
  ])("%s", (text, topic) => expect(claim(text, topic)).toBeUndefined());
});

it("is found in linear time", () => {
  const time = (text: string): number => {
    const start = performance.now();
    claim(text);
    return performance.now() - start;
  };
  for (const piece of ["not ", "never changed ", "src/cart.ts ", "tests pass ", "a,", "no "]) {
    const small = piece.repeat(Math.ceil(4_000 / piece.length));
    time(small);
    expect(time(small.repeat(8))).toBeLessThan(time(small) * 80 + 150);
  }
});
