/** Session files with a recorded compaction in them, as the agents write them. */

const lines = (records: readonly object[]): string => `${records.map((one) => JSON.stringify(one)).join("\n")}\n`;

/** Claude Code: a boundary, its summary, a reminder behind it, and the work that goes on. */
export function claudeCompacted(): string {
  const records: object[] = [];
  const add = (type: string, fields: object, content?: unknown): void => {
    const at = records.length;
    const message = content === undefined ? {} : { message: { role: type, content } };
    const parentUuid = at === 0 ? null : `u${at - 1}`;
    records.push({ type, uuid: `u${at}`, parentUuid, isSidechain: false, sessionId: "s", ...message, ...fields });
  };
  add("user", {}, "mend oldParser in src/deep/parser.ts");
  add("assistant", {}, [{ type: "text", text: "I look." }]);
  add("system", { subtype: "compact_boundary", parentUuid: null, logicalParentUuid: "u1", content: "compacted" });
  add("user", { isCompactSummary: true }, "This session is being continued from a previous conversation: oldParser.");
  add("user", { isMeta: true }, "<system-reminder>src/deep/parser.ts was read</system-reminder>");
  add("assistant", {}, [{ type: "text", text: "I go on with oldParser." }]);
  add("user", {}, "thanks");
  return lines(records);
}

/** pi: a compaction that keeps the entries from the third on. */
export function piCompacted(): string {
  const say = (id: number, role: string, text: string): object => ({
    type: "message",
    id: `m${id}`,
    parentId: id === 0 ? null : `m${id - 1}`,
    timestamp: "2026-01-01T00:00:00Z",
    message: { role, content: [{ type: "text", text }], ...(role === "assistant" ? { stopReason: "stop" } : {}) },
  });
  return lines([
    { type: "session", id: "s", version: 3, cwd: "/p" },
    say(0, "user", "first"),
    say(1, "assistant", "one"),
    say(2, "user", "second"),
    {
      type: "compaction",
      id: "m3",
      parentId: "m2",
      timestamp: "2026-01-01T00:00:00Z",
      summary: "all of it",
      firstKeptEntryId: "m2",
      tokensBefore: 9,
    },
    say(4, "assistant", "two"),
  ]);
}

/** Codex: a compaction that lists the history it leaves. */
export function codexCompacted(): string {
  const item = (role: string, text: string): object => ({
    type: "message",
    role,
    content: [{ type: role === "user" ? "input_text" : "output_text", text }],
  });
  const line = (type: string, payload: object): object => ({ timestamp: "2026-01-01T00:00:00Z", type, payload });
  return lines([
    line("session_meta", { id: "s", cwd: "/p" }),
    line("response_item", item("user", "first")),
    line("response_item", item("assistant", "one")),
    line("compacted", { message: "told", replacement_history: [item("user", "first"), item("user", "told")] }),
    line("response_item", item("assistant", "two")),
  ]);
}
