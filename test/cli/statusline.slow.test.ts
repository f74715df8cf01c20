/** `precis statusline`: what a client says becomes one line, with what its gateway knows; whatever is missing, it never fails. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createProvider } from "../../provider/src/provider.ts";
import { ask, bodyOf, worked } from "../gateway/support/asking.ts";
import { serve } from "../gateway/support/serving.ts";
import { atEnd, temporaryFolder } from "../gateway/support/standing.ts";
import { PROTOCOL_MODELS } from "../../provider/test/models.ts";
import { precis, precisHere } from "./precis.ts";

const folder = mkdtempSync(join(tmpdir(), "precis-statusline-"));
afterAll(() => rmSync(folder, { recursive: true }));

const USAGE = {
  input_tokens: 200,
  output_tokens: 800,
  cache_read_input_tokens: 60_000,
  cache_creation_input_tokens: 1_200,
};
/** Nothing listens there. */
const NOWHERE = { ANTHROPIC_BASE_URL: "http://127.0.0.1:1" };

function claudeCode(more: object = {}): string {
  return JSON.stringify({
    hook_event_name: "Status",
    session_id: "4c3b",
    model: { id: "claude-sonnet-4-5", display_name: "Sonnet" },
    cost: { total_cost_usd: 1.234 },
    context_window: { context_window_size: 200_000, current_usage: USAGE },
    ...more,
  });
}

const line = async (
  input: string,
  environment: Readonly<Record<string, string>> = NOWHERE,
  words: readonly string[] = [],
) => precisHere(["statusline", ...words], { input, environment, folder });

describe("precis statusline", () => {
  it("says the share of the window, the spend and the cache", async () => {
    const { code, out } = await line(claudeCode());
    expect([code, out]).toEqual([0, "precis off · ███▏░░░░░░ 62k of 200k (31 %) · $1.23 · cache 98 %\n"]);
  });

  it("fits the terminal that it is shown in", async () => {
    const { out } = await line(claudeCode(), { ...NOWHERE, COLUMNS: "40" });
    expect(out).toBe("precis off · 62k of 200k (31 %) · $1.23\n");
  });

  it("says that precis is at work where Claude Code loads it itself", async () => {
    const settings = temporaryFolder();
    const environment = { ...NOWHERE, CLAUDE_CONFIG_DIR: settings };
    const setup = ["setup", "claude", "--inside", "--yes"];
    expect(
      await precisHere(setup, { environment: { ...environment, XDG_STATE_HOME: settings }, folder }),
    ).toMatchObject({ code: 0 });
    expect((await line(claudeCode(), environment)).out).toMatch(/^precis · .* 62k of 200k/);
    expect(JSON.parse((await line(claudeCode(), environment, ["--json"])).out)).toMatchObject({
      gateway: false,
      inside: true,
    });
  });

  it.each(["", "{", "null", "[]", '{"context_window":7,"cost":"much","model":null,"transcript_path":"/nowhere"}'])(
    "is a line for %s too",
    async (input) => {
      expect(await line(input)).toEqual({ code: 0, out: "precis off\n", err: "" });
    },
  );

  it("takes figures from any other client, and gives them as JSON", async () => {
    const words = ["--tokens", "150k", "--window", "1m", "--model", "gpt-5", "--json"];
    const { out } = await line("", NOWHERE, words);
    expect(JSON.parse(out)).toEqual({ tokens: 150_000, windowTokens: 1_000_000, model: "gpt-5", gateway: false });
  });

  it("says when the gateway compacts that the client uses", async () => {
    const provider = createProvider({ script: { text: "Done." } });
    const { url: upstream, close } = await provider.listen();
    atEnd(close);
    const home = temporaryFolder();
    const { url } = await serve({ upstream, folder: home });
    const environment = {
      HOME: home,
      XDG_CONFIG_HOME: home,
      XDG_DATA_HOME: home,
      ANTHROPIC_BASE_URL: `${url}/upstreams/x`,
    };
    const model = PROTOCOL_MODELS["anthropic-messages"];
    const before = await precis(["statusline"], {
      input: claudeCode({ model: { id: model } }),
      folder: home,
      environment,
    });
    expect(before.out).toBe("precis · ███▏░░░░░░ 62k of 200k (31 %) · compacts at 100k · $1.23 · cache 98 %\n");
    await ask(url, { protocol: "anthropic-messages", body: bodyOf("anthropic-messages", worked("line", 12)) });
    const asked = await precis(["statusline", "--json"], {
      input: claudeCode({ model: { id: model } }),
      folder: home,
      environment,
    });
    const { compactsAtTokens, gateway } = JSON.parse(asked.out) as { compactsAtTokens: number; gateway: boolean };
    expect(gateway).toBe(true);
    expect(compactsAtTokens).toBeGreaterThan(50_000);
    expect(asked.err).toBe("");
  });

  it("does not wait for a gateway that does not answer", async () => {
    const server = createServer(() => undefined).listen(0, "127.0.0.1");
    await new Promise((done) => server.once("listening", done));
    atEnd(() => (server.closeAllConnections(), server.close()));
    const { port } = server.address() as AddressInfo;
    const began = performance.now();
    const { out } = await line(claudeCode(), { ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` });
    expect(out).toContain("precis off");
    expect(performance.now() - began).toBeLessThan(3_000);
  });
});
