/** The marks of `compact --json`: nothing that precis wrote passes for conversation. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { bodyOf, PROTOCOLS, worked } from "../gateway/support/asking.ts";
import { precisHere, temporaryFolder, type Folder } from "./precis.ts";

type Json = Readonly<Record<string, unknown>>;

let folder: Folder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

it.each(PROTOCOLS)("compact --json says which messages of %s precis wrote", async (protocol) => {
  folder.write("request.json", bodyOf(protocol, worked("notes", 40)));
  const { out } = await precisHere(
    ["compact", "request.json", "--budget", "20%", "--json", "--set", "compression.note=system"],
    { folder: folder.path },
  );
  const { messages, synthetic } = JSON.parse(out) as {
    messages: Json[];
    synthetic: { in: string; index?: number; origin: string }[];
  };
  const marked = synthetic.filter((one) => one.in === "messages");
  const summary = marked.find(({ origin }) => origin === "summary")!;
  expect(JSON.stringify(messages[summary.index!])).toContain("[precis handoff 1]");
  const others = messages.filter((_, at) => !marked.some(({ index }) => index === at));
  expect(JSON.stringify(others)).not.toMatch(/\[(?:precis|digest)|recall r[0-9a-f]{9}/);
  expect(others.length).toBeGreaterThan(0);
  const note = synthetic.find(({ origin }) => origin === "note");
  expect(note?.in).toBe(protocol.startsWith("openai") ? "messages" : "system");
});
