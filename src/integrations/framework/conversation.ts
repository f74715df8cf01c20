/**
 * Conversations in a framework's own messages. What a compaction kept is given back as the very objects that came;
 * only what it wrote or shortened is a new message.
 */
import type { Content, Message, Part, Transcript } from "../../core/transcript/message.ts";
import type { Compaction } from "../../core/compaction/compaction.ts";
import type { Outcome, EngineTool } from "../../core/engines/contract.ts";
import type { CompactOptions, Prepared, Runtime, WaitingForMain, RuntimeOptions } from "../../session/contract.ts";
import { isHostTool } from "../../session/model-tools.ts";
import { RECALL_TOOL, RECALL_TOOL_DECLARATION } from "../../session/recall/answer.ts";

/** How one framework writes messages. */
export interface MessageFormat<Framework> {
  /** Names it in slices of the wire. */
  readonly name: string;
  /** What a message says: several of ours if it carries several results. Each part has its place as `at`. */
  readonly read: (message: Framework) => readonly Content[];
  /** The message with what is left of it. Parts that have a place and are not what was read there have changed. */
  readonly edit: (message: Framework, left: readonly LeftPart[]) => Framework;
  /** A message that comes from no message of the framework; `toolOf` gives the tool of a call's id. */
  readonly write: (message: Message, toolOf: (callId: string) => string) => Framework;
}

/** A format of messages that are only read. */
export type ReadFormat<Framework> = Pick<MessageFormat<Framework>, "name" | "read">;

export interface LeftPart {
  readonly part: Part;
  /** Says the same as what was read at its place. */
  readonly same: boolean;
}

/** What a framework sends in addition to its messages. */
interface Surroundings {
  /** Tool declarations, for their size. */
  readonly tools?: unknown;
  readonly maxOutputTokens?: number | undefined;
}

export interface FrameworkPrepared<Framework> extends Omit<Prepared, "transcript"> {
  readonly messages: readonly Framework[];
}

/** The outcome of a compaction, and the messages to continue with. */
type FrameworkCompacted<Framework> = Outcome & {
  readonly messages: readonly Framework[];
  readonly compaction?: Compaction;
};

export interface FrameworkConversation<Framework> {
  readonly prepare: (
    messages: readonly Framework[],
    around?: Surroundings,
    waiting?: WaitingForMain,
  ) => Promise<FrameworkPrepared<Framework>>;
  /** Compacts now, regardless of the threshold; the next `prepare` of these messages uses it. */
  readonly compact: (
    messages: readonly Framework[],
    options?: CompactOptions,
  ) => Promise<FrameworkCompacted<Framework>>;
  /** Undefined if the error reports no overflow. */
  readonly recover: (
    error: unknown,
    messages: readonly Framework[],
    around?: Surroundings,
  ) => Promise<FrameworkPrepared<Framework> | undefined>;
}

/** A conversation over a runtime. Like the runtime, it is for one conversation. */
export function createConversation<Framework>(
  runtime: Runtime,
  format: MessageFormat<Framework>,
): FrameworkConversation<Framework> {
  const shaped = (
    { transcript, ...rest }: Prepared,
    given: Transcript,
    messages: readonly Framework[],
  ): FrameworkPrepared<Framework> => ({
    ...rest,
    messages: transcript === given ? messages : write(format, transcript, messages),
  });
  return {
    prepare: async (messages, around, waiting) => {
      const given = read(format, messages, around);
      return shaped(await runtime.prepare(given, waiting), given, messages);
    },
    compact: async (messages, options) => {
      const given = read(format, messages);
      const { transcript, ...outcome } = await runtime.compact(given, { reason: "explicit", ...options });
      if (outcome.kind === "unchanged") return { ...outcome, messages };
      return { ...outcome, messages: write(format, transcript, messages) };
    },
    recover: async (error, messages, around) => {
      const given = read(format, messages, around);
      const smaller = await runtime.recover(error, given);
      return smaller === undefined ? undefined : shaped(smaller, given, messages);
    },
  };
}

