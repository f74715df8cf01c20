/** The real OpenClaw gateway with our context engine, against the strict provider. The built package is what it loads. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createProvider, type Provider, type ScriptedRequest } from "../../provider/src/index.ts";
import { precisHere } from "../cli/precis.ts";
import { atEnd, temporaryFolder } from "../gateway/support/standing.ts";
import { depotOf, says } from "../integrations/past-window.ts";
import { freePort } from "../support/free-port.ts";
import { installFromNpm } from "../support/npm-package.ts";
import { startServer } from "../support/server-program.ts";

const OPENCLAW = "openclaw@2026.9.6";
const ROOT = resolve(import.meta.dirname, "../..");
const TEST_MS_MAX = 900_000;
const START_MS_MAX = 300_000;
const WINDOW_TOKENS = 48_000;
const TURNS = 60;
const TOKEN = "token-of-this-test-and-of-nothing-else";
const QUESTION = "Where did the order of row 20.17 go?";
const ANSWER = "It went to depot 17.";
/** A line of turn 20 that no handoff quotes. */
const LINE = "row 20.17: order 1957 shipped to depot 17";

const installed = await installFromNpm(OPENCLAW);
if (installed.kind === "missing") process.stderr.write(`OpenClaw is not tested: ${installed.because}\n`);

/** At the end its model asks for what was said in an early turn. */
const script = ({ body }: ScriptedRequest) => {
  const text = JSON.stringify(body);
  if (!text.includes(QUESTION)) return { text: "Noted." };
  if (text.includes("recallcall"))
    return {
      text: text.includes(LINE) ? ANSWER : "It is not there.",
    };
  const wanted = { query: "row 20.17" };
  // OpenClaw shows tools of plugins by a search; `tool_call` calls one by its name.
  if (/"name":"precis_recall"/.test(text))
    return { calls: [{ id: "recallcall", name: "precis_recall", arguments: wanted }] };
  return { calls: [{ id: "recallcall", name: "tool_call", arguments: { id: "precis_recall", args: wanted } }] };
};

interface Running {
  readonly provider: Provider;
  readonly say: (text: string) => Promise<string>;
}

async function openclaw(): Promise<Running> {
  const { folder } = installed as { readonly folder: string };
  const provider = createProvider({ every: { windowTokens: WINDOW_TOKENS }, script });
  const { url, close } = await provider.listen();
  atEnd(close);
  const home = temporaryFolder();
  const port = await freePort();
  for (const name of [".openclaw", "work"]) mkdirSync(join(home, name));
  const model = {
    id: "gpt-5.4",
    name: "gpt-5.4",
    reasoning: false,
    input: ["text"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: WINDOW_TOKENS,
    maxTokens: 1_000,
  };
  const strict = { baseUrl: `${url}/v1`, apiKey: "any", api: "openai-completions", models: [model] };
  const config = {
    gateway: {
      mode: "local",
      port,
      auth: { mode: "token", token: TOKEN },
      http: { endpoints: { chatCompletions: { enabled: true } } },
    },
    agents: { defaults: { model: { primary: "strict/gpt-5.4" }, workspace: join(home, "work"), skipBootstrap: true } },
    models: { mode: "merge", providers: { strict } },
  };
  writeFileSync(join(home, ".openclaw/openclaw.json"), JSON.stringify(config));
  expect(await precisHere(["setup", "openclaw", "--yes"], { folder: home, environment: { HOME: home } })).toMatchObject(
    { code: 0 },
  );
  const base = `http://127.0.0.1:${port}`;
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  await startServer({
    name: "OpenClaw",
    command: process.execPath,
    words: [join(folder, "node_modules/openclaw/openclaw.mjs"), "gateway", "--port", String(port)],
    folder: join(home, "work"),
    environment: { PATH: process.env["PATH"], HOME: home },
    ready: `${base}/v1/models`,
    headers,
    startMsMax: START_MS_MAX,
  });
  const say = async (text: string): Promise<string> => {
    const body = JSON.stringify({ model: "openclaw", user: "one", messages: [{ role: "user", content: text }] });
    const response = await fetch(`${base}/v1/chat/completions`, { method: "POST", headers, body });
    const answer = (await response.json()) as {
      readonly choices?: readonly { readonly message: { readonly content: string } }[];
    };
    return answer.choices?.[0]?.message.content ?? JSON.stringify(answer);
  };
  return { provider, say };
}

async function converse({ say }: Running): Promise<string[]> {
  const answers: string[] = [];
  for (let turn = 0; turn < TURNS; turn++) answers.push(await say(`${says(turn)}\n${says(turn + TURNS)}`));
  return answers;
}

describe.skipIf(installed.kind === "missing")("OpenClaw 2026.9.6", { timeout: TEST_MS_MAX }, () => {
  beforeAll(() => void execFileSync("npm", ["run", "build", "--silent"], { cwd: ROOT }), TEST_MS_MAX);

  it("goes on past its window with our engine, and its model finds what was removed", async () => {
    const running = await openclaw();
    expect(new Set(await converse(running))).toEqual(new Set(["Noted."]));
    expect(running.provider.account().total.rejected).toEqual({});
    const last = running.provider.requests.at(-1)!.body;
    const shown = ["[precis handoff", depotOf(TURNS - 1), LINE].map((text) => last.includes(text));
    expect(shown).toEqual([true, true, false]);
    expect(await running.say(QUESTION)).toBe(ANSWER);
    expect(running.provider.account().total.rejected).toEqual({});
  });
});
