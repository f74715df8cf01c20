/** A project's own instructions, such as AGENTS.md, as an agent read them: the rules that the project states, apart from those of its dependencies. */
import { withoutGutter, withoutLineNumber } from "../digest/numbered-lines.ts";

const INSTRUCTION_FILE = /(?:^|[/\\])(?:CLAUDE(?:\.local)?|AGENTS(?:\.override)?|GEMINI)\.md$/i;
/** Folders of what others wrote. */
const FOREIGN =
  /(?:^|[/\\])(?:node_modules|vendor|third_party|site-packages|\.venv|venv|dist-packages|\.cargo|target|Pods|deps)[/\\]/;
const RULE = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+\S/;
const RULES_MAX = 40;
const RULE_CHARS_MAX = 400;

export function isInstructionFile(path: string): boolean {
  return INSTRUCTION_FILE.test(path) && !FOREIGN.test(path);
}

/** The items of the lists in such a file, verbatim, in order. */
export function rulesIn(shown: string): readonly string[] {
  const rules: string[] = [];
  for (const line of withoutGutter(shown).split("\n")) {
    const text = withoutLineNumber(line);
    if (!RULE.test(text) || text.length > RULE_CHARS_MAX) continue;
    const rule = text.trim().replace(/^(?:[-*+•]|\d{1,3}[.)])\s+/, "");
    if (rules.push(rule) >= RULES_MAX) break;
  }
  return rules;
}
