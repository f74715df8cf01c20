/**
 * HTML that is built from values without a value ever becoming markup: whatever is put into a template is escaped,
 * except what another template made. A page is one file that loads nothing and runs nothing.
 */
import { createHash } from "node:crypto";
import { visible } from "../visible.ts";

/** Markup that was built here. */
export interface Html {
  readonly html: string;
}

export type HtmlValue = Html | string | number | undefined | readonly HtmlValue[];

/** The text between the values is markup; each value is escaped, or is markup of another template. */
export function markup(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let html = strings[0]!;
  values.forEach((value, at) => (html += htmlOf(value) + strings[at + 1]!));
  return { html };
}

function htmlOf(value: HtmlValue): string {
  if (value === undefined) return "";
  if (typeof value === "string") return escaped(visible(value));
  if (typeof value === "number") return String(value);
  return "html" in value ? value.html : value.map(htmlOf).join("");
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

export interface Page {
  readonly title: string;
  readonly style: string;
  readonly body: Html;
}

/** Nothing may be loaded, run or sent from the page; of style sheets only its own applies. */
export function pageText({ title, style, body }: Page): string {
  const sheet = createHash("sha256").update(style).digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${sheet}'; base-uri 'none'; form-action 'none'`;
  const head = markup`<meta charset="utf-8" />
    <meta http-equiv="content-security-policy" content="${policy}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="referrer" content="no-referrer" />
    <meta name="color-scheme" content="light dark" />
    <title>${title}</title>`;
  return `<!doctype html>\n<html lang="en"><head>${head.html}<style>${style}</style></head>\n<body>${body.html}</body></html>\n`;
}
