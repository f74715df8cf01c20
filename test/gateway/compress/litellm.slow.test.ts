/** The real LiteLLM proxy with precis as its compression service: a conversation goes on past the window of its provider. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ScriptedRequest, Answer } from "../../../provider/src/index.ts";
import { depotOf, says, TURNS, WINDOW_TOKENS } from "../../integrations/past-window.ts";
import { freePort } from "../../support/free-port.ts";
import { installFromPyPI } from "../../support/python.ts";
import { startServer } from "../../support/server-program.ts";
import { precisHere } from "../../cli/precis.ts";
import { stand, temporaryFolder, type Standing } from "../support/standing.ts";

const LITELLM = "litellm[proxy]==1.108.7";
const START_MS_MAX = 120_000;
const TEST_MS_MAX = 300_000;
/** LiteLLM does not start without one. */
const MASTER_KEY = "sk-key-of-this-test-and-of-nothing-else";

const installed = await installFromPyPI("litellm", LITELLM);
if (installed.kind === "missing") process.stderr.write(`LiteLLM is not tested: ${installed.because}\n`);

interface Message {
  readonly role: string;
  readonly content: string;
}

interface Proxy extends Standing {
  readonly ask: (messages: readonly Message[]) => Promise<{ readonly status: number; readonly body: string }>;
}

/** LiteLLM in front of the strict provider, with or without the guardrail. */
async function litellm(bin: string, script: (asked: ScriptedRequest) => Answer, guarded = true): Promise<Proxy> {
  const proof = await stand({
    provider: { every: { windowTokens: WINDOW_TOKENS }, script },
    gateway: { contextLength: WINDOW_TOKENS },
  });
  const folder = temporaryFolder();
  const upstream = { model: "openai/gpt-5.4", api_base: `${proof.providerUrl}/v1`, api_key: "any", num_retries: 0 };
  const config = {
    model_list: [{ model_name: "gpt-5.4", litellm_params: upstream }],
  };
  // JSON is YAML.
  writeFileSync(join(folder, "config.yaml"), JSON.stringify(config));
  const setup = ["setup", "litellm", "--url", proof.url, "--yes"];
  if (guarded) expect(await precisHere(setup, { folder, environment: { HOME: folder } })).toMatchObject({ code: 0 });
  const port = await freePort();
  const words = ["--config", join(folder, "config.yaml"), "--host", "127.0.0.1", "--port", String(port)];
  const url = `http://127.0.0.1:${port}`;
  await startServer({
    name: "LiteLLM",
    command: join(bin, "litellm"),
    words,
    folder,
    environment: {
      PATH: `${bin}:${process.env["PATH"]}`,
      HOME: folder,
      LITELLM_LOCAL_MODEL_COST_MAP: "True",
      LITELLM_MASTER_KEY: MASTER_KEY,
    },
    ready: `${url}/health/liveliness`,
    startMsMax: START_MS_MAX,
  });
  const ask: Proxy["ask"] = async (messages) => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${MASTER_KEY}` },
      body: JSON.stringify({ model: "gpt-5.4", max_tokens: 500, messages }),
    });
    return { status: response.status, body: await response.text() };
  };
  return { ...proof, ask };
}

const noted = (): Answer => ({ text: "Noted." });

/** Until a turn is refused. */
async function converse({ ask }: Proxy): Promise<{ readonly messages: readonly Message[]; readonly refused: number }> {
  const messages: Message[] = [{ role: "system", content: "You look orders up." }];
  for (let turn = 0; turn < TURNS; turn++) {
    messages.push({ role: "user", content: says(turn) });
    const { status } = await ask(messages);
    if (status !== 200) return { messages, refused: status };
    messages.push({ role: "assistant", content: "Noted." });
  }
  return { messages, refused: 0 };
}

describe.skipIf(installed.kind === "missing")("LiteLLM 1.108.7", { timeout: TEST_MS_MAX }, () => {
  const bin = installed.kind === "installed" ? installed.bin : "";

  it("goes on past the window, and its model gets back what was removed", async () => {
    // In the last turn the model asks for the first message that was shortened.
    const asksBack = ({ body, index }: ScriptedRequest): Answer => {
      const text = JSON.stringify(body);
      const hash = /hash=([0-9a-f]{24})/.exec(text)?.[1];
      if (index < TURNS || hash === undefined) return noted();
      if (text.includes("headroom_retrieve") && index === TURNS)
        return { calls: [{ name: "headroom_retrieve", arguments: { hash } }] };
      return { text: /row 0\.39: .*? depot 39/.exec(text)?.[0] ?? "Not there." };
    };
    const proof = await litellm(bin, asksBack);
    const { messages, refused } = await converse(proof);
    expect([refused, proof.provider.account().total]).toMatchObject([0, { answered: TURNS, rejected: {} }]);
    expect(proof.provider.requests.at(-1)!.body).toContain(depotOf(TURNS - 1));
    const { body } = await proof.ask([...messages, { role: "user", content: "Which was the last order of day 0?" }]);
    expect(body).toContain("row 0.39: order 39 shipped to depot 39");
    expect(proof.provider.account().total.rejected).toEqual({});
  });

  it("is refused without it", async () => {
    const { refused } = await converse(await litellm(bin, noted, false));
    expect(refused).toBe(400);
  });
});
