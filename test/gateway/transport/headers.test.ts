/** Header lines are let through or left out, never changed, moved or merged. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { HeaderLines } from "../../../src/gateway/contract.ts";
import { backwardHeaders, flatHeaders, headerLines, onwardHeaders } from "../../../src/gateway/transport/headers.ts";

const RUNS = Number(process.env["PRECIS_TEST_RUNS"] ?? 500);

const NAMES = ["a", "B", "Set-Cookie", "anthropic-beta", "Connection", "TE", "content-length", "Content-Encoding"];
const LINES = fc.array(
  fc.tuple(fc.constantFrom(...NAMES, "host", "expect", "x-precis-session", "upgrade", "b"), fc.constantFrom("1", "b")),
);

function isPart(part: HeaderLines, whole: HeaderLines): boolean {
  const rest = whole[Symbol.iterator]();
  return part.every((line) => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) if (next.value === line) return true;
    return false;
  });
}

test("what goes on, or comes back, is a part of what came, in order", () => {
  fc.assert(
    fc.property(LINES, (lines) => {
      const rewritten = onwardHeaders(lines, "rewritten");
      expect(isPart(onwardHeaders(lines, "same"), lines)).toBe(true);
      expect(isPart(rewritten, onwardHeaders(lines, "same"))).toBe(true);
      expect(isPart(backwardHeaders(lines), lines)).toBe(true);
      expect(flatHeaders(rewritten).join(" ")).not.toMatch(/connection|te |host|expect|precis|upgrade|content/i);
      expect(headerLines(flatHeaders(lines))).toEqual(lines);
    }),
    { numRuns: RUNS },
  );
});

test("what the connection header names is about the connection, but never what tells of the body", () => {
  const lines: HeaderLines = [
    ["X-Mine", "1"],
    ["connection", "x-mine, Content-Length"],
    ["content-length", "2"],
    ["y", "3"],
  ];
  expect(onwardHeaders(lines, "same")).toEqual([lines[2], lines[3]]);
});

test.each(["X-Precis", "x-precis-upstream", "X-PRECIS-Session", "x-precisely"])("%s goes no further", (name) => {
  expect(onwardHeaders([[name, "1"]], "same")).toEqual([]);
  expect(backwardHeaders([[name, "1"]])).toEqual([]);
});
