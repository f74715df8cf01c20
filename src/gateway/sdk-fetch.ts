/**
 * The entries `precis/openai` and `precis/anthropic`: a `fetch` for the vendors' own SDKs. It is a gateway without a port,
 * so requests for an answer are kept within the model's window, and everything else goes out as it is.
 */
import "../platform/refuse-old-node.ts";
import { PrecisError } from "../core/errors.ts";
import { createGateway, type Gateway } from "./app.ts";
import type { GatewayOptions } from "./gateway-options.ts";
import { untilAborted } from "../session/time-limit.ts";
import { routeOf } from "./request/routes.ts";

/** What a gateway takes, except for what only one with a port needs. The provider is the one that the SDK is set up for. */
export type SdkFetchOptions = Omit<GatewayOptions, "upstreams" | "ownRoutes" | "allowedHosts">;

export interface SdkFetch {
  (input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Ends what is under way and closes connections. The SDK cannot be used with this `fetch` afterwards. */
  readonly close: () => Promise<void>;
}

/** Base URLs that one `fetch` may be used with. */
const PROVIDERS_MAX = 16;

/**
 * For the `fetch` option of a client: `new OpenAI({ fetch: createFetch() })`. One `fetch` serves any number of clients and
 * conversations. Requests that the SDK repeats are the same conversation to it.
 *
 * @throws PrecisError `bad_options` for options that are unknown or out of range. A call rejects with `too_many_providers`
 * where it is used with more than 16 base URLs.
 */
export function createFetch(options: SdkFetchOptions = {}): SdkFetch {
  const gateways = new Map<string, Gateway>();
  const open = (url: string): Gateway => createGateway({ ...options, upstreams: { provider: { url } } });
  void open("http://localhost").close();
  const gatewayOf = (base: string): Gateway => {
    const known = gateways.get(base);
    if (known !== undefined) return known;
    if (gateways.size >= PROVIDERS_MAX) throw tooManyProviders();
    const gateway = open(base);
    gateways.set(base, gateway);
    return gateway;
  };
  const send = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init?.body instanceof ReadableStream ? { ...init, duplex: "half" } : init);
    const split = splitUrl(request.method, new URL(request.url));
    if (split === undefined) return fetch(request);
    const { body, headers, method } = request;
    // The caller's own signal: a Request follows it only as long as nobody collects it as garbage.
    const signal = init?.signal ?? (input instanceof Request ? input.signal : null);
    const inward = { headers, method, signal, body, duplex: "half" } as RequestInit;
    const { fetch: ask } = gatewayOf(split.base);
    const answering = (): Promise<Response> => ask(new Request(new URL(split.target, split.base), inward));
    // As the platform's own: an SDK tells by the rejection that its user gave up, or that its time is over.
    return untilAborted(signal ?? undefined, answering);
  };
  return Object.assign(send, {
    close: async () => void (await Promise.all([...gateways.values()].map((gateway) => gateway.close()))),
  });
}

/** The base URL that the client was given, and the route behind it; undefined where the request asks no model. */
function splitUrl(method: string, { origin, pathname, search }: URL): { base: string; target: string } | undefined {
  const segments = pathname.split("/").slice(1);
  for (let at = 0; at < segments.length; at++) {
    const route = `/${segments.slice(at).join("/")}`;
    if (routeOf(method, route) === undefined) continue;
    return { base: `${origin}/${segments.slice(0, at).join("/")}`, target: route + search };
  }
  return undefined;
}

function tooManyProviders(): PrecisError {
  return new PrecisError(`This fetch was used with more than ${PROVIDERS_MAX} base URLs.`, {
    code: "too_many_providers",
    place: "createFetch",
    hint: "Create one for each provider, and use it for all clients of that provider.",
  });
}
