/**
 * How much a line says by itself. A definition, a comment, a value under its name can be worked with anywhere; a statement
 * from the middle of a function, half of a search hit or a bare address cannot.
 */
import type { Range } from "./identifiers.ts";
import { plainWordsIn, WORDS_ENOUGH } from "./plain-words.ts";

const NUMBER = String.raw`\s*(?:[\w./-]{1,200}[:-])?(?:\d{1,6}(?:→|[:|-])\s*)?`;
const DEFINITION = new RegExp(
  String.raw`^${NUMBER}(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|override|readonly|pub|declare)\s+){0,4}(?:function\*?|class|interface|type|enum|struct|trait|impl|def|func|fn|module|namespace|package|message|service|record|CREATE TABLE|(?:const|let|var|val)\s+[A-Z][A-Z0-9_]+)\b|^${NUMBER}export\s+(?:const|let)\b`,
);
const METHOD = new RegExp(
  String.raw`^${NUMBER}(?:[a-z]{3,12}\s+){0,4}(?!if\b|for\b|while\b|switch\b|catch\b)[\w$]{2,60}\([^=;]{0,200}\)[^=;()]{0,80}\{$`,
);
const COMMENT = new RegExp(String.raw`^${NUMBER}(?://|/\*|\*\s|#\s|--\s|<!--)`);
const STATEMENT = new RegExp(
  String.raw`^${NUMBER}(?:(?:return|if|else|for|while|switch|case|try|catch|throw|await|yield|import|from|with|break|continue|defer|go|const|let|var|this\.|self\.)(?![\w-])|[})\]])`,
);
const GIVEN_VALUE = new RegExp(String.raw`^${NUMBER}[^"'#]{0,120}\s:?=\s[^"']*[(.]`);
const ENDS_LIKE_STATEMENT = new RegExp(String.raw`^${NUMBER}[^"':]*[;{()]$`);
const STATEMENT_ENDS = /[;{(),]$/;
const STATEMENT_STARTS = new RegExp(String.raw`^${NUMBER}[a-z})\]]`);
/** A call that is a line of its own, such as what a program logs. */
const CALL = new RegExp(String.raw`^${NUMBER}[\w$]+(?:\.[\w$]+)*\(.*\)[,;]?$`);
/** A property is given a value. */
const ASSIGNMENT = new RegExp(String.raw`^${NUMBER}[\w$]+(?:\.[\w$]+|\[[^\]]{1,40}\])+\s+[-+|&]?=\s`);
const ADDRESS = /^\W*(?:https?:\/\/|www\.)\S+(?: [>›/] \S+)*$/;

const DEFINITION_SHARE = 1.3;
const STATEMENT_SHARE = 0.8;
const PIECE_SHARE = 0;
const WORDLESS_SHARE = 0.5;

/** Of the worth of the names in it, what a passage has; a passage of several lines is judged by its most telling one. */
export function standaloneShare(text: string, range: Range): number {
  const wording = plainWordsIn(text, range) >= WORDS_ENOUGH ? 1 : WORDLESS_SHARE;
  let most = 0;
  const passage = text.slice(range.start, range.end);
  if (!passage.includes("\n")) return shareOf(passage, wording);
  for (const line of passage.split("\n")) most = Math.max(most, shareOf(line, wording));
  return most;
}

function shareOf(line: string, wording: number): number {
  if (isPiece(line)) return PIECE_SHARE;
  if (isDefinition(line)) return DEFINITION_SHARE;
  if (isComment(line)) return wording;
  return isStatement(line) ? STATEMENT_SHARE * wording : wording;
}

export function isDefinition(line: string): boolean {
  return DEFINITION.test(line) || (line.endsWith("{") && METHOD.test(line));
}

export function isComment(line: string): boolean {
  return COMMENT.test(line);
}

function isStatement(line: string): boolean {
  return (
    mayBeStatement(line) &&
    (STATEMENT.test(line) ||
      (line.includes("=") && (GIVEN_VALUE.test(line) || ASSIGNMENT.test(line))) ||
      (STATEMENT_ENDS.test(line) && (ENDS_LIKE_STATEMENT.test(line) || CALL.test(line))))
  );
}

/** By how it begins or ends, or what it holds: told sooner than by the patterns, which read prose several times. */
function mayBeStatement(line: string): boolean {
  return line.includes("=") || STATEMENT_ENDS.test(line) || STATEMENT_STARTS.test(line);
}

/** Half of a line, or an address without a word about it. */
export function isPiece(line: string): boolean {
  return line.endsWith("...") || line.endsWith("…") || ADDRESS.test(line);
}
