/** `--summarize`, the one switch for a model that writes handoffs, and what is said where it is not used. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createProvider } from "../../provider/src/index.ts";
import { bodyOf, worked } from "../gateway/support/asking.ts";
import { serve } from "../gateway/support/serving.ts";
import { atEnd, temporaryFolder as gatewayFolder } from "../gateway/support/standing.ts";
import { careful } from "../support/model-answers.ts";
import { answer, startEndpoint, type ScriptedEndpoint } from "../support/scripted-endpoint.ts";
import { chatMessages, precisHere, temporaryFolder, type Folder } from "./precis.ts";

let folder: Folder;
let endpoint: ScriptedEndpoint;
beforeAll(async () => {
  endpoint = await startEndpoint({ script: answer(({ user }) => careful(user)) });
  folder = temporaryFolder();
  folder.write("chat.json", JSON.stringify(chatMessages({ turns: 120, lines: 60 })));
});
afterAll(async () => {
  folder.remove();
  await endpoint.close();
});

const at = (section: string): readonly string[] =>
  [
    [`${section}.provider`, "openai-compatible"],
    [`${section}.base_url`, endpoint.url],
    ["models", '{"small-1":{"context_length":128000},"big-1":{"context_length":128000}}'],
  ].flatMap(([key, value]) => ["--set", `${key}=${value}`]);
const compact = (...words: readonly string[]) =>
  precisHere(["compact", "chat.json", "--force", "--json", ...words], { folder: folder.path });
const summaryOf = ({ out }: { readonly out: string }) =>
  (JSON.parse(out) as { readonly report: { readonly summary: unknown } }).report.summary;

describe("compact --summarize", () => {
  it("has the model of this name write, reached as the configuration says", async () => {
    const ran = await compact("--summarize", "small-1", ...at("auxiliary.compression"));
    expect(summaryOf(ran)).toMatchObject({ by: "model", steps: [{ model: "small-1", role: "auxiliary" }] });
  });

  it("has the main model write where it is asked for by that word, described as to any other", async () => {
    const ran = await compact("--summarize", "main", "--set", "model.name=big-1", ...at("model"));
    expect(summaryOf(ran)).toMatchObject({ by: "model", steps: [{ model: "big-1", role: "main" }] });
    expect(endpoint.requests.at(-1)!.user).toContain("=== session ===");
  });

  it("says what to do where there is no main model", async () => {
    const { code, err } = await compact("--summarize", "main");
    expect(code).toBe(2);
    expect(err.replace(/\s+/g, " ")).toMatch(
      /--summarize main needs a main model, and model\.name is not set.*--set model\.name=/,
    );
  });

  it("says what to do where the name does not tell who serves it", async () => {
    const { code, err } = await compact("--summarize", "nobody-knows-this");
    expect(code).toBe(2);
    expect(err.replace(/\s+/g, " ")).toMatch(
      /nobody-knows-this cannot be used: .*is not known; set auxiliary\.compression\.provider/,
    );
  });

  it("says which key is missing, and code writes", async () => {
    const ran = await compact("--summarize", "claude-haiku-4-5");
    expect(ran.code).toBe(0);
    expect(JSON.stringify(summaryOf(ran))).toContain("set the environment variable ANTHROPIC_API_KEY");
  });
});

interface Finding {
  readonly code: string;
  readonly says: string;
}

describe("who writes handoffs", () => {
  const found = async (...words: readonly string[]): Promise<readonly Finding[]> => {
    const { out } = await precisHere(["doctor", "--offline", "--json", ...words], { folder: folder.path });
    return (JSON.parse(out) as { readonly findings: readonly Finding[] }).findings;
  };
  const says = async (...words: readonly string[]) =>
    (await found(...words)).find(({ code }) => code === "handoffs")?.says;

  it("is said by doctor, with what a model would bring where none is asked", async () => {
    expect(await says()).toMatch(/written by code; with --summarize MODEL \(or main\) a model writes them/);
    expect(await says("--set", "auxiliary.compression.model=claude-haiku-4-5")).toMatch(/by claude-haiku-4-5$/);
    const main = ["--set", "auxiliary.compression.provider=main"];
    expect(await says(...main)).toMatch(/each conversation's own model, at its own upstream and with its client's key/);
    const codes = (await found(...main)).map(({ code }) => code);
    expect(codes).not.toContain("model_unclear");
    expect(codes).not.toContain("key_missing");
  });

  it("is refused by serve where it cannot be reached", async () => {
    const { code, err } = await precisHere(["serve", "--summarize", "nobody-knows-this"], { folder: folder.path });
    expect([code, err.replace(/\s+/g, " ")]).toEqual([2, expect.stringContaining("is not known; set")]);
  });
});

const WINDOW_TOKENS = 300_000;
const STEPS_NEAR = 190;
const KEY = "sk-proj-Qx7kLm2Np9Rt4Vw8Yz3Bc6Df";

describe("serve --summarize main", () => {
  it("asks the conversation's own model with its client's key, also of the thread for large requests", async () => {
    const provider = createProvider({ every: { windowTokens: WINDOW_TOKENS }, script: { text: "Read." } });
    const far = await provider.listen();
    atEnd(far.close);
    const flags = { summarize: "main", "context-length": String(WINDOW_TOKENS) };
    const serving = await serve({ upstream: far.url, folder: gatewayFolder(), flags });
    expect(serving.output()).toMatch(/handoffs +written in the background by each conversation's own model/);
    const body = bodyOf("openai-chat", worked("large", STEPS_NEAR));
    expect(body.length).toBeGreaterThan(512 * 1024);
    const response = await fetch(`${serving.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${KEY}` },
      body,
    });
    expect([response.status, (await response.text()).length > 0]).toEqual([200, true]);
    const asked = () => provider.requests.filter((one) => one.body.includes("Write that record now"));
    await vi.waitFor(() => expect(asked()).toHaveLength(1), { timeout: 10_000 });
    expect(asked()[0]!.key).toBe(provider.requests[0]!.key);
    await serving.kill("SIGTERM");
    expect(serving.output()).not.toContain(KEY);
  });
});
