/** `precis compact` with a model that writes the handoff: over real HTTP, with what it cost and what failed on the page. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { careful } from "../support/model-answers.ts";
import { answer, fail, startEndpoint, type ScriptedEndpoint } from "../support/scripted-endpoint.ts";
import { chatMessages, precisHere, temporaryFolder, type Folder, type Ran } from "./precis.ts";

let folder: Folder;
let endpoint: ScriptedEndpoint;
beforeAll(async () => {
  endpoint = await startEndpoint();
  folder = temporaryFolder();
  folder.write("chat.json", JSON.stringify(chatMessages({ turns: 120, lines: 60 })));
  folder.write(
    "precis.yaml",
    [
      "auxiliary:",
      "  compression:",
      "    model: small-1",
      "    provider: openai-compatible",
      `    base_url: ${endpoint.url}`,
      "models: { small-1: { context_length: 128000 } }",
    ].join("\n"),
  );
});
afterAll(async () => {
  folder.remove();
  await endpoint.close();
});

const compact = (...words: string[]): Promise<Ran> =>
  precisHere(["compact", "chat.json", "--force", "--config", "precis.yaml", ...words], { folder: folder.path });

describe("compact with a configured model", () => {
  it("lets it write, and says what it took", async () => {
    endpoint.play(answer(({ user }) => careful(user)));
    const { code, err } = await compact();
    expect(code).toBe(0);
    expect(err.replace(/\s+/g, " ")).toMatch(
      /written +by small-1, the auxiliary model; \d calls?, [\d,]+ tokens in, [\d,]+ out/,
    );
    expect(endpoint.requests.at(-1)!.user).toContain("=== session ===");
  });

  it("carries the account in --json", async () => {
    const { report } = JSON.parse((await compact("--json")).out) as { report: Record<string, unknown> };
    expect(report["summary"]).toMatchObject({
      by: "model",
      steps: [{ model: "small-1", outcome: "written", calls: 1 }],
    });
    expect(report["modelCalls"]).toBe(1);
  });

  it("says when the model failed and code wrote", async () => {
    endpoint.play(fail("authentication"));
    const { code, err } = await compact();
    expect(code).toBe(0);
    expect(err.replace(/\s+/g, " ")).toMatch(
      /! the auxiliary model small-1 failed \(authentication\): .* ! the handoff was written by code: no model wrote it/,
    );
    expect(err).not.toMatch(/^ {2}written/m);
  });

  it("says what to do about a model that failed", async () => {
    endpoint.play(fail("insufficient-quota"));
    expect((await compact()).err).toContain("! For small-1: check the credit or the quota of its account.");
  });

  it("asks nobody for a look at a file", async () => {
    const before = endpoint.requests.length;
    await precisHere(["inspect", "chat.json"], { folder: folder.path });
    expect(endpoint.requests.length).toBe(before);
  });
});
