/** Secrets that a URL carries: the password of its user, and webhook addresses, which are passwords as a whole. */
import { hiddenSpan, MARKER, tokenSpan, type Span } from "./mask.ts";
import { matchAt, type Stop } from "./reading.ts";
import { hasRandomPart } from "./values.ts";

/** `//user:password@`; an `@` inside the password is taken with it. */
const USERINFO = /\/\/([^\s/:@"'`<>?#\\]{0,256}):([^\s/"'`<>?#\\]{1,512})@/y;
const TOKEN_USER = /\/\/([^\s/:@"'`<>?#\\]{20,256})(?::x-oauth-basic)?@/y;
const WEBHOOK =
  /\/\/(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/|(?:\w{1,16}\.)?discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/\d{10,24}\/|[\w-]{1,64}\.webhook\.office\.com\/webhookb2\/)([\w/@-]{16,256})/y;
const COLON = 58;
const SPACE = 32;
const FILLED_IN = /\$\{|\$\(|\{\{|\*{3}|^%\w+%$|^\$\w/;

/** `user:password@tcp(host:port)/name`: how a Go program writes a data source. */
const DATA_SOURCE = /:([^\s:"'`<>()[\]{}\\]{1,256})@(?:tcp|unix)\(/y;

/** The secret in the URL whose `:` is the sign of `stop`. */
export function findInUrl(text: string, { at: colon }: Stop): Span | undefined {
  const at = colon + 1;
  if (!text.startsWith("//", at)) return findInDataSource(text, colon);
  const password = matchAt(USERINFO, text, at);
  if (password !== undefined) {
    const secret = password[2] as string;
    if (secret.includes(MARKER) || FILLED_IN.test(secret)) return undefined;
    const end = at + password[0].length - 1;
    return hiddenSpan(end - secret.length, end, "URL credentials");
  }
  const user = matchAt(TOKEN_USER, text, at)?.[1];
  if (user !== undefined && hasRandomPart(user))
    return tokenSpan(text, at + 2, at + 2 + user.length, "URL credentials");
  const webhook = matchAt(WEBHOOK, text, at);
  if (webhook === undefined) return undefined;
  const end = at + webhook[0].length;
  return hiddenSpan(end - (webhook[1] as string).length, end, "webhook");
}

function findInDataSource(text: string, colon: number): Span | undefined {
  if (text.charCodeAt(colon) !== COLON || text.charCodeAt(colon + 1) === SPACE) return undefined;
  const found = matchAt(DATA_SOURCE, text, colon);
  const secret = found?.[1] ?? "";
  if (secret === "" || secret.includes(MARKER) || FILLED_IN.test(secret)) return undefined;
  return hiddenSpan(colon + 1, colon + 1 + secret.length, "URL credentials");
}