function read<Framework>(
  format: MessageFormat<Framework>,
  messages: readonly Framework[],
  { tools, maxOutputTokens }: Surroundings = {},
): Transcript {
  const decoded = readMessages(format, messages).flat();
  const first = decoded.findIndex(({ role }) => role !== "system");
  const lead = first < 0 ? decoded.length : first;
  return {
    system: decoded.slice(0, lead),
    messages: decoded.slice(lead),
    ...(tools === undefined ? {} : { tools: stringifyPart(tools) }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}

/** The messages of ours that each one is read as. */
export function readMessages<Framework>(
  format: ReadFormat<Framework>,
  messages: readonly Framework[],
): readonly (readonly Message[])[] {
  return messages.map((message): readonly Message[] => {
    const members = format.read(message);
    // In core's own form, because `recall` cannot read that of a framework.
    const raw = members.map(({ role, parts }) => JSON.stringify({ role, parts })).join("\n");
    const wire = { protocol: format.name, raw, members };
    return members.map((content) => ({ ...content, wire }));
  });
}

/** Binary data as base64 and addresses as text, so that equal messages have equal texts. */
function stringifyPart(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner instanceof Uint8Array ? { base64: Buffer.from(inner).toString("base64") } : inner,
  );
}

function write<Framework>(
  format: MessageFormat<Framework>,
  { system, messages }: Transcript,
  given: readonly Framework[],
): Framework[] {
  const tools = toolNames([...system, ...messages]);
  const toolOf = (callId: string): string => tools.get(callId) ?? "tool";
  const groups = groupMessages([...system, ...messages]);
  const originals = collectOriginals(format, given, groups);
  return groups.map((group, at) => {
    const { wire } = group[0]!;
    const original = originals[at];
    if (wire === undefined || original === undefined) return format.write(joined(group), toolOf);
    const left = group.flatMap((message) => collectLeft(message, wire.members));
    const whole = group.length === wire.members.length && left.every(({ same }) => same);
    return whole && left.length === wire.members.flatMap(({ parts }) => parts).length
      ? original
      : format.edit(original, left);
  });
}

/** The message that each group came from. Of equal ones, the newest are those that were kept. */
function collectOriginals<Framework>(
  format: MessageFormat<Framework>,
  given: readonly Framework[],
  groups: readonly (readonly Message[])[],
): readonly (Framework | undefined)[] {
  const members = readMessages(format, given);
  const byText = Map.groupBy(given.keys(), (at) => members[at]![0]?.wire?.raw);
  return groups
    .toReversed()
    .map(([first]) => {
      const at = first!.wire === undefined ? undefined : byText.get(first!.wire.raw)?.pop();
      return at === undefined ? undefined : given[at];
    })
    .toReversed();
}

/** Those of our messages that came in one message and are still there. */
function groupMessages(messages: readonly Message[]): readonly (readonly Message[])[] {
  const groups: Message[][] = [];
  for (const message of messages) {
    const last = groups.at(-1);
    const { wire } = message;
    const joins =
      last !== undefined && wire !== undefined && last[0]!.wire?.raw === wire.raw && last.length < wire.members.length;
    if (joins) last.push(message);
    else groups.push([message]);
  }
  return groups;
}

function joined(group: readonly Message[]): Message {
  return group.length === 1 ? group[0]! : { ...group[0]!, parts: group.flatMap(({ parts }) => parts) };
}

/** The parts of a message, each with whether it is as it was read. */
function collectLeft({ parts }: Message, members: readonly Content[]): readonly LeftPart[] {
  const byPlace = new Map(members.flatMap((member) => member.parts).map((part) => [part.at, part]));
  return parts.map((part) => {
    const was = part.at === undefined ? undefined : byPlace.get(part.at);
    return { part, same: was !== undefined && (was === part || JSON.stringify(was) === JSON.stringify(part)) };
  });
}

function toolNames(messages: readonly Message[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { parts } of messages)
    for (const part of parts) if (part.kind === "tool-call") names.set(part.id, part.name);
  return names;
}

export function parsedArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}

/** An engine's own tools take the place of the recall tool, which a loop is given before there is anything to recall. */
export function declaredTools(runtime: Runtime, { recall }: RuntimeOptions): readonly EngineTool[] {
  const compacts = runtime.tools().filter(({ name }) => isHostTool(name));
  const own = runtime.tools().filter(({ name }) => name !== RECALL_TOOL && !isHostTool(name));
  return [...compacts, ...(own.length > 0 || recall?.tool === "off" ? own : [RECALL_TOOL_DECLARATION])];
}

/** Tools for one request: without the recall tool while there is nothing to recall, so that it costs nothing until then. */
export function toolsToSend<Tool>(
  tools: readonly Tool[],
  recallable: boolean,
  nameOf: (tool: Tool) => unknown,
): readonly Tool[] {
  return recallable ? tools : tools.filter((tool) => nameOf(tool) !== RECALL_TOOL);
}

/** The answer to the model's call of one of them. Never rejects. */
export async function answerCall(runtime: Runtime, name: string, input: unknown): Promise<string> {
  return (await runtime.callTool({ name, arguments: JSON.stringify(input) })).text;
}

/** How often one call is made smaller and sent again. */
const RECOVERIES_MAX = 4;

interface ModelCall<Framework> {
  readonly messages: readonly Framework[];
  readonly around?: Surroundings;
  readonly signal?: AbortSignal | undefined;
}

export async function callPrepared<Framework, Result>(
  { prepare, recover }: FrameworkConversation<Framework>,
  { messages, around, signal }: ModelCall<Framework>,
  send: (sent: FrameworkPrepared<Framework>) => PromiseLike<Result>,
): Promise<Result> {
  let sent = await prepare(messages, around, signal === undefined ? {} : { signal });
  for (let attempt = 0; ; attempt++) {
    try {
      return await send(sent);
    } catch (error) {
      const smaller = attempt < RECOVERIES_MAX ? await recover(error, messages, around) : undefined;
      if (smaller === undefined) throw error;
      sent = smaller;
    }
  }
}
