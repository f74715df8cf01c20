/**
 * The rules of secretlint's recommended preset as a finder. They are run as they are, without secretlint's own engine:
 * that one is asynchronous, costs half a millisecond a call, and heeds comments in the text that switch rules off,
 * which no text may do here.
 */
import { creator as preset } from "@secretlint/secretlint-rule-preset-recommend";
import type { SecretLintRuleContext, SecretLintRuleReportHandler, SecretLintSourceCode } from "@secretlint/types";
import type { Finding, Finder } from "../core/redaction/redact.ts";
import { MARKER } from "../core/redaction/mask.ts";

/**
 * What every rule of the preset needs: a long word, a long run of base64, an address with a password, a key block or
 * the token of a package registry. A text without any is not worth 27 patterns. An address is looked for from its `@` on
 * backwards, to the one before it at most: signs that may begin one can be many, in a row, and lead to none.
 */
const WORTH_A_LOOK = /(?<![\w-])[\w-]{20}|(?<![\w+/])[\w+/]{40}|@(?<=:[^\s/@]{1,200}@)|_authToken=|-----BEGIN/;

/** Linear: its patterns are bounded, and cost about as much as our own scan. */
export function createSecretlintFinder(): Finder {
  let found: Finding[] = [];
  const rules = handlersOf((range, id) => found.push({ start: range[0], end: range[1], kind: `secretlint ${id}` }));
  return (text) => {
    if (!WORTH_A_LOOK.test(text)) return [];
    found = [];
    const source = sourceOf(text);
    for (const rule of rules) void rule.file?.(source);
    return found.filter(({ start, end }) => !text.slice(start, end).includes(MARKER));
  };
}

type Report = (range: readonly [number, number], messageId: string) => void;

function handlersOf(report: Report): readonly SecretLintRuleReportHandler[] {
  const context: SecretLintRuleContext = {
    sharedOptions: {},
    createTranslator: () => (messageId, data) => ({ message: "", messageId: String(messageId), data }),
    report: ({ range, message }) => report(range, message.messageId),
    ignore: () => undefined,
  };
  return preset.rules.map((rule) => rule.create(context, {}));
}

/** A text that is no file: the rules that look at names of files have nothing to look at. */
function sourceOf(content: string): SecretLintSourceCode {
  const nowhere = { line: 1, column: 0 };
  return {
    hasBOM: false,
    content,
    filePath: undefined,
    physicalFilePath: undefined,
    contentType: "text",
    ext: "",
    getFilePath: () => undefined,
    getPhysicalFilePath: () => undefined,
    locationToRange: () => [0, 0],
    rangeToLocation: () => ({ start: nowhere, end: nowhere }),
    positionToIndex: () => 0,
    indexToPosition: () => nowhere,
  };
}
