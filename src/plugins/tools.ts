/** What a plugin says of its tools, and what it answers a call of one, held to the contract before anybody uses it. */
import type { EngineTool, ToolAnswer } from "../core/engines/contract.ts";
import { demand } from "./suite/fault.ts";
import { pageOf } from "../core/recall/pages.ts";
import { estimateText } from "../core/transcript/estimate.ts";

const TOOLS_MAX = 16;
/** Of all declarations together: they are paid for with every request. */
const DECLARATIONS_CHARS_MAX = 20_000;
/** What all protocols take. */
const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
/** Tools of this house begin so. */
const RESERVED = "precis_";
const ANSWER_TOKENS = 4_000;

/** @throws EngineFault for what is no list of tools. */
export function demandToolList(value: unknown): readonly EngineTool[] {
  const tools = value === undefined ? [] : value;
  demand(
    Array.isArray(tools) && tools.length <= TOOLS_MAX,
    "tools",
    () => `it has no list of at most ${TOOLS_MAX} tools`,
  );
  const list = tools as readonly Partial<EngineTool>[];
  for (const { name, description, parameters } of list) {
    const isNamed = typeof name === "string" && NAME.test(name) && !name.startsWith(RESERVED);
    const isDescribed = typeof description === "string" && typeof parameters === "object" && parameters !== null;
    demand(isNamed && isDescribed, "tools", () => "a tool has no usable name, no description or no parameters");
  }
  demand(new Set(list.map(({ name }) => name)).size === list.length, "tools", () => "two tools have the same name");
  const chars = JSON.stringify(list).length;
  demand(
    chars <= DECLARATIONS_CHARS_MAX,
    "tools",
    () => `the tools take ${chars} characters, of ${DECLARATIONS_CHARS_MAX}`,
  );
  return list.map(({ name, description, parameters }) => ({
    name: name!,
    description: description!,
    parameters: parameters!,
  }));
}

/** Within its bound, whatever it came to. @throws EngineFault for what is no answer. */
export function demandToolAnswer(value: unknown, tokensMax = ANSWER_TOKENS): ToolAnswer {
  const { text, quotes, isError } = (value ?? {}) as Partial<ToolAnswer>;
  demand(typeof text === "string", "tools", () => "a tool answered without a text");
  const shown = estimateText(text!) <= tokensMax ? text! : pageOf(text!, 0, tokensMax).text;
  return {
    text: shown,
    quotes: Array.isArray(quotes) ? quotes.filter((quote) => shown.includes(String(quote?.text))) : [],
    ...(isError === true ? { isError } : {}),
  };
}
