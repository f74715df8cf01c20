/**
 * What an identifier is and what a text weighs, as plain regular expressions: the written definition of future-use
 * recall (measure/recall.py), carried over token by token so that both implementations give the same numbers.
 */

/** A message in the OpenAI chat form, the form that the measure is defined on. */
export interface ChatMessage {
  readonly role: string;
  readonly content?: string | readonly (string | { readonly text?: string })[] | null;
  readonly tool_calls?: readonly ChatCall[] | null;
  readonly tool_call_id?: string;
  /** Set by readers of session files: another agent's own compaction is here. */
  readonly summary?: true;
}

export interface ChatCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

/** Longest argument string that counts as something the assistant wrote itself, not as a file it poured out. */
const POINTER_CHARS_MAX = 300;

interface Patterns {
  readonly path: RegExp;
  readonly symbol: RegExp;
  readonly number: RegExp;
  readonly hash: RegExp;
}

/** `w` is the body of a class: the characters of a word; `d` one digit; `opens` and `closes` the borders of a word. */
function patternsOf(w: string, d: string, [opens, closes]: readonly [string, string]): Patterns {
  const [camel, pascal, snake] = [
    "[a-z0-9]+(?:[A-Z][a-z0-9]*)+",
    "[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+",
    "[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+",
  ];
  return {
    path: new RegExp(`(?:[${w}.@~+\\-]*/)+[${w}.@+\\-]+`, "gu"),
    symbol: new RegExp(`${opens}(?=[${w}]{6,60}${closes})(?:${camel}|${pascal}|${snake})${closes}`, "gu"),
    number: new RegExp(`(?<![${w}.])(?:${d}{4,}|${d}+\\.${d}{2,})(?![${w}.])`, "gu"),
    hash: new RegExp(`${opens}(?=[0-9a-f]*${d})(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}${closes}`, "gu"),
  };
}

const ASCII = patternsOf("A-Za-z0-9_", "[0-9]", ["\\b", "\\b"]);
const LETTERS = "\\p{L}\\p{N}_";
const UNICODE = patternsOf(LETTERS, "\\p{Nd}", [
  `(?<![${LETTERS}])(?=[${LETTERS}])`,
  `(?<=[${LETTERS}])(?![${LETTERS}])`,
]);
const WIDE = /[^\u0000-\u007f]/;
const SPACE = "\\t-\\r\\u001c-\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const URL = new RegExp(`https?://[^${SPACE}"'<>)\\]\\\\\`]+`, "gu");
const WORD = /[A-Za-z]{4,}|[\u4e00-\u9fff]{2,}/gu;
const CJK = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/gu;
const EXTENSION = /\.[A-Za-z][\p{L}\p{N}_]{0,7}$/u;
const YEAR = /^(19|20)\d\d$/;

const patterns = (text: string): Patterns => (WIDE.test(text) ? UNICODE : ASCII);

/** Every identifier of a text: paths by their last two components, symbols, numbers, hashes, URLs. */
export function identifiersOf(text: string): Set<string> {
  const { path, symbol, number, hash } = patterns(text);
  const found = new Set<string>();
  const addAll = (matches: Iterable<readonly string[]>): void => {
    for (const [match] of matches) found.add(match!);
  };
  for (const [match] of text.matchAll(URL)) found.add(match.replace(/(?<![.,;:])[.,;:]+$/, ""));
  const withoutUrls = text.replace(URL, " ");
  for (const [match] of withoutUrls.matchAll(path)) {
    const id = pathIdentifier(match.replace(/(?<![.,:;])[.,:;]+$/, ""));
    if (id !== undefined) found.add(id);
  }
  addAll(withoutUrls.matchAll(hash));
  const rest = withoutUrls.replace(path, " ");
  addAll(rest.matchAll(symbol));
  for (const [match] of rest.matchAll(number)) if (!YEAR.test(match)) found.add(match);
  return found;
}

function pathIdentifier(path: string): string | undefined {
  const parts = path.split("/").filter((part) => part !== "" && part !== "." && part !== ".." && part !== "~");
  const last = parts.at(-1);
  if (parts.length < 2 || last === undefined || codePoints(path) < 6) return undefined;
  return EXTENSION.test(last) || parts.length >= 3 ? parts.slice(-2).join("/") : undefined;
}

/** The plain words of a text: what is left of it when the identifiers are gone. */
export function wordsOf(text: string): Set<string> {
  const { path, symbol, hash } = patterns(text);
  let rest = text;
  for (const pattern of [URL, path, symbol, hash]) rest = rest.replace(pattern, " ");
  return new Set(Array.from(rest.matchAll(WORD), ([word]) => word.toLowerCase()));
}

/** Tokens of a text as the measure counts them: four characters each, one for each CJK character. */
export function tokensOf(text: string): number {
  const cjk = WIDE.test(text) ? (text.match(CJK)?.length ?? 0) : 0;
  return Math.floor((codePoints(text) - cjk) / 4) + cjk;
}

/** Length in code points: what other languages call the length of a string. */
function codePoints(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

export function contentOf(content: ChatMessage["content"]): string {
  if (content === null || content === undefined) return "";
  return typeof content === "string"
    ? content
    : content.map((part) => (typeof part === "string" ? part : (part.text ?? ""))).join("\n");
}

/** What the model reads of a message: its content, and each call as its tool's name and decoded argument values. */
export function textOf(message: ChatMessage): string {
  return [
    contentOf(message.content),
    ...callsOf(message).flatMap((call) => [call.function.name, ...argumentsOf(call)]),
  ].join("\n");
}

/** What the assistant wrote itself: content and short arguments, without the names of the tools. */
export function pointerOf(message: ChatMessage): string {
  const written = callsOf(message).flatMap((call) =>
    argumentsOf(call).filter((value) => codePoints(value) <= POINTER_CHARS_MAX),
  );
  return [contentOf(message.content), ...written].join("\n");
}

export function callsOf(message: ChatMessage): readonly ChatCall[] {
  return message.tool_calls ?? [];
}

function argumentsOf(call: ChatCall): readonly string[] {
  try {
    return leavesOf(JSON.parse(call.function.arguments));
  } catch {
    return [call.function.arguments];
  }
}

function leavesOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (value === null || value === undefined) return [];
  if (typeof value === "object") return Object.values(value).flatMap(leavesOf);
  return [typeof value === "boolean" ? (value ? "True" : "False") : String(value)];
}
