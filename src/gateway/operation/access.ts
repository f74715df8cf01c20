/**
 * Who may see what the gateway serves of its own: whoever has the operator's token. A browser, which sends none, opens a
 * link that holds for minutes and once, and leads the dashboard's script to a token of its own. It is not in a cookie,
 * because cookies are not kept apart by port.
 */
import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";

const LINK_MS = 10 * 60 * 1_000;
/** Between the answer to a link and the script of the page that it leads to. */
const HANDOVER_MS = 60 * 1_000;
const BROWSER_TOKEN_MS = 12 * 60 * 60 * 1_000;
/** Links are made by who has the token; more than this in ten minutes are not. */
const LINKS_USED_MAX = 1_000;
const NONCE_BYTES = 12;

export const LOGIN_PATH = "/_precis/login";

export interface Access {
  /** Whether an `authorization` header has the operator's token. */
  readonly byOperator: (authorization: string | undefined) => boolean;
  /** The same for the operator's token or one of the dashboard's. */
  readonly byToken: (authorization: string | undefined) => boolean;
  /** What the dashboard's script exchanges for its token; undefined for a link that is used, old or none of ours. */
  readonly byLink: (code: string) => string | undefined;
  /** The dashboard's token, for twelve hours; undefined for a code that is used, old or none of ours. */
  readonly byHandover: (code: string) => string | undefined;
  readonly browserToken: () => string;
}

export function createAccess(token: string, now: () => number = Date.now): Access {
  const used = new Map<string, number>();
  const takeOnce = (purpose: Purpose, code: string): boolean => {
    if (!isValid(token, purpose, code, now()) || used.has(code)) return false;
    for (const [one, end] of used) if (end < now()) used.delete(one);
    if (used.size >= LINKS_USED_MAX) return false;
    used.set(code, now() + LINK_MS);
    return true;
  };
  const browserToken = (): string => signed(token, "browser", now() + BROWSER_TOKEN_MS);
  return {
    byOperator: (authorization) => same(readBearer(authorization), token),
    byToken: (authorization) => {
      const given = readBearer(authorization);
      return same(given, token) || isValid(token, "browser", given, now());
    },
    byLink: (code) => (takeOnce("link", code) ? signed(token, "handover", now() + HANDOVER_MS) : undefined),
    byHandover: (code) => (takeOnce("handover", code) ? browserToken() : undefined),
    browserToken,
  };
}

/** What a browser opens to see the dashboard: once, within ten minutes. Takes the token, and asks nobody. */
export function loginLink(url: string, token: string, now = Date.now()): string {
  return `${url}${LOGIN_PATH}?code=${signed(token, "link", now + LINK_MS)}`;
}

function readBearer(authorization = ""): string {
  return /^bearer +(\S.*)$/i.exec(authorization)?.[1] ?? "";
}

type Purpose = "link" | "handover" | "browser";

function signed(token: string, purpose: Purpose, until: number): string {
  const what = `${until.toString(36)}.${randomBytes(NONCE_BYTES).toString("base64url")}`;
  return `${what}.${mac(token, purpose, what)}`;
}

function isValid(token: string, purpose: Purpose, text: string, now: number): boolean {
  const [until = "", nonce = "", given = "", ...more] = text.split(".");
  const authentic = same(given, mac(token, purpose, `${until}.${nonce}`));
  return authentic && more.length === 0 && Number.parseInt(until, 36) >= now;
}

function mac(token: string, purpose: Purpose, what: string): string {
  return createHmac("sha256", token).update(`${purpose}\n${what}`).digest("base64url");
}

/** Takes as long whatever is wrong. */
function same(one: string, other: string): boolean {
  return timingSafeEqual(hash("sha256", one, "buffer"), hash("sha256", other, "buffer"));
}
