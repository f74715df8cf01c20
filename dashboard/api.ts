/**
 * The gateway's API as the dashboard calls it. The token is the dashboard's own, for twelve hours, and is kept by the tab alone; a
 * tab that has none asks the other tabs of this origin.
 */
const PREFIX = "/_precis";
const KEY = "precis-token";
const OTHER_TABS_ANSWER_MS = 150;

export class ApiError extends Error {
  readonly code: string;
  readonly hint: string;
  readonly status: number;

  constructor(status: number, { code, message, hint }: { code?: string; message?: string; hint?: string }) {
    super(message ?? "the gateway did not answer as expected");
    this.status = status;
    this.code = code ?? "unknown";
    this.hint = hint ?? "";
  }
}

let token = sessionStorage.getItem(KEY) ?? "";
let onSignedOut: () => void = () => undefined;

/** Called when the gateway does not accept the token any more. */
export function whenSignedOut(then: () => void): void {
  onSignedOut = then;
}

const tabs = new BroadcastChannel(KEY);
tabs.addEventListener("message", ({ data }: MessageEvent<{ readonly asks?: true }>) => {
  if (data.asks === true && token !== "") tabs.postMessage({ token });
});

/** Whether this tab has a token: from the link that opened it, from before, or from another tab. */
export async function signIn(): Promise<boolean> {
  const code = /^#code=([\w.-]+)$/.exec(location.hash)?.[1];
  if (code !== undefined) {
    history.replaceState(null, "", `${PREFIX}/`);
    const response = await post("/login", { code });
    if (response.ok) keep(((await response.json()) as { readonly token: string }).token);
  }
  if (token === "") await askOtherTabs();
  return token !== "";
}

/** Exchanges the operator's token for one of the dashboard's. */
export async function signInWith(operatorToken: string): Promise<void> {
  const response = await fetch(`${PREFIX}/login`, {
    method: "POST",
    headers: { authorization: `Bearer ${operatorToken.trim()}`, "content-type": "application/json" },
  });
  if (!response.ok) throw await errorOf(response);
  keep(((await response.json()) as { readonly token: string }).token);
}

function keep(given: string): void {
  token = given;
  sessionStorage.setItem(KEY, given);
}

export function signOut(): void {
  token = "";
  sessionStorage.removeItem(KEY);
  onSignedOut();
}

function askOtherTabs(): Promise<void> {
  return new Promise((done) => {
    const hear = ({ data }: MessageEvent<{ readonly token?: string }>): void => {
      if (data.token === undefined) return;
      keep(data.token);
      end();
    };
    const end = (): void => {
      tabs.removeEventListener("message", hear);
      done();
    };
    tabs.addEventListener("message", hear);
    tabs.postMessage({ asks: true });
    setTimeout(end, OTHER_TABS_ANSWER_MS);
  });
}

function post(path: string, body: object): Promise<Response> {
  return fetch(`${PREFIX}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

async function answered(response: Response): Promise<Response> {
  if (response.ok) return response;
  if (response.status === 401) signOut();
  throw await errorOf(response);
}

async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as { readonly error?: object };
  return new ApiError(response.status, body.error ?? {});
}

/** What was asked for before the view that needs it is there. */
const early = new Map<string, Promise<unknown>>();

/** Asks now for what `get` will be asked for in a moment. */
export function prefetch(path: string): void {
  if (early.has(path)) return;
  const answer = get(path);
  early.set(path, answer);
  answer.catch(() => early.delete(path));
}

export async function get<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  const known = early.get(path);
  early.delete(path);
  if (known !== undefined) return known as Promise<Answer>;
  const init = { headers: { authorization: `Bearer ${token}` }, ...(signal === undefined ? {} : { signal }) };
  return (await answered(await fetch(`${PREFIX}/api${path}`, init))).json() as Promise<Answer>;
}

export async function send<Answer>(path: string, body: object = {}): Promise<Answer> {
  return (await answered(await post(`/api${path}`, body))).json() as Promise<Answer>;
}

export async function download(path: string, name: string): Promise<void> {
  const init = { headers: { authorization: `Bearer ${token}` } };
  const blob = await (await answered(await fetch(`${PREFIX}/api${path}`, init))).blob();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000);
}

/** The path of one session. */
export function sessionPath(
  { tenant, id }: SessionRef,
  rest = "",
  query: Readonly<Record<string, string>> = {},
): string {
  const all = new URLSearchParams({ tenant, ...query });
  return `/sessions/${encodeURIComponent(id)}${rest}?${all.toString()}`;
}

export interface SessionRef {
  readonly tenant: string;
  readonly id: string;
}

/** Reads the event stream with the token, which the browser's own reader cannot send. */
export async function readEvents(
  onEvent: (text: string) => void,
  onOpen: () => void,
  signal: AbortSignal,
): Promise<void> {
  const response = await fetch(`${PREFIX}/api/events`, { headers: { authorization: `Bearer ${token}` }, signal });
  const reader = (await answered(response)).body!.pipeThrough(new TextDecoderStream()).getReader();
  onOpen();
  let waiting = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (waiting + value).split("\n\n");
    waiting = blocks.pop() ?? "";
    for (const block of blocks) if (block.startsWith("data: ")) onEvent(block.slice("data: ".length));
  }
}
