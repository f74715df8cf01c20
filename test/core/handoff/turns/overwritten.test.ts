/** Of several edits of a file, the lines that last. */
import { describe, expect, it } from "vitest";
import { lastingLines } from "../../../../src/core/handoff/turns/overwritten.ts";
import type { Message } from "../../../../src/core/transcript/message.ts";
import { does, edits, eventsIn, writes } from "../../events/session-talk.ts";

const refused = does(
  "Edit",
  { file_path: "a.ts", old_string: "two", new_string: "three" },
  "String to replace not found",
);

describe("the lines of edits", () => {
  it.each<[string, readonly (readonly Message[])[], readonly (readonly string[] | undefined)[]]>([
    ["last where nothing changes them", [edits("a.ts", "one", "two")], [["two"]]],
    [
      "are gone where a later edit replaces them",
      [edits("a.ts", "one", "two"), edits("a.ts", "two", "three")],
      [[], ["three"]],
    ],
    [
      "last where the later edit is of another file",
      [edits("a.ts", "one", "two"), edits("b.ts", "two", "three")],
      [["two"], ["three"]],
    ],
    [
      "last where the same text comes into another file",
      [edits("a.ts", "one", "two"), edits("b.ts", "one", "two")],
      [["two"], ["two"]],
    ],
    [
      "are gone where they come into the file once more",
      [edits("a.ts", "one", "two"), edits("a.ts", "four", "two")],
      [[], ["two"]],
    ],
    ["last where the later edit failed", [edits("a.ts", "one", "two"), refused], [["two"], undefined]],
    [
      "are gone where the file is written anew without them",
      [edits("a.ts", "one", "two"), writes("a.ts", "four")],
      [[], ["four"]],
    ],
  ])("%s", (_, parts, expected) => {
    const { calls } = eventsIn(...parts);
    const lasting = lastingLines(calls);
    expect(calls.map((call) => lasting.get(call))).toEqual(expected);
  });
});
