/**
 * Who may see what the gateway serves of its own: whoever has the operator's token. A browser, which sends none, opens a
 * link that holds for minutes and once, and gets a cookie for the status page; cookies are not kept apart by port, so this
 * one opens nothing else.
 */
import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";

const LINK_MS = 10 * 60 * 1_000;
const COOKIE_MS = 12 * 60 * 60 * 1_000;
/** Links are made by who has the token; more than this in ten minutes are not. */
const LINKS_USED_MAX = 1_000;
const NONCE_BYTES = 12;
const COOKIE = "precis_status";

export const LOGIN_PATH = "/_precis/login";

export interface Access {
  /** Whether an `authorization` header has the token. */
  readonly byToken: (authorization: string | undefined) => boolean;
  /** Whether a `cookie` header has one of ours. */
  readonly byCookie: (cookies: string | undefined) => boolean;
  /** The cookie for whoever opened a link; undefined for one that is used, old or none of ours. */
  readonly byLink: (code: string) => string | undefined;
}

export function createAccess(token: string, now: () => number = Date.now): Access {
  const used = new Map<string, number>();
  return {
    byToken: (authorization = "") => {
      const [, given] = /^bearer +(.+)$/i.exec(authorization) ?? [];
      return given !== undefined && same(given, token);
    },
    byCookie: (cookies = "") => {
      const given = cookies.split(/; */).find((one) => one.startsWith(`${COOKIE}=`));
      return given !== undefined && isValid(token, "cookie", given.slice(COOKIE.length + 1), now());
    },
    byLink: (code) => {
      if (!isValid(token, "link", code, now()) || used.has(code)) return undefined;
      for (const [one, end] of used) if (end < now()) used.delete(one);
      if (used.size >= LINKS_USED_MAX) return undefined;
      used.set(code, now() + LINK_MS);
      const value = signed(token, "cookie", now() + COOKIE_MS);
      return `${COOKIE}=${value}; Max-Age=${COOKIE_MS / 1_000}; Path=/_precis; HttpOnly; SameSite=Strict`;
    },
  };
}

/** What a browser opens to see the status page: once, within ten minutes. Takes the token, and asks nobody. */
export function loginLink(url: string, token: string, now = Date.now()): string {
  return `${url}${LOGIN_PATH}?code=${signed(token, "link", now + LINK_MS)}`;
}

type Purpose = "link" | "cookie";

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
