/** Hermes with our context engine, which asks a gateway on this machine; alone, it has its model write summaries. */
import { dirname, join } from "node:path";
import type { Client, Place } from "../client.ts";
import { startGateway } from "../gateway.ts";
import type { Action } from "../task.ts";
import type { Begun, Host } from "./host.ts";

const MODEL = "gpt-5.4";
/** It refuses smaller ones. */
const WINDOW_TOKENS = 64_000;

const hermes: Client = {
  name: "hermes-agent",
  title: "Hermes",
  package: "hermes-agent",
  isPython: true,
  version: "0.19.0",
  protocol: "openai-chat",
  model: MODEL,
  windowTokens: WINDOW_TOKENS,
  program: ({ installed }) => [join(installed, "bin/hermes")],
  files: ({ base }) => ({
    // It checks what was edited with a compiler that it would load.
    ".npmrc": "offline=true\n",
    ".hermes/config.yaml": JSON.stringify({
      model: {
        default: MODEL,
        provider: "custom",
        base_url: `${base}/v1`,
        context_length: WINDOW_TOKENS,
        max_tokens: 4_096,
      },
      context: { engine: "compressor" },
      agent: { max_turns: 200 },
    }),
  }),
  environment: ({ home, installed }) => ({
    HERMES_HOME: join(home, ".hermes"),
    OPENAI_API_KEY: "key-of-hermes",
    PATH: `${join(installed, "bin")}:${process.env["PATH"]}`,
  }),
  words: (prompt, goesOn) => [
    "chat",
    "-Q",
    "--yolo",
    "-t",
    "terminal,file,context_engine",
    ...(goesOn ? ["--continue"] : []),
    "-q",
    prompt,
  ],
  callFor,
  compactsFirst: {},
  aside: () => ({ text: "A depot" }),
  complaints: () => [],
};

export const hermesHost: Host = {
  name: "hermes",
  title: `Hermes ${hermes.version}`,
  client: hermes,
  windowTokens: WINDOW_TOKENS,
  files: hermes.files,
  setup: ["hermes"],
  begin,
  recall: (query) => ({ name: "precis_recall", arguments: { query } }),
};

async function begin({ base, home }: Place, inside: boolean): Promise<Begun | undefined> {
  if (!inside) return undefined;
  const store = join(dirname(home), "history.db");
  const gateway = await startGateway({ upstream: base, contextTokens: WINDOW_TOKENS, store, home });
  return { base, environment: { PRECIS_URL: gateway.url }, stop: gateway.stop };
}

function callFor(action: Action): { readonly name: string; readonly arguments: unknown } {
  switch (action.kind) {
    case "own":
      return { name: action.name, arguments: action.arguments };
    case "read":
      return { name: "read_file", arguments: { path: action.path } };
    case "run":
      return { name: "terminal", arguments: { command: action.command } };
    case "write":
      return { name: "write_file", arguments: { path: action.path, content: action.content } };
    case "edit":
      return {
        name: "patch",
        arguments: { mode: "replace", path: action.path, old_string: action.before, new_string: action.after },
      };
  }
}
