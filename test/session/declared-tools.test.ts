/** What an agent declares on the way, tools and settings: it stays when what is around it goes. */
import { describe, expect, it } from "vitest";
import { ENGINE_NAMES, type EngineName } from "../../src/core/engines/names.ts";
import { createSession } from "../../src/index.ts";
import { filler } from "../support/compacting.ts";

type Item = Readonly<Record<string, unknown>>;

const declared = (names: readonly string[], more: Item = {}): Item => ({
  type: "additional_tools",
  tools: [
    { type: "namespace", name: "wiki", tools: names.map((name) => ({ type: "function", name, parameters: {} })) },
  ],
  ...more,
});

const rounds = (from: number, to: number): readonly Item[] =>
  Array.from({ length: to - from }, (_, offset): readonly Item[] => {
    const call_id = `call_${from + offset}`;
    return [
      { type: "function_call", call_id, name: "shell", arguments: `{"n":${from + offset}}` },
      { type: "function_call_output", call_id, output: filler(900, `part${from + offset}`) },
    ];
  }).flat();

const ask: Item = { type: "message", role: "user", content: "Copy the notes to the wiki." };
const requestOf = (input: readonly Item[]) => ({ model: "gpt-5.6-sol", store: false, input });
const declarationsIn = (items: readonly Item[]): readonly Item[] =>
  items.filter(({ type }) => type === "additional_tools");

async function compacted(input: readonly Item[], engine?: EngineName): Promise<readonly Item[]> {
  const session = createSession({ protocol: "openai-responses", ...(engine === undefined ? {} : { engine }) });
  const made = await session.compact(requestOf(input), { budget: 6_000 });
  expect(made.kind).toBe("compacted");
  return made.request.input;
}

describe("declared tools", () => {
  it.each((ENGINE_NAMES as readonly EngineName[]).filter((name) => name !== "none"))(
    "stay with the engine %s",
    async (engine) => {
      const first = declared(["exec"], { role: "developer" });
      const later = declared(["save_page"], { role: "developer" });
      const items = await compacted([first, ask, ...rounds(0, 12), later, ...rounds(12, 24)], engine);
      expect(declarationsIn(items)).toEqual([first, later]);
    },
  );

  it("stay without a role, in front and in the middle, before and after the next compaction", async () => {
    const first = declared(["exec"]);
    const later = declared(["save_page"]);
    const input = [first, ask, ...rounds(0, 12), later, ...rounds(12, 24)];
    const once = await compacted(input);
    expect(declarationsIn(once)).toEqual([first, later]);
    const twice = await compacted([...once, ...rounds(24, 48)]);
    expect(declarationsIn(twice)).toEqual([first, later]);
  });

  it("go where later ones declare the same", async () => {
    const former = declared(["save_page"]);
    const latter = declared(["save_page", "get_page"]);
    const items = await compacted([ask, former, ...rounds(0, 8), latter, ...rounds(8, 24)]);
    expect(declarationsIn(items)).toEqual([latter]);
  });
});

const update = (effort: string): Item => ({ type: "configuration_update", reasoning: { effort } });

describe("settings of a conversation", () => {
  it("stay as they were set last, as after a compaction of the vendor's own", async () => {
    const format: Item = { type: "configuration_update", text: { format: { type: "text" } } };
    const input = [ask, ...rounds(0, 8), format, update("low"), ...rounds(8, 12), update("high"), ...rounds(12, 24)];
    const items = await compacted(input);
    expect(items.filter(({ type }) => type === "configuration_update")).toEqual([format, update("high")]);
  });

  it("stay in Messages, also where words are beside them", async () => {
    const turns = (from: number, to: number): readonly Item[] =>
      Array.from({ length: to - from }, (_, at): readonly Item[] => [
        { role: "user", content: filler(700, `ask${from + at}`) },
        { role: "assistant", content: filler(200, `told${from + at}`) },
      ]).flat();
    const effort = (value: string, content: unknown): Item => ({
      role: "system",
      content,
      output_config: { effort: value },
    });
    const session = createSession({ protocol: "anthropic-messages" });
    const last: Item = { role: "user", content: "And now?" };
    const made = async (directive: readonly Item[]) => {
      const messages = [...turns(0, 8), effort("low", []), ...turns(8, 12), ...directive, ...turns(12, 24), last];
      const body = { model: "claude-opus-5-5", max_tokens: 99, messages };
      const { request, kind } = await session.compact(body, { budget: 5_000 });
      expect(kind).toBe("compacted");
      return (request.messages as readonly Item[]).filter(({ output_config: set }) => set !== undefined);
    };
    expect(await made([])).toEqual([effort("low", [])]);
    expect(await made([effort("high", "Write tests first.")])).toEqual([effort("high", [])]);
  });
});
