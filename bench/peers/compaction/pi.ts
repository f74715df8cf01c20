/** pi: its agent core's compaction, from session entries to a summary and a retained tail. */
import type { ChatMessage } from "../../../eval/src/recall/future-use.ts";
import { createExtractor } from "../extract.ts";
import { installed, load } from "../load.ts";
import { argumentsOf, textOfContent, toolNames, wireCall, type Contestant, type Native } from "./contestant.ts";

type Result<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: { readonly message: string } };

interface Compacted {
  readonly summary: string;
  readonly tokensBefore: number;
  readonly retainedTail: readonly AgentMessage[];
}

interface Prompt {
  readonly messages: readonly { readonly content: readonly { readonly text: string }[] }[];
}

interface PiCore {
  readonly BACKGROUND_CONTEXT: object;
  readonly prepareCompaction: (entries: Native, settings: object) => Result<object | undefined>;
  /** After the models: instructions, thinking, retries and callbacks, none of which is used here; last the context. */
  readonly compact: (
    preparation: object,
    models: object,
    model: object,
    ...rest: unknown[]
  ) => Promise<Result<Compacted>>;
  readonly createCompactionSummaryMessage: (summary: string, tokensBefore: number, timestamp: number) => AgentMessage;
  readonly estimateTokens: (message: AgentMessage) => number;
  readonly convertToLlm: (messages: readonly AgentMessage[]) => readonly AgentMessage[];
}

type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "toolCall"; readonly id: string; readonly name: string; readonly arguments: unknown };

interface AgentMessage {
  readonly role: string;
  readonly content: string | readonly Block[];
  readonly toolCallId?: string;
}

type Entry =
  | { readonly type: "message"; readonly message: AgentMessage }
  | ({ readonly type: "compaction" } & Compacted);

/** Its own defaults, by `DEFAULT_COMPACTION_SETTINGS`. */
const RESERVE_TOKENS = 16_384;
const KEEP_RECENT_TOKENS = 20_000;
const SUMMARY_TOKENS = 2_000;

export async function piContestant(): Promise<Contestant> {
  const pi = await load<PiCore>("@earendil-works/pi-agent-core");
  return {
    name: "pi",
    from: installed("@earendil-works/pi-agent-core"),
    how: "keepRecentTokens 20,000",
    knob: "tokens",
    asItComes: { keep: KEEP_RECENT_TOKENS, summaryTokens: SUMMARY_TOKENS },
    stands: true,
    read: asEntries,
    weigh: (entries) =>
      (entries as readonly Entry[])
        .flatMap(messagesOf(pi))
        .reduce((tokens, message) => tokens + pi.estimateTokens(message), 0),
    on: (conversation) => {
      const extractor = createExtractor(conversation);
      return {
        compact: async (entries, { keep, summaryTokens }) => {
          const settings = { enabled: true, reserveTokens: RESERVE_TOKENS, keepRecentTokens: keep };
          const prepared = valueOf(pi.prepareCompaction(entries, settings));
          if (prepared === undefined) return entries;
          const models = modelsThat((prompt, asked) => extractor.answer(prompt, Math.min(asked, summaryTokens)));
          const model = { id: "stub", provider: "stub", reasoning: false, maxTokens: RESERVE_TOKENS };
          const none = Array.from({ length: 4 }, () => undefined);
          const compacted = valueOf(await pi.compact(prepared, models, model, ...none, pi.BACKGROUND_CONTEXT));
          return [{ type: "compaction", id: `c${entries.length}`, parentId: null, seq: 0, timestamp: 0, ...compacted }];
        },
        write: (entries) => pi.convertToLlm((entries as readonly Entry[]).flatMap(messagesOf(pi))).map(asChat),
        told: extractor.told,
      };
    },
  };
}

/** Its models, of which it calls one function. */
function modelsThat(answer: (prompt: string, asked: number) => string): object {
  return {
    completeSimple: (_model: object, { messages }: Prompt, { maxTokens }: { readonly maxTokens: number }) => {
      const prompt = messages.flatMap(({ content }) => content.map(({ text }) => text)).join("\n");
      const text = answer(prompt, maxTokens);
      const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
      const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost };
      return Promise.resolve({ role: "assistant", content: [{ type: "text", text }], stopReason: "stop", usage });
    },
  };
}

function valueOf<Value>(result: Result<Value>): Value {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

function messagesOf(pi: PiCore): (entry: Entry) => readonly AgentMessage[] {
  return (entry) =>
    entry.type === "message"
      ? [entry.message]
      : [pi.createCompactionSummaryMessage(entry.summary, entry.tokensBefore, 0), ...entry.retainedTail];
}

function asEntries(messages: readonly ChatMessage[]): readonly Entry[] {
  const nameOf = toolNames(messages);
  return messages.map((message, at) => ({
    type: "message",
    id: `m${at}`,
    parentId: null,
    seq: at,
    timestamp: 0,
    message: asAgentMessage(message, nameOf),
  }));
}

function asAgentMessage(message: ChatMessage, nameOf: (id: string | undefined) => string): AgentMessage {
  const text = textOfContent(message);
  const content: Block[] = text === "" ? [] : [{ type: "text", text }];
  const placed = { timestamp: 0 };
  switch (message.role) {
    case "assistant": {
      const calls = (message.tool_calls ?? []).map((call): Block => {
        const { name, arguments: input } = call.function;
        return { type: "toolCall", id: call.id, name, arguments: argumentsOf(input) };
      });
      return { ...placed, role: "assistant", content: [...content, ...calls] };
    }
    case "tool": {
      const named = { toolCallId: message.tool_call_id ?? "", toolName: nameOf(message.tool_call_id), isError: false };
      return { ...placed, role: "toolResult", ...named, content };
    }
    default:
      return { ...placed, role: "user", content };
  }
}

function asChat({ role, content, toolCallId }: AgentMessage): ChatMessage {
  const blocks = typeof content === "string" ? [{ type: "text", text: content } as const] : content;
  const text = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  const calls = blocks.flatMap((block) =>
    block.type === "toolCall" ? [wireCall(block.id, block.name, block.arguments)] : [],
  );
  if (role === "toolResult") return { role: "tool", tool_call_id: toolCallId ?? "", content: text };
  return { role, content: text, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}
