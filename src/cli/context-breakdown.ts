/** Where the tokens of a transcript are: by role, by tool, in single results, and in duplicate results. */
import { describeCall, labelOf } from "../core/digest/call.ts";
import { pairingOf, type PairedCall } from "../core/transcript/pairing.ts";
import type { Measure } from "../core/transcript/measure.ts";
import { callsOf, contentText, type Message, type Transcript } from "../core/transcript/message.ts";

export interface TokenShare {
  readonly name: string;
  readonly tokens: number;
  /** Messages of a role, calls of a tool. */
  readonly count: number;
}

export interface LargeResult {
  /** Index of the message that holds it. */
  readonly message: number;
  /** The tool and its target. */
  readonly label: string;
  readonly tokens: number;
}

export interface DuplicateResult {
  readonly label: string;
  readonly times: number;
  /** Tokens of all but the last copy. */
  readonly tokens: number;
}

export interface ContextBreakdown {
  readonly tokens: number;
  readonly messages: number;
  /** Heaviest first, as are all the lists. */
  readonly roles: readonly TokenShare[];
  /** Calls with their results. */
  readonly tools: readonly TokenShare[];
  readonly largest: readonly LargeResult[];
  readonly repeats: readonly DuplicateResult[];
}

const LARGEST_MAX = 8;
const REPEATS_MAX = 8;
/** Shorter results repeat by nature: `ok`, an empty listing. */
const REPEAT_TOKENS_MIN = 50;

export function censusOf(transcript: Transcript, measure: Measure): ContextBreakdown {
  const { messages } = transcript;
  const { answers } = pairingOf(messages);
  const results = messages.flatMap((message, at) =>
    message.role === "tool" ? [{ message: at, label: labelFor(answers[at]), tokens: weightOf(message, measure) }] : [],
  );
  return {
    tokens: measure.transcript(transcript),
    messages: messages.length,
    roles: byRole(transcript, measure),
    tools: byTool(messages, answers, measure),
    largest: heaviest(results).slice(0, LARGEST_MAX),
    repeats: repeatsAmong(results, messages).slice(0, REPEATS_MAX),
  };
}

function labelFor(asked: PairedCall | undefined): string {
  return asked === undefined
    ? "a result without its call"
    : labelOf(describeCall(asked.call.name, asked.call.arguments));
}

function byRole({ system, messages, tools }: Transcript, measure: Measure): readonly TokenShare[] {
  const roles = new Map<string, TokenShare>();
  const share = (message: Message): number => weightOf(message, measure);
  for (const message of system) add(roles, "system prompt", share(message));
  if (tools !== undefined) add(roles, "tool declarations", measure.text(tools));
  for (const message of messages) add(roles, ROLE_NAMES[message.role], share(message));
  return heaviest([...roles.values()]);
}

const ROLE_NAMES: Readonly<Record<Message["role"], string>> = {
  system: "system, later",
  user: "user",
  assistant: "assistant",
  tool: "tool results",
};

function byTool(
  messages: readonly Message[],
  answers: readonly (PairedCall | undefined)[],
  measure: Measure,
): readonly TokenShare[] {
  const tools = new Map<string, TokenShare>();
  messages.forEach((message, at) => {
    for (const { name, arguments: text } of callsOf(message)) add(tools, name, measure.text(text));
    const asked = answers[at];
    if (asked !== undefined) add(tools, asked.call.name, weightOf(message, measure), 0);
  });
  return heaviest([...tools.values()]);
}

function add(sums: Map<string, TokenShare>, name: string, tokens: number, count = 1): void {
  const sum = sums.get(name);
  sums.set(name, { name, tokens: (sum?.tokens ?? 0) + tokens, count: (sum?.count ?? 0) + count });
}

function repeatsAmong(results: readonly LargeResult[], messages: readonly Message[]): readonly DuplicateResult[] {
  const long = results.filter(({ tokens }) => tokens >= REPEAT_TOKENS_MIN);
  const groups = Map.groupBy(long, ({ message }) => contentText(messages[message]!.parts));
  const repeats = [...groups.values()]
    .filter((group) => group.length > 1)
    .map((group) => ({
      label: group.at(-1)!.label,
      times: group.length,
      tokens: group[0]!.tokens * (group.length - 1),
    }));
  return heaviest(repeats);
}

function heaviest<Item extends { readonly tokens: number }>(items: readonly Item[]): readonly Item[] {
  return items.toSorted((one, other) => other.tokens - one.tokens);
}

/** As it counts in the whole, of which the others are shares. */
function weightOf(message: Message, measure: Measure): number {
  return measure.transcript({ system: [], messages: [message] });
}
