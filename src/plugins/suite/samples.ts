/**
 * Transcripts to try an engine on, for those who have none at hand: drawn from a seed, long tool results of several
 * kinds, several scripts, ids that repeat, and now and then what a provider would refuse.
 */
import { textMessage, type Message, type ToolCallPart, type Transcript } from "../../core/transcript/message.ts";

type Draw = (below: number) => number;

const TURNS_MAX = 30;
const LINES_MAX = 150;
const TOOLS = ["read_file", "shell", "search", "fetch"] as const;
/** One sample in this many is broken, as histories of real clients are. */
const BROKEN_RARITY = 4;

/** The same transcripts for the same seed. */
export function sampleTranscripts(count: number, seed = 1): readonly Transcript[] {
  return Array.from({ length: count }, (_, at) => sample(drawFrom(seed * 7919 + at), at % BROKEN_RARITY === 3));
}

/** Numbers that look drawn (a linear congruence: the modulus and factor are those of Numerical Recipes). */
function drawFrom(seed: number): Draw {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function sample(draw: Draw, broken: boolean): Transcript {
  const messages: Message[] = [
    textMessage("user", `Make the build of module ${draw(90)} pass; never touch src/api.ts.`),
  ];
  const turns = 1 + draw(TURNS_MAX);
  for (let turn = 0; turn < turns; turn++) {
    if (draw(6) === 0) messages.push(textMessage("user", `Now look at port ${8000 + draw(999)} 再看一次。`));
    for (const each of assistantTurn(draw, turn)) messages.push(each);
  }
  return {
    system: draw(3) === 0 ? [] : [textMessage("system", "You are careful. ".repeat(1 + draw(40)))],
    messages: broken ? damaged(messages, draw) : messages,
    ...(draw(2) === 0 ? {} : { tools: JSON.stringify(TOOLS.map((name) => ({ name }))) }),
  };
}

function assistantTurn(draw: Draw, turn: number): Message[] {
  const calls = Array.from({ length: draw(4) }, (_, at): ToolCallPart => {
    const id = draw(5) === 0 ? `call_${at}` : `call_${turn}_${at}`;
    const path = `src/part${draw(20)}.ts`;
    const body = draw(4) === 0 ? { path, text: readLines("source", 1 + draw(LINES_MAX), draw) } : { path };
    return { kind: "tool-call", id, name: TOOLS[draw(TOOLS.length)]!, arguments: JSON.stringify(body) };
  });
  const says = { kind: "text", text: `Step ${turn}: the value is ${draw(100_000)}.` } as const;
  const kinds = ["log", "source", "json", "cjk"] as const;
  return [
    { role: "assistant", parts: [says, ...calls] },
    ...calls.map(({ id }): Message => {
      const text = draw(8) === 0 ? "" : readLines(kinds[draw(kinds.length)]!, 1 + draw(LINES_MAX), draw);
      return { role: "tool", parts: [{ kind: "tool-result", callId: id, content: [{ kind: "text", text }] }] };
    }),
  ];
}

function readLines(kind: "log" | "source" | "json" | "cjk", count: number, draw: Draw): string {
  const line = {
    log: () => `2026-01-02T03:04:05Z ${draw(9) === 0 ? "ERROR" : "INFO"} worker ${draw(40)} took ${draw(5000)} ms`,
    source: () => `  const value${draw(900)} = compute(${draw(900)}); // kept`,
    json: () => JSON.stringify({ id: draw(1_000_000), name: `item ${draw(99)}` }),
    cjk: () => `第 ${draw(500)} 行：构建失败，找不到模块`,
  }[kind];
  return Array.from({ length: count }, line).join("\n");
}

function damaged(messages: readonly Message[], draw: Draw): readonly Message[] {
  const at = messages.findIndex(({ role }) => role === "tool");
  if (at < 0) return messages;
  const choice = draw(3);
  if (choice === 0) return messages.toSpliced(at, 1);
  if (choice === 1) return messages.toSpliced(at, 0, messages[at]!);
  return messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => (part.kind === "tool-call" ? { ...part, arguments: '{"path": "src/a' } : part)),
  }));
}
