/** What the plugin for Claude Code answers its hooks with. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createGateway } from "../../src/gateway/index.ts";
import { createOwnRoutes } from "../../src/gateway/operation/own-routes.ts";
import { precisHere, temporaryFolder } from "./precis.ts";

const RULE = "Never change the archive folder.";
const line = (role: "user" | "assistant", text: string, at: number): string =>
  JSON.stringify({
    type: role,
    uuid: `u${at}`,
    parentUuid: at === 0 ? null : `u${at - 1}`,
    sessionId: "s",
    timestamp: `2026-11-20T10:00:0${at}.000Z`,
    message: { role, content: role === "user" ? text : [{ type: "text", text }] },
  });

function hook(event: object, environment: Record<string, string> = {}) {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  return precisHere(["hook"], { folder: folder.path, environment, input: JSON.stringify(event) });
}

async function runningGateway(): Promise<string> {
  const own = createOwnRoutes({
    metrics: { text: async () => "", contentType: "text/plain" },
    status: () => ({}) as never,
    checkStore: async () => undefined,
    stopping: () => false,
    token: "token",
    history: {} as never,
    loopback: true,
  });
  const gateway = createGateway({ ownRoutes: (request) => own.fetch(request) });
  const listening = await gateway.listen();
  onTestFinished(async () => {
    await listening.close();
    await gateway.close();
  });
  return listening.url;
}

describe("before a compaction", () => {
  it("blocks an automatic one while the gateway answers, and no other one", async () => {
    const environment = { ANTHROPIC_BASE_URL: await runningGateway() };
    const event = { hook_event_name: "PreCompact", trigger: "auto" };
    expect(await hook(event, environment)).toMatchObject({ code: 2, err: expect.stringContaining("gateway") });
    expect((await hook({ ...event, trigger: "manual" }, environment)).code).toBe(0);
    expect((await hook(event, { ANTHROPIC_BASE_URL: "http://127.0.0.1:9" })).code).toBe(0);
    expect((await hook(event)).code).toBe(0);
  });
});

describe("after a compaction", () => {
  it("brings the rules of the session back, and nothing after another start", async () => {
    const folder = temporaryFolder();
    onTestFinished(folder.remove);
    const path = join(folder.path, "session.jsonl");
    const said = [RULE, "It stays.", "List the files.", "There is one."];
    writeFileSync(path, said.map((text, at) => line(at % 2 === 0 ? "user" : "assistant", text, at)).join("\n"));
    const event = { hook_event_name: "SessionStart", source: "compact", transcript_path: path };
    const { code, out } = await hook(event);
    const { hookSpecificOutput } = JSON.parse(out) as { hookSpecificOutput: Record<string, string> };
    expect([code, hookSpecificOutput["hookEventName"]]).toEqual([0, "SessionStart"]);
    expect(hookSpecificOutput["additionalContext"]).toContain(RULE);
    expect(await hook({ ...event, source: "startup" })).toMatchObject({ code: 0, out: "" });
  });

  it.each([[{}], [{ hook_event_name: "SessionStart", source: "compact", transcript_path: "gone.jsonl" }]])(
    "never stands in the way: %j",
    async (event) => {
      expect(await hook(event)).toMatchObject({ code: 0, out: "" });
    },
  );
});
