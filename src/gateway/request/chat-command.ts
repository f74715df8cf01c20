/**
 * The second step, where commands in the conversation are on: the newest message that is one is answered here, without a model.
 * Earlier ones and our answers are taken out of the body before anything else reads it, so that every later step sees a
 * conversation without them.
 */
import { randomUUID } from "node:crypto";
import type { Compaction } from "../../core/compaction/compaction.ts";
import { createRedactor } from "../../core/redaction/redactor.ts";
import { memberOf } from "../../protocols/definition.ts";
import { protocols } from "../../protocols/index.ts";
import { type Decoded } from "../../protocols/protocol.ts";
import { definitions } from "../../protocols/registry.ts";
import { answerCommand, type CommandContext, ANSWER_START, withoutCommands } from "../chat-commands/answer.ts";
import { mayHoldCommand, type ChatCommand } from "../chat-commands/command.ts";
import { writeNewSession } from "../../session/handoff-text.ts";
import type { ClientResponse } from "../contract.ts";
import type { Conversation, ReadRequest } from "../conversations/conversations.ts";
import { withoutBodyHeaders } from "../transport/headers.ts";
import type { GatewayContext } from "./context.ts";
import type { ReceivedRequest } from "./model-request.ts";
import { applyModelLimits, findConversation, inTurn, reportCompaction, skipReason } from "./prepare.ts";
import { respondHere } from "./respond.ts";

/** The request without commands, or the response to the one that is its newest message. */
export async function takeChatCommand(
  context: GatewayContext,
  request: ReceivedRequest,
): Promise<ReceivedRequest | { readonly response: ClientResponse }> {
  const { chatCommands: prefix } = context;
  const { text, route } = request;
  if (prefix === undefined || text === undefined || !mayHoldCommand(text, prefix)) return request;
  const decoded = readable(context, request, text);
  const clean = decoded && withoutCommands(decoded.transcript.messages, prefix);
  if (decoded === undefined || clean === undefined) return request;
  const { messages, command } = clean;
  const body = protocols[route.protocol].splice(decoded, { ...decoded.transcript, messages });
  const client = { ...request.client, headers: withoutBodyHeaders(request.client.headers) };
  const without = { ...request, client, text: body, raw: Buffer.from(body) };
  if (command !== undefined && route.asks === "answer")
    return { response: await respondToCommand(context, without, { command, prefix, decoded }) };
  // No provider counts the tokens of nothing.
  return messages.length === 0 ? request : without;
}

/** What cannot be read is passed on by the step that reads requests. */
function readable({ limits }: GatewayContext, { route }: ReceivedRequest, text: string): Decoded | undefined {
  try {
    return protocols[route.protocol].decode(text, undefined, limits.readMessages);
  } catch {
    return undefined;
  }
}

interface CommandInRequest {
  readonly command: ChatCommand;
  readonly prefix: string;
  readonly decoded: Decoded;
}

async function respondToCommand(
  context: GatewayContext,
  request: ReceivedRequest,
  { command, prefix, decoded }: CommandInRequest,
): Promise<ClientResponse> {
  const { record, route, destination, client } = request;
  const model = route.model ?? decoded.transcript.model ?? "";
  record.model = model;
  record.treatment = { kind: "command", name: command.name };
  const text = await answerText(context, request, { command, prefix, decoded });
  const answer = {
    id: randomUUID().replaceAll("-", ""),
    model,
    text,
    createdSeconds: Math.floor(context.now() / MS_PER_SECOND),
  };
  const form = { member: memberOf(decoded), target: destination.target };
  client.signal.throwIfAborted();
  return respondHere(record, definitions[route.protocol].ownAnswer(answer, form));
}

const MS_PER_SECOND = 1_000;

async function answerText(
  context: GatewayContext,
  request: ReceivedRequest,
  { command, prefix, decoded }: CommandInRequest,
): Promise<string> {
  if (decoded.locked !== undefined)
    return `${ANSWER_START}Commands do not work in this conversation: ${decoded.locked}.`;
  const reading = context.conversations.read(request.tenant, request.route, request.text!);
  if (reading.links.length === 0 && command.name !== "help")
    return `${ANSWER_START}The conversation has not begun: write \`${prefix} ${command.name}\` later.`;
  const known = await findConversation(context, request, reading);
  const { conversation, model, upstream, withHiddenTurns, tenant } = known;
  const { transcript } = withHiddenTurns;
  const { runtime, pending } = conversation;
  return inTurn(conversation, async () => {
    const began = performance.now();
    pending.broughtBy(reading.links.at(-1));
    applyModelLimits(context, runtime, { tenant, model, upstream, transcript });
    return answerCommand(command, {
      prefix,
      runtime,
      transcript,
      links: reading.links,
      tenant,
      store: { ...context.store, findCompaction: pending.store.findCompaction },
      now: context.now(),
      redact: createRedactor(context.runtime.secrets),
      refusal: await findRefusal(context, {
        tenant,
        reading,
        conversation,
        skipped: skipReason(context, request, withHiddenTurns),
      }),
      keep: async (made?: Compaction) => {
        if (made !== undefined) reportCompaction(context, { ...known, prepared: {} }, made, performance.now() - began);
        await pending.keep(reading.links);
      },
      writeNewSession: (goal) => {
        const settings = { ...context.runtime.settings, contextLength: runtime.report().window.tokens };
        const options = { ...context.runtime, settings, store: context.store, tenant, model };
        return writeNewSession(options, { goal, messages: transcript.messages, signal: request.client.signal });
      },
      signal: request.client.signal,
    } satisfies CommandContext);
  });
}

interface Changing {
  readonly tenant: string;
  readonly reading: ReadRequest;
  readonly conversation: Conversation;
  readonly skipped: ReturnType<typeof skipReason>;
}

/** Of the newest messages, that many are looked for in the store: the last answers are kept with the request that brings them. */
const NEWEST_MESSAGES = 16;

/** Why a command may change nothing. Nothing is kept for a client before its provider has accepted a request of it. */
async function findRefusal(context: GatewayContext, changing: Changing): Promise<string | undefined> {
  const { tenant, reading, conversation, skipped } = changing;
  if (context.mode === "observe") return "this gateway only observes";
  if (skipped === "bound_thinking") return "its thinking is bound to the unchanged conversation";
  if (conversation.kept !== undefined) return undefined;
  for (const link of reading.links.slice(-NEWEST_MESSAGES).toReversed())
    if (await context.store.isStored(tenant, link)) return undefined;
  return "the gateway has not seen this conversation yet; send a message first";
}
