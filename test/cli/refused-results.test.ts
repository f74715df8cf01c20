/** What a vendor would refuse in a request or in a result of ours is said, and the exit code says so. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countTokens } from "../../src/core.ts";
import { filler } from "../support/compacting.ts";
import { png } from "../support/pictures.ts";
import { precisHere, temporaryFolder, type Folder } from "./precis.ts";

let folder: Folder;
beforeAll(() => (folder = temporaryFolder()));
afterAll(() => folder.remove());

const run = (...words: readonly string[]) => precisHere(words, { folder: folder.path });
const turns = (count: number) =>
  Array.from({ length: count }, (_, at) => [
    { role: "user", content: filler(600, `ask${at}`) },
    { role: "assistant", content: filler(600, `told${at}`) },
  ]).flat();
const anthropic = (...messages: readonly object[]) =>
  JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 9, system: "s", messages: [...turns(8), ...messages] });

describe("a result that is refused", () => {
  it("is written with exit code 1, as check has it", async () => {
    const content = [
      { type: "text", text: "Why?" },
      { type: "text", text: " " },
    ];
    folder.write("blank.json", anthropic({ role: "user", content }));
    const made = await run("compact", "blank.json", "--force", "--budget", "25%", "--out", "out.json");
    expect([made.code, (await run("check", "out.json")).code]).toEqual([1, 1]);
    expect(made.err.replaceAll(/\s+/g, " ")).toContain("must contain non-whitespace text");
    folder.write("sound.json", anthropic({ role: "user", content: content.slice(0, 1) }));
    const sound = await run("compact", "sound.json", "--force", "--budget", "25%", "--out", "out2.json");
    expect([sound.code, (await run("check", "out2.json")).code]).toEqual([0, 0]);
  });
});

describe("check", () => {
  it.each([
    [
      "a trigger that is not last",
      { model: "m", input: [{ type: "compaction_trigger" }, { role: "user", content: "a" }] },
      /last item/,
    ],
    [
      "a compaction without content",
      JSON.parse(
        anthropic(
          { role: "user", content: "a" },
          {
            role: "assistant",
            content: [
              { type: "compaction", content: null },
              { type: "text", text: "b" },
            ],
          },
          { role: "user", content: "c" },
        ),
      ) as object,
      /content can't be empty/,
    ],
  ])("refuses %s", async (_, body, words) => {
    folder.write("body.json", JSON.stringify(body));
    const { code, out } = await run("check", "body.json");
    expect([code, out.replaceAll(/\s+/g, " ")]).toEqual([1, expect.stringMatching(words)]);
  });
});

/** No system prompt, no tools: only its blocks tell what it is. */
const shots = {
  model: "claude-sonnet-4-5",
  max_tokens: 9,
  messages: Array.from({ length: 6 }, (_, at) => [
    { role: "assistant", content: [{ type: "tool_use", id: `toolu_${at}`, name: "shot", input: {} }] },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: `toolu_${at}`,
          content: [
            { type: "image", source: { type: "base64", media_type: "image/png", data: png(800, 600, 90_000) } },
          ],
        },
      ],
    },
  ]).flat(),
};

describe("pictures", () => {
  it("are a flat price without a protocol being named", () => {
    const named = countTokens(shots, { protocol: "anthropic-messages" });
    expect([countTokens(shots), countTokens(JSON.stringify(shots))]).toEqual([named, named]);
    expect(named).toBeLessThan(12_000);
  });

  it("take no share above the whole", async () => {
    const messages = [{ role: "user", content: "Look." }, ...shots.messages];
    folder.write("shots.json", JSON.stringify({ ...shots, messages }));
    const { out } = await run("inspect", "shots.json");
    const shares = [...out.matchAll(/([\d.]+) %/g)].map(([, share]) => Number(share));
    expect(shares.length).toBeGreaterThan(2);
    expect(Math.max(...shares)).toBeLessThanOrEqual(100);
  });
});
