/** Whether a file still holds what a tool showed of it. */
import { expect, it } from "vitest";
import { stillHolds } from "../../../../src/core/engines/layered/restore.ts";

const FILE = "one\n  two\nthree\n\nfive\n";

it.each([
  ["the whole file", FILE, true],
  ["without its last line break", FILE.trimEnd(), true],
  ["a part of it", "  two\nthree", true],
  [
    "with numbers",
    "     1→one\n     2→  two\n     3→three\n     4→\n     5→five\n\n<system-reminder>mind it</system-reminder>",
    true,
  ],
  ["a part with numbers", "2: \u0020two\n3: three", true],
  ["a remark before it", "[part of the file]\none\n  two", true],
  ["a remark behind it", "one\n  two\n(3 more lines)", true],
  ["another line", "one\n  two!\nthree\n\nfive", false],
  ["another line with numbers", "     1→one\n     2→  zwei\n     3→three", false],
  ["the same lines at other numbers", "     2→one\n     3→  two", false],
  ["half a line", "wo\nthree\n\nfi", false],
])("%s", (_, shown, same) => {
  expect(stillHolds(FILE, shown)).toBe(same);
});
