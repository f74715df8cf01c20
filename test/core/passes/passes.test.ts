/** What each pass is for, by example. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { digestResults, digestResultsWith } from "../../../src/core/passes/digest-results.ts";
import { evictMedia } from "../../../src/core/passes/evict-media.ts";
import { repairPairs } from "../../../src/core/passes/repair.ts";
import { replaceDuplicatesWhere } from "../../../src/core/passes/replace-duplicates.ts";
import { shrinkArguments } from "../../../src/core/passes/shrink-arguments.ts";
import { stripReasoning } from "../../../src/core/passes/strip-reasoning.ts";
import type { Message, Part } from "../../../src/core/transcript/message.ts";
import { violationsOf } from "../../../src/core/transcript/oracle.ts";
import { RUNS } from "../../support/transcripts.ts";
import { answers, calls, contextOf as context, ran, says, textOf, user } from "./building.ts";
import { longTranscripts } from "./long-transcripts.ts";

const valid = (messages: readonly Message[]): boolean => violationsOf({ system: [], messages }).length === 0;

describe("replaceDuplicates", () => {
  const page = "the same page of text, word for word. ".repeat(20);
  const twice = [...ran("read", { path: "a" }, page), says("And again."), ...ran("read", { path: "b" }, page)];
  const everywhere = replaceDuplicatesWhere(() => true);

  test("keeps the newest copy, and puts a reference with the shared recall id in place of the older", () => {
    const { messages, evicted } = everywhere(twice, context());
    expect(textOf(messages[1])).toMatch(
      /^\[precis: same output as a more recent call further down; recall r[0-9a-f]{16}\]$/,
    );
    expect(textOf(messages[4])).toBe(page);
    expect(evicted).toMatchObject([{ kind: "result", message: 1, original: page }]);
    expect(valid(messages)).toBe(true);
  });

  test("leaves a protected copy alone, and never refers to a copy that is not in the result", () => {
    expect(
      everywhere(
        twice,
        context((at) => at === 1),
      ).messages,
    ).toBe(twice);
    expect(replaceDuplicatesWhere((at) => at !== 4)(twice, context()).messages).toBe(twice);
  });

  test("begins above 200 characters, as documented, where digests do too if they are told so", () => {
    const of = (chars: number) => [
      ...ran("read", { path: "a" }, "word ".repeat(chars).slice(0, chars)),
      ...ran("read", { path: "b" }, "word ".repeat(chars).slice(0, chars)),
    ];
    expect(everywhere(of(200), context()).messages).toEqual(of(200));
    expect(textOf(everywhere(of(201), context()).messages[1])).toContain("recall");
    const lines = (count: number) => ran("shell", { command: "ls" }, "an entry of the listing\n".repeat(count));
    const digest = digestResultsWith({ triggerChars: 200 });
    expect(textOf(digest(lines(8), context()).messages[1])).not.toContain("recall");
    expect(textOf(digest(lines(60), context()).messages[1])).toContain("recall");
    expect(textOf(digestResults(lines(60), context()).messages[1])).not.toContain("recall");
  });
});

describe("repairPairs", () => {
  test("makes every transcript's pairs complete and adjacent", () => {
    fc.assert(
      fc.property(longTranscripts(), ({ messages }) => {
        const codes = violationsOf({ system: [], messages: repairPairs(messages, context()).messages }).map(
          ({ code }) => code,
        );
        expect(codes).not.toContain("call_without_result");
        expect(codes).not.toContain("result_without_call");
      }),
      { numRuns: RUNS },
    );
  });

  test("moves a late result to its call, in front of what was typed meanwhile", () => {
    const [one, late] = [answers("a", "one"), answers("b", "late")];
    const { messages, from } = repairPairs([calls("a", "b"), one, user("and?"), late, says("ok")], context());
    expect(messages.map(textOf)).toEqual(["", "one", "late", "and?", "ok"]);
    expect(from).toEqual([0, 1, 3, 2, 4]);
    expect(valid(messages)).toBe(true);
  });

  test("pairs repeated ids in order, the newest turn first", () => {
    const messages = [
      calls("a"),
      answers("a", "first"),
      calls("a", "a"),
      answers("a", "second"),
      answers("a", "third"),
    ];
    expect(repairPairs(messages, context()).messages).toBe(messages);
  });

  test("gives a result to the newest turn that waits for it, and the older one gets a stub", () => {
    const { messages, from } = repairPairs([calls("a"), calls("a"), answers("a", "second"), says("ok")], context());
    expect(from).toEqual([0, -1, 1, 2, 3]);
    expect(messages[1]!.origin).toBe("stub");
  });

  test("removes an orphan, and keeps its text fetchable", () => {
    const { messages, evicted } = repairPairs([user("hi"), answers("gone", "left behind"), says("ok")], context());
    expect(messages.map(textOf)).toEqual(["hi", "ok"]);
    expect(evicted).toMatchObject([{ kind: "result", message: 1, original: "left behind" }]);
  });

  test("says of a call without a result that there is none, and no more", () => {
    const { messages, from } = repairPairs([calls("a"), user("stop")], context());
    expect(messages[1]).toMatchObject({ role: "tool", origin: "stub" });
    expect(textOf(messages[1])).toBe("[precis: the transcript holds no result of this call]");
    expect(from).toEqual([0, -1, 1]);
  });
});

describe("evictMedia", () => {
  const image = (data: string): Part => ({ kind: "image", source: { type: "data", mediaType: "image/png", data } });
  const shot: Message = {
    role: "tool",
    parts: [
      {
        kind: "tool-result",
        callId: "a",
        content: [{ kind: "text", text: "taken" }, image("QUJD".repeat(300)) as never],
      },
    ],
  };
  const shown: Message = {
    role: "user",
    parts: [
      { kind: "text", text: "look" },
      image("REVG".repeat(300)),
      { kind: "file", name: "report.pdf", source: { type: "url", url: "https://example.org/report.pdf" } },
    ],
  };

  test("names what it takes away, inside results too", () => {
    const { messages, evicted } = evictMedia([calls("a"), shot, shown], context());
    expect(textOf(messages[1])).toMatch(/^taken\n\[precis: image \(image\/png, 1 KB\) left out here; recall r/);
    expect(textOf(messages[2])).toMatch(
      /\[precis: file \(report\.pdf, https:\/\/example\.org\/report\.pdf\) left out here; recall r/,
    );
    expect(evicted.map(({ kind }) => kind)).toEqual(["media", "media", "media"]);
    expect(JSON.parse(evicted[0]!.original!)).toEqual({
      type: "data",
      mediaType: "image/png",
      data: "QUJD".repeat(300),
    });
  });
});

describe("stripReasoning", () => {
  test("takes thinking away whole, and leaves a message that is nothing else", () => {
    const thought: Message = {
      role: "assistant",
      parts: [
        { kind: "reasoning", text: "hmm" },
        { kind: "text", text: "yes" },
      ],
    };
    const only: Message = { role: "assistant", parts: [{ kind: "reasoning", text: "" }] };
    const { messages } = stripReasoning([thought, only], context());
    expect(messages[0]!.parts).toEqual([{ kind: "text", text: "yes" }]);
    expect(messages[1]).toBe(only);
  });
});

describe("shrinkArguments", () => {
  test("keeps the path and replaces the content", () => {
    const [call, result] = ran(
      "write_file",
      { path: "src/a.ts", content: `import x from "y";\n${"code();\n".repeat(200)}` },
      "ok",
    );
    const { messages, evicted } = shrinkArguments([call!, result!], context());
    const [part] = messages[0]!.parts;
    const args = JSON.parse(part?.kind === "tool-call" ? part.arguments : "") as Record<string, string>;
    expect(args["path"]).toBe("src/a.ts");
    expect(args["content"]).toMatch(
      /^⟪precis: 1,619 characters left out here; recall r[0-9a-f]{16}; first line: import x from "y";⟫$/,
    );
    expect(evicted).toMatchObject([{ kind: "arguments", label: "write_file src/a.ts" }]);
  });

  test("leaves a string that weighs less than its marker would", () => {
    const messages = ran("write_file", { path: "src/a.ts", content: " ".repeat(300) }, "ok");
    expect(shrinkArguments(messages, context()).messages).toBe(messages);
  });

  test("of a long patch the files stay", () => {
    const patch = `*** Begin Patch\n*** Update File: src/a.ts\n${"+line\n".repeat(200)}*** End Patch`;
    const call: Message = {
      role: "assistant",
      parts: [{ kind: "tool-call", id: "a", name: "apply_patch", arguments: patch, custom: true }],
    };
    const [part] = shrinkArguments([call], context()).messages[0]!.parts;
    expect(part?.kind === "tool-call" && part.arguments).toMatch(
      /^⟪precis: 1,\d{3} characters left out here; recall r\w+; files: src\/a\.ts⟫$/,
    );
  });
});

describe("digestResults", () => {
  test("names the call that a result answers, though ids repeat", () => {
    const log = (name: string): string =>
      Array.from({ length: 200 }, (_, at) => `2026-01-01T00:00:00Z INFO ${name} ${at} is well and running`).join("\n");
    const messages = [
      ...ran("Bash", { command: "cat a.log" }, log("a"), "same"),
      ...ran("Bash", { command: "cat b.log" }, log("b"), "same"),
    ];
    const digests = digestResults(messages, context()).messages;
    expect(textOf(digests[1])).toContain("[digest: Bash `cat a.log`");
    expect(textOf(digests[3])).toContain("[digest: Bash `cat b.log`");
  });

  test("digests each text of a result on its own and leaves its images", () => {
    const text = Array.from({ length: 300 }, (_, at) => `paragraph ${at} says something`).join("\n");
    const result: Message = {
      role: "tool",
      parts: [
        {
          kind: "tool-result",
          callId: "a",
          content: [
            { kind: "text", text, at: 0 },
            { kind: "image", source: { type: "id", id: "i" }, at: 1 },
            { kind: "text", text: "short", at: 2 },
          ],
        },
      ],
    };
    const { messages, evicted } = digestResults([calls("a"), result], context());
    const [part] = messages[1]!.parts;
    const content = part?.kind === "tool-result" ? part.content : [];
    expect(content.map(({ kind, at }) => [kind, at])).toEqual([
      ["text", 0],
      ["image", 1],
      ["text", 2],
    ]);
    expect(evicted).toMatchObject([{ original: text }]);
    expect(messages[1]!.origin).toBe("digest");
  });
});
