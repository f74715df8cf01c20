/** The tools of an engine: what they answer is original, no larger than was asked, and no call does harm. */
import type { Compaction } from "../../core/compaction/compaction.ts";
import { estimateText } from "../../core/transcript/estimate.ts";
import type { Transcript } from "../../core/transcript/message.ts";
import type { Engine, EngineTool, Sources, ToolAnswer, ToolCall } from "../../core/engines/contract.ts";
import { demand, EngineFault } from "./fault.ts";
import { isPlain, readableOf } from "./print.ts";

/** Bounds that are tried, in tokens; the last is large enough to hold something of an original. */
const BOUNDS_TOKENS = [40, 300, 2_000] as const;
const ROOM_TOKENS = 2_000;
/** No call of any tool. */
const BAD_ARGUMENTS = ["{", "[]", "7", '"words"', '{"no such argument":[{}]}', `{"words":"${"x".repeat(100_000)}"}`];
const WORD = /[\p{L}\p{N}_./-]{4,40}/u;

/** An engine with what it compacted. */
interface Case {
  readonly state: unknown;
  readonly original: Transcript;
  readonly compaction: Compaction;
}

export async function demandTools(engine: Engine, { state, original, compaction }: Case): Promise<void> {
  const tools = engine.tools?.(state) ?? [];
  if (tools.length === 0) return;
  demand(engine.callTool !== undefined, "tools", () => "there are tools, but no `callTool`");
  demand(isPlain(tools), "tools", () => "the tools are not plain data");
  demand(
    JSON.stringify(tools) === JSON.stringify(engine.tools?.(engine.init())),
    "tools",
    () => "the tools change within a session, which invalidates the provider's cache",
  );
  const originals = originalsOf(compaction, original);
  const answer = (call: ToolCall, sources: Partial<Sources> = {}): Promise<ToolAnswer> =>
    answered(engine, { state, call, sources: { original: (id) => Promise.resolve(originals.get(id)), ...sources } });
  await demandRefusals(tools, answer);
  let quotes = 0;
  for (const call of callsOf(tools, originals))
    for (const tokensMax of BOUNDS_TOKENS) {
      const said = await answer(call, { tokensMax });
      demandOriginal(said, originals, tokensMax);
      quotes += said.quotes.length;
    }
  const readable = [...originals.values()].some((text) => WORD.test(text) && estimateText(text) < ROOM_TOKENS);
  demand(!readable || quotes > 0, "tools", () => "no tool returns anything that was removed from the transcript");
}

interface ToolTrial {
  readonly state: unknown;
  readonly call: ToolCall;
  readonly sources: Sources;
}

async function answered(engine: Engine, { state, call, sources }: ToolTrial): Promise<ToolAnswer> {
  try {
    return await engine.callTool!(state, call, sources);
  } catch (error) {
    throw new EngineFault("tools", `a call of ${call.name} threw ${String(error)}`);
  }
}

type Answering = (call: ToolCall, sources?: Partial<Sources>) => Promise<ToolAnswer>;

async function demandRefusals(tools: readonly EngineTool[], answer: Answering): Promise<void> {
  const bad = tools.flatMap(({ name }) => BAD_ARGUMENTS.map((given) => ({ name, arguments: given })));
  for (const call of [...bad, { name: "no_such_tool", arguments: "{}" }]) {
    const { isError } = await answer(call);
    demand(isError === true, "tools", () => `${call.name} takes ${call.arguments.slice(0, EXCERPT_CHARS)} for a call`);
  }
  const broken = { original: () => Promise.reject(new Error("the store is unavailable")) };
  for (const call of callsOf(tools, new Map([["r000000000", "word"]]))) {
    await answer(call, broken);
    await answer(call, { isLate: () => true });
  }
}

const EXCERPT_CHARS = 80;

function demandOriginal({ text, quotes }: ToolAnswer, originals: ReadonlyMap<string, string>, tokensMax: number): void {
  const tokens = estimateText(text);
  demand(tokens <= tokensMax, "tools", () => `the answer has ${tokens} tokens, but ${tokensMax} were allowed`);
  for (const quote of quotes) {
    const says = (what: string) => (): string => `"${quote.text.slice(0, EXCERPT_CHARS)}" ${what}`;
    demand(originals.get(quote.id)?.includes(quote.text) === true, "tools", says(`is not in the original ${quote.id}`));
    demand(text.includes(quote.text), "tools", says("is listed as a quote, but the answer does not contain it"));
  }
}

function originalsOf({ evicted }: Compaction, { messages }: Transcript): ReadonlyMap<string, string> {
  return new Map(
    evicted.map(({ id, message, end, original }) => [id, original ?? readableOf(messages.slice(message, end))]),
  );
}

/** Calls of each tool with an id that there is, one that there is not, and a word, wherever it takes a text. */
function callsOf(tools: readonly EngineTool[], originals: ReadonlyMap<string, string>): readonly ToolCall[] {
  const ids = [...originals.keys()];
  const word = WORD.exec([...originals.values()].join("\n"))?.[0] ?? "word";
  const texts = [...new Set([ids[0] ?? "", ids.at(-1) ?? "", "r999999999", word])].filter((text) => text !== "");
  return tools.flatMap(({ name, parameters }) =>
    texts.flatMap((text) => argumentsOf(parameters, text).map((given) => ({ name, arguments: JSON.stringify(given) }))),
  );
}

/** What a tool requires; and, as it may take either of several texts, the same with each optional one. */
function argumentsOf({ required = [], properties = {} }: Readonly<Record<string, unknown>>, text: string): unknown[] {
  const fields = properties as Readonly<Record<string, { readonly type?: string; readonly minimum?: number }>>;
  const names = required as readonly string[];
  const isText = (name: string): boolean => fields[name]?.type === "string";
  const least = names.map((name) => [name, isText(name) ? text : (fields[name]?.minimum ?? 1)] as const);
  const optional = Object.keys(fields).filter((name) => isText(name) && !names.includes(name));
  return [least, ...optional.map((name) => [...least, [name, text] as const])].map((given) =>
    Object.fromEntries(given),
  );
}
