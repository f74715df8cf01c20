/**
 * What Claude Code's search for tools saves behind the gateway: the same request with a hundred MCP tools, once with all of
 * their definitions in it and once with the search, as `ENABLE_TOOL_SEARCH` says. Both times the model calls one of the tools.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createProvider, type RequestRecord, type ScriptedRequest } from "../provider/src/index.ts";
import type { Answer } from "../provider/src/answers.ts";
import { fieldsOf, listOf, textOf } from "../src/protocols/fields.ts";
import { claudeCode } from "./claude-code.ts";
import { startGateway } from "./gateway.ts";
import { findInstalled } from "./install.ts";
import { answerOf, SERVER_NAME, toolName, TOOLS } from "./many-tools.ts";
import { startClient } from "./trial.ts";

export const TOOL_SEARCH = "tool-search";

const SERVER_FILE = join(import.meta.dirname, "many-tools.ts");
const WINDOW_TOKENS = 200_000;
/** A tool that no request shows unless it was searched for. */
const WANTED = 42;
const PROMPT = "How many parcels did depot 42 weigh today?";
const SEARCH = "ToolSearch";
/** Of what the definitions take, the search has to save so much. */
const SAVED_SHARE_MIN = 0.9;

interface Measured {
  /** MCP tools that are defined in the first request. */
  readonly defined: number;
  /** Tokens of the first request, as the provider counts them. */
  readonly firstTokens: number;
  readonly requests: number;
  readonly refused: number;
  /** Whether the tool's answer reached the model. */
  readonly found: boolean;
  readonly code: number | null;
}

export interface ToolSearchVerdict {
  readonly client: string;
  readonly version: string;
  readonly tools: number;
  readonly off: Measured;
  readonly on: Measured;
  readonly faults: readonly string[];
}

/** Undefined where the client is not installed. */
export async function runToolSearch(): Promise<ToolSearchVerdict | undefined> {
  const done = await findInstalled(claudeCode);
  if (done.kind === "missing") return undefined;
  const [off, on] = [await measured(done.folder, "false"), await measured(done.folder, "true")];
  const { version } = claudeCode;
  return { client: TOOL_SEARCH, version, tools: TOOLS, off, on, faults: faultsOf(off, on) };
}

async function measured(installed: string, search: "true" | "false"): Promise<Measured> {
  const root = await mkdtemp(join(tmpdir(), "precis-e2e-tool-search-"));
  const [home, workspace, servers] = [join(root, "home"), join(root, "work"), join(root, "mcp.json")];
  await Promise.all([mkdir(home), mkdir(workspace)]);
  const server = { command: process.execPath, args: [SERVER_FILE] };
  await writeFile(servers, JSON.stringify({ mcpServers: { [SERVER_NAME]: server } }));
  const provider = createProvider({ every: { windowTokens: WINDOW_TOKENS }, script: answerTo });
  const listening = await provider.listen();
  const setup = { upstream: listening.url, contextTokens: WINDOW_TOKENS, store: join(root, "history.db"), home };
  const gateway = await startGateway(setup);
  const place = { base: gateway.url, home, workspace, installed };
  try {
    for (const [name, text] of Object.entries(claudeCode.files(place))) await writeFile(join(home, name), text);
    const client: typeof claudeCode = {
      ...claudeCode,
      environment: (at) => ({ ...claudeCode.environment(at), ENABLE_TOOL_SEARCH: search }),
      words: (prompt) => {
        const configured = ["--mcp-config", servers, "--strict-mcp-config"];
        const allowed = ["--allowedTools", `${SEARCH},mcp__${SERVER_NAME}`];
        return ["--model", claudeCode.model, "--output-format", "json", ...configured, ...allowed, "-p", prompt];
      },
    };
    const { code } = await startClient(client, place, { prompt: PROMPT, goesOn: false });
    return { ...figuresOf(provider.requests), code };
  } finally {
    await gateway.stop();
    await listening.close();
    await rm(root, { recursive: true, force: true });
  }
}

/** Searches where the tool is not there, calls it where it is, and then says what it answered. */
function answerTo({ body }: ScriptedRequest): Answer {
  const text = JSON.stringify(body);
  const wanted = `mcp__${SERVER_NAME}__${toolName(WANTED)}`;
  if (!text.includes(PROMPT) || !/"tools":\[\{/.test(text)) return { text: "A depot" };
  if (text.includes(answerOf(WANTED))) return { text: answerOf(WANTED) };
  const searched = text.includes(`"name":"${SEARCH}","input"`) || text.includes('"tool_reference"');
  if (!searched && !isDefined(body, wanted))
    return { calls: [{ name: SEARCH, arguments: { query: `select:${wanted}` } }] };
  return { calls: [{ name: wanted, arguments: {} }] };
}

/** A tool that is deferred is only named. */
function isDefined(body: ScriptedRequest["body"], name: string): boolean {
  return listOf(body["tools"]).some((tool) => {
    const { name: is, defer_loading: deferred } = fieldsOf(tool);
    return is === name && deferred !== true;
  });
}

function figuresOf(requests: readonly RequestRecord[]): Omit<Measured, "code"> {
  const asked = requests.filter(({ body }) => body.includes(PROMPT) && /"tools":\[\{/.test(body));
  const [first] = asked;
  const tools = first === undefined ? [] : listOf(fieldsOf(JSON.parse(first.body))["tools"]);
  const own = tools.filter((tool) => textOf(fieldsOf(tool)["name"])?.startsWith(`mcp__${SERVER_NAME}__`) === true);
  return {
    defined: own.filter((tool) => fieldsOf(tool)["defer_loading"] !== true).length,
    firstTokens: first?.use?.inputTokens ?? 0,
    requests: asked.length,
    refused: requests.filter(({ outcome }) => outcome === "refused").length,
    found: asked.some(({ body }) => body.includes(answerOf(WANTED))),
  };
}

function faultsOf(off: Measured, on: Measured): readonly string[] {
  const each = Object.entries({ off, on }).flatMap(([name, { code, refused, found }]) => [
    ...(code === 0 ? [] : [`with the search ${name} the client ended with ${code}`]),
    ...(refused === 0 ? [] : [`with the search ${name} the provider refused ${refused} requests`]),
    ...(found ? [] : [`with the search ${name} the tool was not called`]),
  ]);
  const saves = on.defined <= off.defined * (1 - SAVED_SHARE_MIN) && on.firstTokens < off.firstTokens;
  return [...each, ...(saves ? [] : [`the search defined ${on.defined} of ${off.defined} tools`])];
}

/** The verdict for a person. */
export function toolSearchLine({ version, tools, off, on, faults }: ToolSearchVerdict): string {
  const of = ({ defined, firstTokens, requests }: Measured): string =>
    `${defined} of ${tools} MCP tools defined, first request ${firstTokens} tokens, ${requests} requests`;
  return `${[
    `tool search (Claude Code ${version}), off: ${of(off)}`,
    `tool search (Claude Code ${version}), on:  ${of(on)}; ${off.firstTokens - on.firstTokens} tokens fewer in every request`,
    ...faults.map((fault) => `FAULT ${TOOL_SEARCH}: ${fault}`),
  ].join("\n")}\n`;
}
