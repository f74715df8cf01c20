/** What a handoff says is under way or left: nothing that the work has done already. */
import { describe, expect, it } from "vitest";
import { parseHandoff, writeHandoff } from "../../../src/core/handoff/write.ts";
import type { Topic } from "../../../src/core/handoff/topics/topic.ts";
import type { Message } from "../../../src/core/transcript/message.ts";
import { does, edits, reads, user } from "../ledger/ledger-talk.ts";
import { requestFor } from "./requests.ts";

type Part = Message | readonly Message[];

/** What a handoff of all these messages says of a topic; `tail` of them stay beside it. */
function told(topic: Topic, parts: readonly Part[], tail = 0): readonly string[] {
  const { text } = writeHandoff(requestFor(parts.flat(), { tail }));
  return parseHandoff(text)!.sections.get(topic) ?? [];
}

const ASKED = user("Please make the importer read gzip files too, and write a test for it.");
const ANNOUNCED = "I need to add the missing imports for the new tests.";

function announces(result: string, options: { readonly isError?: true } = {}): readonly Message[] {
  return does("Edit", { file_path: "/repo/a.go", old_string: "a", new_string: "b" }, result, {
    ...options,
    text: ANNOUNCED,
  });
}

function plans(...states: readonly string[]): readonly Message[] {
  const todos = states.map((status, at) => ({ content: `Make change number ${at + 1}`, status }));
  return does("TodoWrite", { todos }, "ok", { text: "Now I know the trailers. Let me make the changes:" });
}

describe("what is in progress", () => {
  it("is what the assistant announced, as long as its calls have not worked", () => {
    const failed = announces("String to replace not found in file.", { isError: true });
    expect(told("progress", [ASKED, failed, reads("/repo/a.go")])).toEqual([
      `The assistant, just before the cut: ${ANNOUNCED}`,
    ]);
    expect(told("progress", [ASKED, announces("The file /repo/a.go has been updated.")], 1)).toHaveLength(1);
  });

  it("is not what it announced and did", () => {
    expect(told("progress", [ASKED, announces("The file /repo/a.go has been updated."), reads("/repo/b.go")])).toEqual(
      [],
    );
  });

  it("is not done because a plan of it was written down, but is when nothing of that is open", () => {
    expect(told("progress", [ASKED, plans("pending", "pending"), edits("/repo/a.go")])).toHaveLength(1);
    expect(
      told("progress", [
        ASKED,
        plans("pending", "pending"),
        does("TodoWrite", { todos: [{ content: "Make change number 1", status: "completed" }] }, "ok"),
      ]),
    ).toEqual([]);
  });
});
