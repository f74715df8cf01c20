/**
 * A `fetch` that remembers: how many requests were made and what the last one was answered, whole and bounded. What a
 * failure means is read from that, not from how a client library words it.
 */

/** Longer than any answer to one prompt; a server that sends more is broken. */
const ANSWER_BYTES_MAX = 16_000_000;

/** What came back from one request, as far as it did. */
export interface Answer {
  /** 0: no answer began. */
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** Set when the body ended before it was whole, or was longer than any answer. */
  readonly broken?: string;
  /** Set when no answer began: the connection's own error. */
  readonly unreachable?: unknown;
}

export interface Recording {
  readonly fetch: typeof fetch;
  readonly requests: () => number;
  readonly last: () => Answer | undefined;
}

/** Redirects are not followed: a key must not travel to where a setting does not point. */
export function recordAnswers(send: typeof fetch = fetch): Recording {
  let requests = 0;
  let last: Answer | undefined;
  const recorded: typeof fetch = async (input, init) => {
    requests += 1;
    last = undefined;
    const response = await send(input, { ...init, redirect: "manual" }).catch((unreachable: unknown) => {
      last = { status: 0, headers: new Headers(), body: "", unreachable };
      throw unreachable;
    });
    const { status, headers } = response;
    const { body, broken } = await readBounded(response);
    last = { status, headers, body, ...(broken === undefined ? {} : { broken }) };
    if (broken !== undefined) throw new Error(broken);
    return new Response(BODILESS.has(status) ? null : body, { status, headers: withoutLengths(headers) });
  };
  return { fetch: recorded, requests: () => requests, last: () => last };
}

/** Statuses that a `Response` may not be given a body for. */
const BODILESS = new Set([204, 205, 304]);

/** The body is handed on decoded, so what described its transfer no longer holds. */
function withoutLengths(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ["content-encoding", "content-length", "transfer-encoding"]) kept.delete(name);
  return kept;
}

async function readBounded(response: Response): Promise<{ readonly body: string; readonly broken?: string }> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > ANSWER_BYTES_MAX) return { body: "", broken: `the answer is longer than ${ANSWER_BYTES_MAX} bytes` };
      chunks.push(chunk);
    }
  } catch {
    return { body: readBody(chunks), broken: "the connection closed before the answer was complete" };
  }
  return { body: readBody(chunks) };
}

function readBody(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode();
}

export type Fields = Readonly<Record<string, unknown>>;

const NOTHING: Fields = Object.freeze({});

/** The value of a JSON text; undefined if it is none. */
export function parsed(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Not JSON: absent.
  }
  return value;
}

export function asFields(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : NOTHING;
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text that says something. */
export function asWords(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
