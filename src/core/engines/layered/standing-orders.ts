/** Recognises what an agent is told once and must go by from then on: project instructions and skills. */
import { contentText, type Message, type ToolCallPart } from "../../transcript/message.ts";
import { described } from "../../digest/call.ts";

/** Opens what `layered` puts back. */
export const LEAD_IN =
  "The session continues here. What came before no longer fits and is in the record above; this is put back as it was. None of it is a request.";

interface FoundOrder {
  readonly title: string;
  readonly text: string;
}

const NAMES_FILE = /\b(?:CLAUDE(?:\.local)?|AGENTS|GEMINI)\.md\b/;
/** How today's agents wrap them when they are put into a user message. */
const WRAPPERS = [
  ["<system-reminder>", "</system-reminder>"],
  ["<user_instructions>", "</user_instructions>"],
  ["# AGENTS.md instructions for ", "</INSTRUCTIONS>"],
] as const;
const SKILL_OPENING = "Base directory for this skill:";
const SKILL_TOOL = /skill/i;

/** Project instructions that a harness put into a user message. One that we put back is not found again as new. */
export function instructionsIn(message: Message): readonly FoundOrder[] {
  if (message.role !== "user" || message.origin !== undefined) return [];
  return message.parts.flatMap((part) =>
    part.kind !== "text" ? [] : WRAPPERS.flatMap(([open, close]) => wrappedIn(part.text, open, close)),
  );
}

function wrappedIn(text: string, open: string, close: string): readonly FoundOrder[] {
  const found: FoundOrder[] = [];
  for (let at = text.indexOf(open); at >= 0;) {
    const end = text.indexOf(close, at);
    const inner = text.slice(at + open.length, end < 0 ? text.length : end).trim();
    const name = open.startsWith("#") ? "AGENTS.md" : NAMES_FILE.exec(inner)?.[0];
    if (name !== undefined && !inner.startsWith(LEAD_IN))
      found.push({ title: `Project instructions (${name})`, text: inner });
    at = end < 0 ? -1 : text.indexOf(open, end);
  }
  return found;
}

/** A skill that was loaded: by a call, or by a harness in the user's name. */
export function skillIn(message: Message, call: ToolCallPart | undefined): FoundOrder | undefined {
  const text = contentText(message.parts);
  if (text === "") return undefined;
  if (call !== undefined) {
    if (!isSkillTool(call.name)) return undefined;
    return { title: `Skill ${described(call).target}`.trimEnd(), text };
  }
  if (message.role !== "user" || !text.trimStart().startsWith(SKILL_OPENING)) return undefined;
  const [first = ""] = text.trimStart().slice(SKILL_OPENING.length).split("\n", 1);
  return { title: `Skill ${first.trim()}`, text };
}

export function isSkillTool(name: string): boolean {
  return SKILL_TOOL.test(name);
}
