/** The same handle behind the web's own types, for programs that embed the gateway: a `Request` in, a `Response` out. */
import type { ClientRequest, Bytes, ClientResponse, RequestHandler } from "../contract.ts";
import { clientDisconnected } from "./failures.ts";
import { refuseError } from "./refusals.ts";

/** These have no body, and `Response` insists on it. */
const BODILESS: ReadonlySet<number> = new Set([101, 204, 205, 304]);

export function webHandle(handle: RequestHandler): (request: Request) => Promise<Response> {
  /** Requests under way: one that is collected as garbage no longer hears that its caller aborts. */
  const held = new Set<Request>();
  return async (request) => {
    const gone = new AbortController();
    const leave = (): void => {
      gone.abort(clientDisconnected());
      held.delete(request);
    };
    held.add(request);
    if (request.signal.aborted) leave();
    else request.signal.addEventListener("abort", leave, { once: true });
    const client = toClientRequest(request, gone.signal);
    const answer = await handle(client).catch((error: unknown) => refuseError(client, error));
    return toResponse(answer, { signal: request.signal, leave, end: () => held.delete(request) });
  };
}

interface Caller {
  readonly signal: AbortSignal;
  readonly leave: () => void;
  readonly end: () => void;
}

function toClientRequest(request: Request, signal: AbortSignal): ClientRequest {
  const { pathname, search } = new URL(request.url);
  return {
    method: request.method,
    target: pathname + search,
    headers: [...request.headers],
    body: request.body ?? undefined,
    signal,
  };
}

function toResponse({ status, headers, body }: ClientResponse, caller: Caller): Response {
  const lines = headers.map(([name, value]): [string, string] => [name, value]);
  const content = body === undefined || BODILESS.has(status) ? null : body;
  const whole = content === null || content instanceof Uint8Array;
  if (whole) caller.end();
  const sent = whole ? content : toStream(content, caller);
  return new Response(sent as ConstructorParameters<typeof Response>[0], { status, headers: lines });
}

/** Pulled as it is read; whoever cancels it has left. A caller that aborts reads its own reason, as behind any `fetch`. */
function toStream(body: Bytes, { signal, leave, end }: Caller): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    try {
      return await chunks.next();
    } catch (error) {
      end();
      throw signal.aborted ? signal.reason : error;
    }
  };
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await next();
        if (done !== true) return controller.enqueue(value);
        end();
        controller.close();
      },
      cancel: async () => {
        leave();
        await chunks.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
