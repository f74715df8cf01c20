/** Work that goes through a list: which things are done, which are open, and what was last seen of those. */
import { describe, expect, it } from "vitest";
import { writeHandoff } from "../../../src/core/handoff/write.ts";
import type { Message } from "../../../src/core/transcript/message.ts";
import { ran, says, user } from "../../support/compacting.ts";
import { requestFor } from "./requests.ts";

const host = (name: string, kernel: string, rack: string): string =>
  JSON.stringify({ host: name, rack, kernel, disks: [{ serial: `SN-${name}` }], owner: "infra" });

const looked = (name: string, kernel: string, rack: string): readonly Message[] =>
  ran("get_host", { host: name }, host(name, kernel, rack));
const upgraded = (name: string, rack: string): readonly Message[] =>
  ran("upgrade_host", { host: name, kernel: "6.12", serial: `SN-${name}` }, host(name, "6.12", rack));

const LIST = "I will upgrade these hosts:\n\n- **web-01**\n- **web-02**\n- **db-01**\n- **db-02**\n- **Owner**: infra";
const BEGUN: readonly Message[] = [
  user("Upgrade all our hosts to kernel 6.12."),
  says(LIST),
  user("Yes, all of them."),
  ...looked("web-01", "6.1", "A"),
  ...looked("web-02", "6.1", "A"),
  ...looked("db-01", "6.1", "B"),
  ...looked("db-02", "6.12", "C"),
  ...upgraded("web-01", "A"),
  ...upgraded("web-02", "A"),
];

function remainingOf(messages: readonly Message[], budget = 1_200): string {
  const { text } = writeHandoff(requestFor(messages, { tail: 2, budget }));
  return /## Remaining Work\n([\s\S]*?)(?=\n## |\n\[end)/.exec(text)?.[1] ?? "";
}

describe("a list that calls work through", () => {
  const remaining = remainingOf(BEGUN);

  it("says which of its things are done, the newest messages counted, and which are not", () => {
    expect(remaining).toContain("upgrade_host is done for web-01, web-02; of the same list not yet for db-01, db-02");
  });

  it("shows of an open thing what tells it from the others and what the call will ask for", () => {
    expect(remaining).toContain("Open: db-01 (rack B, kernel 6.1, serial SN-db-01)");
    expect(remaining).not.toContain("owner");
  });

  it("says of an open thing that it is already as all the others are to become", () => {
    expect(remaining).toContain("Open: db-02 (kernel is 6.12 already)");
  });

  it("reads a list within a sentence as well", () => {
    const messages = BEGUN.map((message, at) =>
      at === 1 ? says("That is web-01, web-02, db-01 and db-02.") : message,
    );
    expect(remainingOf(messages)).toContain("not yet for db-01, db-02");
  });

  it("has room in a small handoff", () => {
    expect(remainingOf(BEGUN, 300)).toContain("not yet for db-01, db-02");
  });

  it("is not told where nothing is left, where one thing was changed, or where the calls only look", () => {
    expect(remainingOf([...BEGUN, ...upgraded("db-01", "B"), ...upgraded("db-02", "C")])).toBe("");
    expect(remainingOf(BEGUN.slice(0, -2))).toBe("");
    expect(remainingOf(BEGUN.slice(0, 9))).toBe("");
  });

  it("does not count a call that failed", () => {
    const failed = ran("upgrade_host", { host: "db-01", kernel: "6.12" }, "Error: host is locked");
    expect(remainingOf([...BEGUN, ...failed])).toContain("not yet for db-01, db-02");
  });
});

describe("a list that an earlier handoff told of", () => {
  const { text } = writeHandoff(requestFor([...BEGUN, user("go on"), says("I go on.")], { tail: 2, budget: 1_200 }));
  const after = (messages: readonly Message[]): string =>
    remainingOf([user(text), ...messages, user("go on"), says("I go on.")]);

  it("stands in the next one, without what was done since", () => {
    const remaining = after(upgraded("db-01", "B"));
    expect(remaining).toContain("upgrade_host is done for web-01, web-02, db-01; of the same list not yet for db-02");
    expect(remaining).not.toContain("Open: db-01");
    expect(remaining).toContain("Open: db-02");
  });

  it("goes when all of it is done", () => {
    expect(after([...upgraded("db-01", "B"), ...upgraded("db-02", "C")])).toBe("");
  });
});
