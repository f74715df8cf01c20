/** The goal is what is still asked for: a request that was answered is none, and neither is one before a newest message that says enough. */
import { describe, expect, it } from "vitest";
import { textMessage } from "../../../../src/core/transcript/message.ts";
import { writeHandoff } from "../../../../src/core/handoff/write.ts";
import { reads, says, user as asks } from "../../events/session-talk.ts";
import { requestFor } from "../requests.ts";
import { agent, call, DOORS, section, toldOf, user, work } from "./sessions.ts";

const REQUEST = "Move the sign-in service to the new cookie, and leave every other folder as it is.";

describe.each(DOORS)("through %s", (door) => {
  const goalOf = async (request: string, answer: string, next: string): Promise<string> => {
    const turn = [user(request), call("Read", { file_path: "auth.ts" }, "let x = 1;\n".repeat(40)), agent(answer)];
    return section((await toldOf(door, [...work(4), ...turn, user(next)], 0.25)).handoff, "Goal");
  };
  const QUESTION = "It needs a migration first. Shall I write one?";

  it("is the last request that says something where the newest message is its continuation", async () => {
    expect(await goalOf(REQUEST, QUESTION, "yes please")).toContain(REQUEST);
  });

  it("is left out where the request was answered", async () => {
    expect(await goalOf(REQUEST, "The service is moved, and its tests pass.", "what is still open?")).toBe("");
  });

  it("is left out where its question got an answer and the turn after that ended", async () => {
    const talk = [
      user(REQUEST),
      agent(QUESTION),
      user("yes please"),
      agent("The migration is there. Shall I run it?"),
      user("ok"),
    ];
    expect(section((await toldOf(door, [...work(8), ...talk], 0.25)).handoff, "Goal")).toBe("");
  });

  it("is left out where the newest message says enough, also in a script without spaces", async () => {
    const next = "还有个问题，为什么登录之后会跳回登录页面？";
    expect(await goalOf(REQUEST, QUESTION, next)).toBe("");
  });
});

it("is not carried on from an earlier handoff once the turn has ended", () => {
  const first = writeHandoff(requestFor([asks(REQUEST), ...reads("a.ts"), asks("go on")], { until: 3 })).text;
  expect(first).toContain(`## Goal\n- [1] ${REQUEST}`);
  const summary = { ...textMessage("user", first), origin: "summary" } as const;
  const later = [summary, asks("go on"), ...reads("b.ts"), says("All of it is moved."), asks("thanks")];
  expect(writeHandoff(requestFor(later, { tail: 1 })).text).not.toContain("## Goal");
});
