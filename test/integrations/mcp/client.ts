/** The SDK's own client at a real `precis mcp`, over a file that a real gateway has written. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { textMessage, type Message, type Transcript } from "../../../src/core/transcript/message.ts";
import { createGateway } from "../../../src/gateway/index.ts";
import { openSqliteStore } from "../../../src/store/index.ts";
import { NODE_ENVIRONMENT } from "../../cli/precis.ts";
import { ask, bodyOf, worked, type Told } from "../../gateway/support/asking.ts";

const BIN = resolve(import.meta.dirname, "../../../src/cli/bin.ts");
export interface Said {
  readonly text: string;
  readonly failed: boolean;
}

export interface Connected {
  readonly client: Client;
  readonly call: (name: string, given?: Readonly<Record<string, unknown>>) => Promise<Said>;
  readonly err: () => string;
  readonly pid: number;
}

/** A client at a process of its own; whoever calls closes it. */
export async function connected(folder: string, words: readonly string[] = []): Promise<Connected> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, "mcp", "--store", join(folder, "history.db"), ...words],
    cwd: folder,
    env: Object.fromEntries(
      Object.entries({ ...NODE_ENVIRONMENT, HOME: folder }).filter(
        (one): one is [string, string] => one[1] !== undefined,
      ),
    ),
    stderr: "pipe",
  });
  let err = "";
  transport.stderr?.on("data", (chunk) => (err += String(chunk)));
  const client = new Client({ name: "a-scripted-agent", version: "1.0.0" });
  await client.connect(transport);
  const call: Connected["call"] = async (name, given = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: given });
    const [first, ...more] = content as { readonly type: string; readonly text: string }[];
    if (first?.type !== "text" || more.length > 0) throw new Error("an answer is one text");
    return { text: first.text, failed: isError === true };
  };
  return { client, call, err: () => err, pid: transport.pid! };
}

/** A gateway in front of a provider that says the same to everything. */
export interface Kept {
  /** Sends a conversation on; the tenant is the credential's. */
  readonly say: (tenant: string, transcript: Transcript, session: string) => Promise<Told>;
  /** The messages that went out last. */
  readonly sent: () => string;
  readonly close: () => Promise<void>;
}

/** What a provider says to anything, with a usage that teaches nothing. */
const ANSWER = JSON.stringify({ id: "x", choices: [] });

async function provider() {
  let body = "";
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      body = Buffer.concat(chunks).toString();
      response.writeHead(200, { "content-type": "application/json" }).end(ANSWER);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, last: () => body, close };
}

export async function gatewayOn(folder: string, windowTokens: number, engine = "compressor"): Promise<Kept> {
  const upstream = await provider();
  const store = await openSqliteStore({ path: join(folder, "history.db") });
  const gateways = new Map<string, Awaited<ReturnType<typeof listening>>>();
  const listening = async (tenant: string) => {
    const gateway = createGateway({
      upstreams: { openai: { url: upstream.url } },
      tenant: { name: tenant },
      store,
      contextLength: windowTokens,
      engine,
    });
    return { gateway, ...(await gateway.listen({ port: 0 })) };
  };
  return {
    say: async (tenant, transcript, session) => {
      const here = gateways.get(tenant) ?? (await listening(tenant));
      gateways.set(tenant, here);
      const body = bodyOf("openai-chat", transcript);
      return ask(here.url, { protocol: "openai-chat", body, headers: { "x-precis-session": session } });
    },
    sent: () => upstream.last(),
    close: async () => {
      for (const { gateway, close } of gateways.values()) {
        await close();
        await gateway.close();
      }
      await store.close();
      upstream.close();
    },
  };
}

/** Messages before what is read once: the head, which stays, and a little more. */
const BEFORE = 9;

/** An agent at work that read something once, early, and then much else. */
export function workedAfter(name: string, found: string, steps = 14): Transcript {
  const { system, messages } = worked(name, steps, 300);
  const early: readonly Message[] = [
    {
      role: "assistant",
      parts: [
        { kind: "tool-call", id: "call_found", name: "read", arguments: JSON.stringify({ path: `etc/${name}.txt` }) },
      ],
    },
    { role: "tool", parts: [{ kind: "tool-result", callId: "call_found", content: [{ kind: "text", text: found }] }] },
  ];
  return { system, messages: [...messages.slice(0, BEFORE), ...early, ...messages.slice(BEFORE)] };
}

export function longer({ system, messages }: Transcript, request: string): Transcript {
  return { system, messages: [...messages, textMessage("assistant", "Done."), textMessage("user", request)] };
}
