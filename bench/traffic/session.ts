/** An agent's session of a wanted size as an OpenAI Chat request body, made from a seed: realistic traffic, no corpus. */
import { estimateText } from "../../src/core/transcript/estimate.ts";
import { createNames, type Names } from "./names.ts";
import { build, diff, json, listing, log, search, source, testRun } from "./outputs.ts";

type WireMessage = Readonly<Record<string, unknown>>;

interface Step {
  readonly tool: string;
  readonly input: object;
  readonly result: string;
}

const USER_EVERY_EXCHANGES = 12;
const SYSTEM =
  "You are a coding agent. Work in small steps, run the tests after each change, and say what you found before you act.";
const TOOL_NAMES = ["bash", "read", "edit", "grep"];

export interface Traffic {
  /** The request body. */
  readonly body: string;
  readonly tokens: number;
  /** The body with `count` more exchanges behind it. */
  readonly longer: (count: number) => string;
}

/** At least `tokens` tokens by our own estimate. */
export function createTraffic(seed: number, tokens: number): Traffic {
  const names = createNames(seed);
  const messages: WireMessage[] = [{ role: "system", content: SYSTEM }, userMessage(names)];
  let exchanges = 0;
  /** Adds an exchange and answers with its tokens. */
  const grow = (): number => {
    exchanges += 1;
    const made = exchanges % USER_EVERY_EXCHANGES === 0 ? [userMessage(names)] : exchangeOf(names, exchanges);
    messages.push(...made);
    return made.reduce((sum, message) => sum + estimateText(JSON.stringify(message)), 0);
  };
  let size = 0;
  while (size < tokens) size += grow();
  const lengths = [messages.length];
  return {
    body: bodyOf(messages),
    tokens: size,
    longer: (count) => {
      while (lengths.length <= count) {
        grow();
        lengths.push(messages.length);
      }
      return bodyOf(messages.slice(0, lengths[count]));
    },
  };
}

/** A session in which one tool result is the given text. */
export function trafficAround(seed: number, text: string): string {
  const names = createNames(seed);
  const big: Step = { tool: "bash", input: { command: "cat artefact" }, result: text };
  return bodyOf([
    { role: "system", content: SYSTEM },
    userMessage(names),
    ...exchangeOf(names, 1),
    ...wireExchange(names, "call_big", big),
    ...names.times(24, (index) => exchangeOf(names, index + 2)).flat(),
  ]);
}

function bodyOf(messages: readonly WireMessage[]): string {
  const parameters = { type: "object", properties: { input: { type: "string" } } };
  const tools = TOOL_NAMES.map((name) => ({
    type: "function",
    function: { name, description: `The tool ${name}.`, parameters },
  }));
  return JSON.stringify({ model: "bench", tools, messages });
}

function userMessage(names: Names): WireMessage {
  const rule = names.pick(["Never change", "Always keep", "You must not rename", "Please leave alone"]);
  return {
    role: "user",
    content: `Now ${names.sentence(14)} in ${names.path()}. ${rule} \`${names.symbol()}\`. Use ${names.symbol()} for it, with at most ${names.whole(2, 900)} entries.`,
  };
}

function exchangeOf(names: Names, index: number): readonly WireMessage[] {
  return wireExchange(names, `call_${index}`, stepOf(names));
}

function wireExchange(names: Names, id: string, step: Step): readonly WireMessage[] {
  const call = { id, type: "function", function: { name: step.tool, arguments: JSON.stringify(step.input) } };
  const said = `${names.sentence(12)}: \`${names.symbol()}\` in ${names.path()}, so ${names.sentence(9)}.`;
  return [
    { role: "assistant", content: said, tool_calls: [call] },
    { role: "tool", tool_call_id: id, content: step.result },
  ];
}

function stepOf(names: Names): Step {
  const file = names.path();
  switch (names.whole(0, 9)) {
    case 0:
    case 1:
      return { tool: "read", input: { path: file }, result: source(names, names.whole(40, 260)) };
    case 2:
      return {
        tool: "edit",
        input: { path: file, old: source(names, 6), new: source(names, 9) },
        result: `edited ${file}`,
      };
    case 3:
      return {
        tool: "grep",
        input: { pattern: names.symbol(), path: "src" },
        result: search(names, names.whole(3, 90)),
      };
    case 4:
      return shell("npm test", testRun(names, names.whole(20, 160)));
    case 5:
      return shell("npm run build", build(names, names.whole(20, 120)));
    case 6:
      return shell(`tail -n 200 ${file}.log`, log(names, names.whole(40, 200)));
    case 7:
      return shell(`curl -s http://localhost:3000/${names.symbol()}`, json(names, names.whole(5, 40)));
    case 8:
      return shell(`git diff ${file}`, diff(names, names.whole(1, 8)));
    default:
      return shell(`ls -lR ${file}`, `${listing(names, names.whole(10, 80))}\n${names.errorLine()}`);
  }
}

function shell(command: string, result: string): Step {
  return { tool: "bash", input: { command }, result };
}
