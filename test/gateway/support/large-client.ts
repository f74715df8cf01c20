/** The strict provider and the sender of large requests, in a thread of their own: what they cost is not the gateway's. */
import { parentPort } from "node:worker_threads";
import { createProvider } from "../../../provider/src/provider.ts";

export type LargeKind = "long" | "many";
export type ToClient = { readonly url: string; readonly kind: LargeKind; readonly name: string };
export type FromClient = { readonly provider: string } | { readonly status: number; readonly treatment: string };

const FILES = 10;
const FILE_CHARS = 1_380_000;
const MESSAGES = 19_998;
const MAX_OUTPUT_TOKENS = 500;

const port = parentPort!;
const provider = createProvider({ every: { windowTokens: 100_000_000 } });
const { url } = await provider.listen();
port.on("message", (message: ToClient) => void send(message));
say({ provider: url });

function say(message: FromClient): void {
  port.postMessage(message);
}

/** Another name, another session: nothing of it was kept before. */
async function send({ url: gateway, kind, name }: ToClient): Promise<void> {
  const messages = [{ role: "user", content: `Session ${name}.` }, ...(kind === "long" ? long(name) : many(name))];
  const body = JSON.stringify({ model: "gpt-5.4", max_completion_tokens: MAX_OUTPUT_TOKENS, messages });
  const response = await fetch(`${gateway}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer key" },
    body,
  });
  await response.text();
  say({ status: response.status, treatment: response.headers.get("x-precis") ?? "" });
}

/** 14 MB in few messages. */
function long(name: string): object[] {
  const page = "word7 and others on this line\n".repeat(FILE_CHARS / 30);
  const files = Array.from({ length: FILES }, (_, at) => [
    { role: "assistant", content: null, tool_calls: [callOf(at)] },
    { role: "tool", tool_call_id: `call_${at}`, content: `File ${at} of ${name}\n${page}` },
  ]);
  return [{ role: "user", content: "Read all of these files." }, ...files.flat()];
}

function callOf(at: number): object {
  return { id: `call_${at}`, type: "function", function: { name: "read", arguments: `{"path":"src/${at}.ts"}` } };
}

/** 1 MB in as many messages as are read. */
function many(name: string): object[] {
  return Array.from({ length: MESSAGES }, (_, at) => ({
    role: at % 2 === 0 ? "assistant" : "user",
    content: `Message ${at} of many in ${name}.`,
  }));
}
