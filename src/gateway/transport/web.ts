/** The same handle behind the web's own types, for programs that embed the gateway: a `Request` in, a `Response` out. */
import type { ClientRequest, Bytes, ClientResponse, RequestHandler } from "../contract.ts";
import { clientDisconnected } from "./failures.ts";
import { refuseError } from "./refusals.ts";

/** These have no body, and `Response` insists on it. */
const BODILESS: ReadonlySet<number> = new Set([101, 204, 205, 304]);

export function webHandle(handle: RequestHandler): (request: Request) => Promise<Response> {
  return async (request) => {
    const gone = new AbortController();
    const leave = (): void => gone.abort(clientDisconnected());
    if (request.signal.aborted) leave();
    else request.signal.addEventListener("abort", leave, { once: true });
    const client = clientRequestOf(request, gone.signal);
    return responseOf(await handle(client).catch((error: unknown) => refuseError(client, error)), leave);
  };
}

function clientRequestOf(request: Request, signal: AbortSignal): ClientRequest {
  const { pathname, search } = new URL(request.url);
  return {
    method: request.method,
    target: pathname + search,
    headers: [...request.headers],
    body: request.body ?? undefined,
    signal,
  };
}

function responseOf({ status, headers, body }: ClientResponse, leave: () => void): Response {
  const lines = headers.map(([name, value]): [string, string] => [name, value]);
  const content = body === undefined || BODILESS.has(status) ? null : body;
  const sent = content === null || content instanceof Uint8Array ? content : streamOf(content, leave);
  return new Response(sent as ConstructorParameters<typeof Response>[0], { status, headers: lines });
}

/** Pulled as it is read; whoever cancels it has left. */
function streamOf(body: Bytes, leave: () => void): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const next = await chunks.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: async () => {
        leave();
        await chunks.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
