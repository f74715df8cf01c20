/** Requests whose history the provider holds or compacts are locked; those that bring all of it are not. */
import { describe, expect, it } from "vitest";
import { protocols } from "../../src/protocols/index.ts";

const responses = (input: readonly unknown[], more: object = {}) =>
  protocols["openai-responses"].decode(JSON.stringify({ model: "m", input, ...more })).locked;
const messages = (content: unknown, more: object = {}) =>
  protocols["anthropic-messages"].decode(
    JSON.stringify({
      model: "m",
      messages: [
        { role: "user", content: "a" },
        { role: "assistant", content },
        { role: "user", content: "b" },
      ],
      ...more,
    }),
  ).locked;
const USER = { role: "user", content: "a" };

describe("locked", () => {
  it.each([
    ["previous_response_id", responses([USER], { previous_response_id: "resp_1" })],
    ["conversation", responses([USER], { conversation: { id: "conv_1" } })],
    ["context_management", responses([USER], { context_management: [{ type: "compaction", compact_threshold: 9 }] })],
    ["thread", messages("c", { thread: { type: "continue", previous_message_id: "msg_1" } })],
    ["item_reference", responses([{ type: "item_reference", id: "msg_1" }, USER])],
    ["compaction", responses([USER, { type: "compaction", encrypted_content: "x" }, USER])],
    ["compaction_summary", responses([{ type: "compaction_summary", encrypted_content: "x" }, USER])],
    ["compaction_trigger", responses([USER, { type: "compaction_trigger" }])],
    [
      "compaction",
      messages([
        { type: "compaction", content: "x" },
        { type: "text", text: "c" },
      ]),
    ],
    ["context_management", messages("c", { context_management: { edits: [{ type: "compact_20260112" }] } })],
  ])("%s", (name, locked) => {
    expect(locked).toContain(`(${name})`);
  });

  it("also in a body that goes on from an earlier one", () => {
    const protocol = protocols["openai-responses"];
    const body = (...input: readonly unknown[]) => JSON.stringify({ model: "m", input });
    const first = protocol.decode(body(USER, { type: "compaction", encrypted_content: "x" }));
    expect(
      protocol.decode(body(USER, { type: "compaction", encrypted_content: "x" }, USER), first).locked,
    ).toBeDefined();
    expect(protocol.decode(body(USER, USER), first).locked).toBeUndefined();
  });
});

describe("not locked", () => {
  it.each([
    ["nothing of the kind", responses([USER])],
    ["null", responses([USER], { previous_response_id: null, conversation: null, context_management: null })],
    ["an empty list", responses([USER], { context_management: [] })],
    [
      "edits that clear",
      messages("c", { context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] } }),
    ],
    ["a thread that begins", messages("c", { thread: { type: "create" } })],
    ["no thread", messages("c", { thread: null })],
    ["a word in a text", messages([{ type: "text", text: '{"type":"compaction"}' }])],
  ])("%s", (_, locked) => {
    expect(locked).toBeUndefined();
  });
});
