/** Answers in JSON that say that nothing was done. */
import { describe, expect, it } from "vitest";
import type { Ending } from "../../../src/core/events/endings.ts";
import { does, eventOf } from "./session-talk.ts";

function answer(tool: string, args: Readonly<Record<string, unknown>>, given: object): Ending {
  return eventOf(does(tool, args, JSON.stringify(given))).ending;
}

describe("an answer in JSON", () => {
  it("is a failure where it holds an error, with the error first and what stands beside it", () => {
    const refused = answer(
      "book_visit",
      { slot: "08:00" },
      { request: 7, error: "SLOT_TAKEN", free: ["09:00", "10:00"] },
    );
    expect(refused).toMatchObject({
      status: "failed",
      line: "error: SLOT_TAKEN, request: 7, free: 09:00 | 10:00",
    });
    expect(answer("send_mail", { to: "a" }, { error: { code: 550, text: "no such user" } })).toMatchObject({
      status: "failed",
      line: "error: 550 | no such user",
    });
  });

  it("is a failure where it says that the call did not work", () => {
    expect(answer("send_mail", { to: "a" }, { sent: false })).toMatchObject({ status: "failed", line: "sent: false" });
  });

  it.each([
    ["send_mail", { to: "a" }, { sent: true, error: null }],
    ["send_mail", { to: "a" }, { id: 3, error: "none", status: "queued" }],
    ["send_mail", { to: "a" }, { success: true, error: "retried once" }],
    ["request_approval", { id: 3 }, { id: 3, status: "rejected" }],
    ["read_file", { path: "labels.json" }, { error: "Fehler", ok: "Gut" }],
    ["create_user", { name: "a" }, { name: "a", verified: false, errors: [] }],
  ])(
    "is none where it worked, where only the words of a status refuse, or where it only shows something: %s %o %o",
    (tool, args, given) => {
      expect(answer(tool, args, given).status).not.toBe("failed");
    },
  );
});
