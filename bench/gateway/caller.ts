/** One client with its connections kept open, and the times of its calls. */
import { Agent, request, type IncomingMessage } from "node:http";

export interface Call {
  readonly body: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Timing {
  readonly status: number;
  /** Until the first byte of the body. */
  readonly firstByteMs: number;
  readonly totalMs: number;
  readonly bytes: number;
  /** What the gateway says that it did. */
  readonly treatment: string;
  /** When a request that was refused may come again. */
  readonly retryAfterSeconds?: number;
}

export interface Caller {
  readonly call: (call: Call) => Promise<Timing>;
  readonly close: () => void;
}

const PATH = "/v1/chat/completions";

export function createCaller(url: string, path = PATH): Caller {
  const agent = new Agent({ keepAlive: true });
  const target = new URL(path, url);
  const call = ({ body, headers = {} }: Call): Promise<Timing> => {
    const { promise, resolve, reject } = Promise.withResolvers<Timing>();
    const startMs = performance.now();
    const answered = (response: IncomingMessage): void => {
      let firstByteMs: number | undefined;
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        firstByteMs ??= performance.now() - startMs;
        bytes += chunk.length;
      });
      response.on("error", reject);
      response.on("end", () => {
        const totalMs = performance.now() - startMs;
        const treatment = String(response.headers["x-precis"] ?? "");
        const retryAfter = response.headers["retry-after"];
        resolve({
          status: response.statusCode ?? 0,
          firstByteMs: firstByteMs ?? totalMs,
          totalMs,
          bytes,
          treatment,
          ...(retryAfter === undefined ? {} : { retryAfterSeconds: Number(retryAfter) }),
        });
      });
    };
    const sent = {
      "content-type": "application/json",
      "content-length": String(body.length),
      authorization: "Bearer bench",
    };
    const outgoing = request(target, { method: "POST", agent, headers: { ...sent, ...headers } }, answered);
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      // A server closes a connection that was idle for seconds, as it is where others are asked in turns: asked again.
      if (outgoing.reusedSocket && error.code === "ECONNRESET") resolve(call({ body, headers }));
      else reject(error);
    });
    outgoing.end(body);
    return promise;
  };
  return { call, close: () => agent.destroy() };
}
