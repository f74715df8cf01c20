/** Arguments are read strictly: what is mistyped must not pass for nothing. */
import { describe, expect, it } from "vitest";
import { readArguments, type Command } from "../../src/cli/program/command.ts";

const command: Command = {
  name: "try",
  summary: "",
  about: [],
  examples: {},
  args: {
    file: { type: "positional" },
    budget: { type: "string" },
    set: { type: "string" },
    out: { type: "string", alias: "o" },
    "context-length": { type: "string" },
    force: { type: "boolean" },
  },
  run: async () => 0,
};
const read = (...words: string[]): ReturnType<typeof readArguments> => readArguments(command, words);

describe("arguments", () => {
  it("come as flags, aliases, with or without an equals sign, in any order", () => {
    const args = read("--budget=20%", "-o", "x.json", "a.json", "--force", "--context-length", "64k");
    expect(["file", "budget", "out", "context-length"].map((name) => args.text(name))).toEqual([
      "a.json",
      "20%",
      "x.json",
      "64k",
    ]);
    expect([args.is("force"), read("a").is("force"), read("a").text("budget")]).toEqual([true, false, undefined]);
  });

  it("may be repeated, hold dashes and equals signs, and name standard input", () => {
    expect(read("-", "--set", "a=1", "--set=b=2").all("set")).toEqual(["a=1", "b=2"]);
    expect([read("-").text("file"), read("a", "--budget", "-5").text("budget")]).toEqual(["-", "-5"]);
    expect(read("--", "--force").text("file")).toBe("--force");
  });

  it.each([
    [["a", "--buget", "1"], "Did you mean `--budget`?"],
    [["a", "--zebra"], "for the list of flags"],
    [["a", "-x"], "for the list of flags"],
    [["a", "--no-force"], "force"],
    [["a", "--budget"], "--help"],
    [["a", "--budget="], "--help"],
    [["a", "b"], "Quote"],
    [[], "--help"],
  ])("%j is refused with a hint", (words, hint) => {
    expect(() => read(...words)).toThrow(
      expect.objectContaining({ code: "usage", hint: expect.stringContaining(hint) as string }),
    );
  });
});
