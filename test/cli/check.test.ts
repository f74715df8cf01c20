/** `precis check`: exit 0 for what a provider takes, exit 1 and a line a violation for what it does not. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXIT } from "../../src/cli/program/exit.ts";
import {
  anthropicBody,
  chatMessages,
  claudeCodeSession,
  precisHere,
  temporaryFolder,
  type Folder,
  type Ran,
} from "./precis.ts";

let folder: Folder;
beforeAll(() => (folder = temporaryFolder()));
afterAll(() => folder.remove());

describe("check", () => {
  it.each([
    ["chat.json", "openai-chat", JSON.stringify(chatMessages())],
    [
      "chat.jsonl",
      "openai-chat",
      chatMessages()
        .map((message) => JSON.stringify(message))
        .join("\n"),
    ],
    ["body.json", "anthropic-messages", anthropicBody()],
    ["session.jsonl", "anthropic-messages", claudeCodeSession()],
    ["windows.json", "openai-chat", `\ufeff${JSON.stringify(chatMessages())}`],
  ])("passes %s", async (name, protocol, text) => {
    folder.write(name, text);
    const { code, out, err } = await precisHere(["check", name], { folder: folder.path });
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(new RegExp(`^${name}  valid  .*${protocol}`));
  });

  it("names each violation with its place", async () => {
    const [system, task, call, , ...rest] = chatMessages();
    const broken = [
      system,
      task,
      { ...call, tool_calls: [{ id: "call_0", type: "function", function: { name: "f", arguments: "{" } }] },
      ...rest,
    ];
    folder.write("broken.json", JSON.stringify(broken));
    const { code, out } = await precisHere(["check", "broken.json"], { folder: folder.path });
    expect(code).toBe(1);
    expect(out).toContain("2 violations");
    expect(out).toMatch(/message 2, assistant: .*not JSON[^]*\(arguments_not_json\)/);
    expect(out).toMatch(/message 2, assistant: .*no result[^]*\(call_without_result\)/);

    const json = await precisHere(["check", "broken.json", "--json"], { folder: folder.path });
    expect(json.code).toBe(1);
    expect(JSON.parse(json.out)).toMatchObject({
      valid: false,
      violations: [
        { code: "arguments_not_json", message: 1 },
        { code: "call_without_result", message: 1 },
      ],
    });
  });

  it("reads standard input", async () => {
    const { code, out } = await precisHere(["check", "-"], { input: JSON.stringify(chatMessages()) });
    expect([code, out.startsWith("standard input  valid")]).toEqual([0, true]);
  });

  it.each([
    [[{ role: "user", content: 123 }], "openai-chat", "messages[0].content"],
    [[{ role: "user", content: [{ type: "text" }] }], "openai-chat", "messages[0].content[0].text"],
    [
      [
        { role: "user", content: "x" },
        { role: "assistant", content: null },
      ],
      "openai-chat",
      "messages[1].content",
    ],
    [[{ role: "user", content: [] }], "anthropic-messages", "messages.0"],
    [[], "openai-chat", "messages"],
  ])("refuses %j in %s as its vendor does", async (messages, protocol, place) => {
    for (const body of [{ messages }, messages]) {
      const words = ["check", "-", "--from", protocol];
      const { code, out } = await precisHere(words, { input: JSON.stringify(body) });
      expect([code, out]).toEqual([1, expect.stringContaining("refused")]);
      expect(out).toContain(place);
      const json = await precisHere([...words, "--json"], { input: JSON.stringify(body) });
      expect(JSON.parse(json.out)).toMatchObject({ valid: false, violations: [], refusal: expect.any(String) });
    }
  });

  it("names both protocols that plain messages are valid in, and the one that was asked for", async () => {
    const plain = [
      { role: "user", content: "Say it." },
      { role: "assistant", content: "Said." },
    ];
    folder.write("plain.json", JSON.stringify(plain));
    const both = await precisHere(["check", "plain.json"], { folder: folder.path });
    expect(both.out).toBe("plain.json  valid  2 messages of openai-chat or anthropic-messages\n");
    const one = await precisHere(["check", "plain.json", "--from", "anthropic-messages"], { folder: folder.path });
    expect(one.out).toBe("plain.json  valid  2 messages of anthropic-messages\n");
    const { protocols } = JSON.parse(
      (await precisHere(["check", "plain.json", "--json"], { folder: folder.path })).out,
    );
    expect(protocols).toEqual(["openai-chat", "anthropic-messages"]);
  });

  it("knows the protocol of what compact wrote from a session of Claude Code", async () => {
    folder.write("session.jsonl", claudeCodeSession());
    const words = ["compact", "session.jsonl", "--budget", "20%", "--out", "smaller.json"];
    expect((await precisHere(words, { folder: folder.path })).code).toBe(0);
    const { code, out } = await precisHere(["check", "smaller.json"], { folder: folder.path });
    expect([code, out]).toEqual([0, expect.stringContaining("anthropic-messages")]);
  });

  describe("of a valid request that is too large", () => {
    const check = (...words: string[]): Promise<Ran> =>
      precisHere(["check", "large.json", ...words], { folder: folder.path });
    beforeAll(() => folder.write("large.json", JSON.stringify(chatMessages())));

    it("names tokens, window and model, and exits with a code of its own", async () => {
      const { code, out } = await check("--context-length", "8k");
      expect([code, out]).toEqual([EXIT.tooLarge, expect.stringContaining("valid, too large")]);
      const told = out.replaceAll(/\s+/g, " ");
      expect(told).toMatch(/about [\d,]+ tokens, [\d,]+ more than the window: 8,000 tokens, from --context-length/);
      expect(told).toContain("`precis compact large.json --context-length 8000`");
      folder.write("tiny.yaml", "models:\n  tiny:\n    context_length: 9000\n");
      const named = await check("--model", "tiny", "--config", "tiny.yaml");
      expect([named.code, named.out.replaceAll(/\s+/g, " ")]).toEqual([
        EXIT.tooLarge,
        expect.stringContaining("the window of tiny (the model that --model names)"),
      ]);
      const json = await check("--json", "--context-length", "8k");
      expect([json.code, JSON.parse(json.out)]).toEqual([
        EXIT.tooLarge,
        expect.objectContaining({ valid: true, fits: false, window: { tokens: 8_000, from: "flag" } }),
      ]);
    });

    it("reckons with the factor that a session starts with for the model", async () => {
      const tokens = async (model: string): Promise<number> =>
        (JSON.parse((await check("--json", "--model", model)).out) as { tokens: number }).tokens;
      const plain = await tokens("gpt-5.4");
      expect((await tokens("claude-haiku-4-5")) / plain).toBeCloseTo(1.18, 1);
      expect((await tokens("claude-sonnet-5")) / plain).toBeCloseTo(1.5, 1);
    });

    it("warns where the window is only assumed, and says nothing of one that has room", async () => {
      const body = JSON.stringify(chatMessages({ turns: 200, lines: 80 }));
      const { code, out } = await precisHere(["check", "-"], { input: body });
      expect([code, out.replaceAll(/\s+/g, " ")]).toEqual([
        EXIT.done,
        expect.stringMatching(/valid, too large .*200,000 tokens, assumed .* next: name the model with --model/),
      ]);
      expect(await check("--context-length", "1m")).toMatchObject({
        code: EXIT.done,
        out: expect.not.stringContaining("large "),
      });
    });

    it("is no longer so once compact has made it smaller", async () => {
      await precisHere(["compact", "large.json", "--context-length", "8k", "--out", "fits.json"], {
        folder: folder.path,
      });
      const again = await precisHere(["check", "fits.json", "--context-length", "8k"], { folder: folder.path });
      expect(again.code).toBe(EXIT.done);
    });

    it("an invalid one is invalid first", async () => {
      const [, ...rest] = chatMessages();
      const broken = JSON.stringify(rest.filter((_, at) => at !== 2));
      const { code, out } = await precisHere(["check", "-", "--context-length", "8k"], { input: broken });
      expect([code, out]).toEqual([EXIT.failed, expect.stringContaining("1 violation, too large")]);
    });
  });
});
