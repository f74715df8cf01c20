/** Servers whose chat template takes one system message, at the beginning: the library adds no second one. */
import { describe, expect, it } from "vitest";
import { createSession } from "../../src/index.ts";
import { protocols } from "../../src/protocols/index.ts";
import { filler } from "../support/compacting.ts";

const turns = (count: number) =>
  Array.from({ length: count }, (_, at) => [
    { role: "user", content: filler(900, `ask${at}`) },
    { role: "assistant", content: filler(900, `told${at}`) },
  ]).flat();

async function compacted(system: readonly object[]) {
  const body = JSON.stringify({ messages: [...system, ...turns(12), { role: "user", content: "And now?" }] });
  const { request, kind } = await createSession().compact(body, { budget: 4_000 });
  expect(kind).toBe("compacted");
  const { messages } = JSON.parse(request) as { readonly messages: readonly { readonly role: string }[] };
  return { body: request, messages, system: messages.filter(({ role }) => role === "system" || role === "developer") };
}

describe("the note on handoffs", () => {
  it.each([
    ["a text", { role: "system", content: "You tidy." }, "You tidy.\n\n[precis note] "],
    [
      "the words of a developer",
      { role: "developer", content: "You tidy.", name: "dev" },
      "You tidy.\n\n[precis note] ",
    ],
  ])("is the end of %s", async (_, system, opening) => {
    const { system: found, messages, body } = await compacted([system]);
    expect(found).toEqual([{ ...system, content: expect.stringContaining(opening) as string }]);
    expect(messages[0]).toBe(found[0]);
    // It is said once, however often the result is compacted.
    const longer = [...messages, ...turns(12), { role: "user", content: "And then?" }];
    const again = await createSession().compact({ messages: longer }, { budget: 4_000 });
    expect(JSON.stringify(again.request).split("[precis note]")).toHaveLength(2);
    const decoded = protocols["openai-chat"].decode(body);
    expect(protocols["openai-chat"].splice(decoded, decoded.transcript)).toBe(body);
  });

  it("is the last block of several", async () => {
    const blocks = [
      { type: "text", text: "You tidy." },
      { type: "text", text: "Be brief." },
    ];
    const { system } = await compacted([{ role: "system", content: blocks }]);
    const note = { type: "text", text: expect.stringContaining("[precis note] ") as string };
    expect(system).toEqual([{ role: "system", content: [...blocks, note] }]);
  });

  it("is the only system message where there was none", async () => {
    const { system } = await compacted([]);
    expect(system.length).toBeLessThan(2);
  });
});
