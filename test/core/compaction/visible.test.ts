/** What is next to a handoff: asked of each message once, and right all the same when other messages are there. */
import { describe, expect, it } from "vitest";
import { visibleIn } from "../../../src/core/compaction/remembered.ts";
import { textMessage, type Message } from "../../../src/core/transcript/message.ts";

const port = textMessage("user", "the port is 8080");
const file: Message = {
  role: "assistant",
  parts: [{ kind: "tool-call", id: "one", name: "Read", arguments: '{"path":"src/a.ts"}' }],
};

describe("what stands beside a handoff", () => {
  it("is the text of messages and what their calls were given", () => {
    expect(visibleIn([port, file]).includes("8080")).toBe(true);
    expect(visibleIn([port, file]).includes("src/a.ts")).toBe(true);
    expect(visibleIn([port, file]).includes("src/b.ts")).toBe(false);
  });

  it("is asked of the messages that stand there now, whatever was answered before", () => {
    expect(visibleIn([file]).includes("8080")).toBe(false);
    expect(visibleIn([port]).includes("8080")).toBe(true);
    expect(visibleIn([]).includes("8080")).toBe(false);
    expect(visibleIn([textMessage("user", "now it is src/b.ts")]).includes("src/b.ts")).toBe(true);
  });
});
