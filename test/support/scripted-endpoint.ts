/**
 * A provider on 127.0.0.1: a real HTTP server that speaks Chat Completions, Responses and Messages, does what a script
 * says with each request, enforces a window of its own if given one, and keeps every request for the test to look at.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { estimateText } from "../../src/core/transcript/estimate.ts";
import { refusalOf, type FailureName, type Refused } from "./scripted-endpoint/failures.ts";
import { PATHS, readRequest, replyBody, type Asked, type Finish } from "./scripted-endpoint/wire.ts";

export { RETRY_AFTER_SECONDS, type FailureName } from "./scripted-endpoint/failures.ts";
export type { Asked, Finish } from "./scripted-endpoint/wire.ts";

export type Text = string | ((asked: Asked) => string);

/** What is done with one request. */
export type Step =
  | {
      readonly kind: "answer";
      readonly text: Text;
      readonly finish?: Finish;
      readonly refusal?: string;
      /** Input tokens said to come from the cache. */
      readonly cacheRead?: number;
      /** False: the answer reports no usage, as some local servers do (Chat only). */
      readonly usage?: boolean;
    }
  | { readonly kind: "fail"; readonly as: FailureName }
  | { readonly kind: "respond"; readonly with: Refused }
  /** The step after a pause; longer than the client waits, and it never sees it. */
  | { readonly kind: "delay"; readonly ms: number; readonly next: Step }
  /** The connection is reset before a byte is sent. */
  | { readonly kind: "reset" }
  /** A whole answer is announced, half of it is sent, and the connection is closed. */
  | { readonly kind: "close-early"; readonly text: Text }
  | { readonly kind: "not-json" }
  /** 200 without a body. */
  | { readonly kind: "empty" }
  /** 200 with JSON that is nobody's answer. */
  | { readonly kind: "wrong-shape" };

export const answer = (text: Text, more: Omit<Extract<Step, { kind: "answer" }>, "kind" | "text"> = {}): Step => ({
  kind: "answer",
  text,
  ...more,
});
export const fail = (as: FailureName): Step => ({ kind: "fail", as });
export const respond = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Step => ({
  kind: "respond",
  with: { status, body, headers },
});
export const delay = (ms: number, next: Step = answer("late")): Step => ({ kind: "delay", ms, next });

/** Steps in the order of the requests, the last one for all that follow; or a choice for each request. */
export type Script = Step | readonly Step[] | ((asked: Asked, index: number) => Step);

export interface EndpointOptions {
  /** Input and requested output together; what is larger is refused as the vendor does. Default: no limit. */
  readonly windowTokens?: number;
  readonly script?: Script;
}

export interface ScriptedEndpoint {
  /** With `/v1`, as a base URL is written. */
  readonly url: string;
  /** Every request so far, also those refused for their size. */
  readonly requests: readonly Asked[];
  /** Replaces the script and starts counting again. */
  readonly play: (script: Script) => void;
  readonly close: () => Promise<void>;
}

export async function startEndpoint({
  windowTokens = Infinity,
  script = answer("ok"),
}: EndpointOptions = {}): Promise<ScriptedEndpoint> {
  const requests: Asked[] = [];
  let playing = { script, from: 0 };
  const stepFor = (asked: Asked): Step => {
    const index = requests.length - 1 - playing.from;
    const { script: now } = playing;
    if (typeof now === "function") return now(asked, index);
    return Array.isArray(now) ? (now as readonly Step[])[Math.min(index, now.length - 1)]! : (now as Step);
  };
  // Node closes idle connections after 5 s, and a busy machine takes longer between two tests.
  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, outgoing) => void serve(incoming, outgoing));
  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const path = incoming.url ?? "";
    const text = await textOf(incoming);
    if (!(path in PATHS)) return send(outgoing, { status: 404, body: { error: { message: `no route ${path}` } } });
    const asked = { ...readRequest(path, text), headers: headersOf(incoming), abandoned: false };
    requests.push(asked);
    outgoing.on("close", () => (asked.abandoned = !outgoing.writableFinished));
    const tooLarge = asked.inputTokens + (asked.maxOutputTokens ?? 0) > windowTokens;
    await perform(tooLarge ? fail("overflow") : stepFor(asked), { asked, outgoing, windowTokens });
  };
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    play: (next) => (playing = { script: next, from: requests.length }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

interface Scene {
  readonly asked: Asked;
  readonly outgoing: ServerResponse;
  readonly windowTokens: number;
}

/** The window that an overflow names where the endpoint enforces none. */
const SAID_WINDOW_TOKENS = 8_192;

async function perform(step: Step, scene: Scene): Promise<void> {
  const { asked, outgoing, windowTokens } = scene;
  switch (step.kind) {
    case "answer":
      return send(outgoing, { status: 200, body: answerTo(asked, step) });
    case "fail":
      return send(
        outgoing,
        refusalOf(step.as, asked, Number.isFinite(windowTokens) ? windowTokens : SAID_WINDOW_TOKENS),
      );
    case "respond":
      return send(outgoing, step.with);
    case "delay":
      await new Promise((done) => {
        const timer = setTimeout(done, step.ms);
        outgoing.on("close", () => (clearTimeout(timer), done(undefined)));
      });
      return outgoing.destroyed ? undefined : perform(step.next, scene);
    case "reset":
      outgoing.socket?.resetAndDestroy();
      return;
    case "close-early": {
      const whole = JSON.stringify(answerTo(asked, { kind: "answer", text: step.text }));
      outgoing.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(whole) });
      outgoing.write(whole.slice(0, whole.length / 2), () => outgoing.socket?.destroy());
      return;
    }
    case "not-json":
      return send(outgoing, { status: 200, body: "<!doctype html><title>Sign in</title>" });
    case "empty":
      return send(outgoing, { status: 200, body: "" });
    case "wrong-shape":
      return send(outgoing, { status: 200, body: { result: "fine", took_ms: 3 } });
  }
}

function answerTo(asked: Asked, step: Extract<Step, { kind: "answer" }>): unknown {
  const text = typeof step.text === "string" ? step.text : step.text(asked);
  const usage = { input: asked.inputTokens, output: estimateText(text), cacheRead: step.cacheRead ?? 0 };
  return replyBody(asked, {
    text,
    finish: step.finish ?? "stop",
    usage: step.usage === false ? undefined : usage,
    ...(step.refusal === undefined ? {} : { refusal: step.refusal }),
  });
}

function send(outgoing: ServerResponse, { status, headers, body }: Refused): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const type = typeof body === "string" && body !== "" ? "text/html" : "application/json";
  outgoing.writeHead(status, { "content-type": type, ...headers });
  outgoing.end(text);
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function headersOf(incoming: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
}
