/** `expand`: an original by its recall id, or messages of it or of a session by their numbers, page by page. */
import { PrecisError } from "../../core/errors.ts";
import { messagesText, numbered, outlineOf, type NumberedMessage } from "../../core/recall/messages.ts";
import { oneLine } from "../../core/digest/cut.ts";
import { pageOf, type Answer } from "../../core/recall/pages.ts";
import { estimateText } from "../../core/transcript/estimate.ts";
import type { Role } from "../../core/transcript/message.ts";
import { chooseMessages } from "../../session/recall/search.ts";
import { readOriginal } from "../../session/recall/read-original.ts";
import type { ToolContext } from "./contract.ts";
import { findOriginal, findSession } from "./scope.ts";
import { isRecallId } from "../../core/transcript/links.ts";

const LABEL_CHARS_MAX = 100;
const ID_CHARS_MAX = 100;
/** Tokens of the words around a page, without the names in them. */
const FRAME_TOKENS = 60;

export interface ExpandArguments {
  readonly id?: string | undefined;
  readonly messages?: string | undefined;
  readonly role?: Role | undefined;
  readonly outline?: boolean | undefined;
  readonly offset?: number | undefined;
}

export async function expand(context: ToolContext, given: ExpandArguments, tokensMax: number): Promise<Answer> {
  const { id } = given;
  return id !== undefined && isRecallId(id)
    ? expandOriginal(context, { ...given, id }, tokensMax)
    : expandSession(context, given, tokensMax);
}

async function expandOriginal(
  context: ToolContext,
  given: ExpandArguments & { readonly id: string },
  tokensMax: number,
): Promise<Answer> {
  const { id } = given;
  const original = await findOriginal(context, id);
  const text = original.text.slice(0, context.limits.originalChars);
  const { messages } = readOriginal({ ...original, text });
  const label = oneLine(context.redact(original.label), LABEL_CHARS_MAX);
  if (messages === undefined) {
    const whole = context.redact(text);
    return paged(
      { what: `${id}: ${label}`, again: `id ${id}`, end: "" },
      { whole, offset: given.offset ?? 0, tokensMax },
    );
  }
  return expandMessages(context, { given, name: id, what: `${id}: ${label}`, messages }, tokensMax);
}

async function expandSession(context: ToolContext, given: ExpandArguments, tokensMax: number): Promise<Answer> {
  const session = await findSession(context, given.id);
  const messages = numbered(await context.archive.messages({ tenant: context.tenant, id: session.id }), 1);
  const name = session.id.slice(0, ID_CHARS_MAX);
  const narrowed = given.messages !== undefined || given.role !== undefined || given.outline === true;
  const last = narrowed ? given : { ...given, messages: String(messages.length) };
  return expandMessages(context, { given: last, name, what: `Session ${name}`, messages }, tokensMax);
}

interface Expanded {
  readonly given: ExpandArguments;
  readonly name: string;
  readonly what: string;
  readonly messages: readonly NumberedMessage[];
}

function expandMessages(context: ToolContext, { given, name, what, messages }: Expanded, tokensMax: number): Answer {
  const { role, outline = false, offset = 0 } = given;
  const all = chooseMessages(messages, name, given);
  const some = outline ? all : all.slice(0, context.limits.messages);
  const safe = some.map((message) => ({ ...message, text: context.redact(message.text) }));
  const [first, last] = [some[0]!.number, some.at(-1)!.number];
  const whole = outline ? safe.map(outlineOf).join("\n") : messagesText(safe);
  const range = first === last ? `message ${first}` : `messages ${first} to ${last}`;
  const again = [
    `id ${name}`,
    `messages ${first === last ? first : `${first}-${last}`}`,
    ...(role === undefined ? [] : [`role ${role}`]),
    ...(outline ? ["outline true"] : []),
  ].join(", ");
  const next = all[some.length];
  return paged(
    {
      what: what.endsWith(range) ? what : `${what}, ${range} of ${messages.at(-1)!.number}`,
      again,
      end: next === undefined ? "" : `(more messages: ${next.number}-${all.at(-1)!.number})`,
    },
    { whole, offset, tokensMax },
  );
}

interface Names {
  readonly what: string;
  /** The same call's arguments, but for the offset. */
  readonly again: string;
  /** What is said behind the last page. */
  readonly end: string;
}

interface Wanted {
  readonly whole: string;
  readonly offset: number;
  readonly tokensMax: number;
}

function paged({ what, again, end }: Names, { whole, offset, tokensMax }: Wanted): Answer {
  if (offset > 0 && offset >= whole.length)
    throw new PrecisError(`there is nothing from character ${offset} on`, {
      code: "bad_range",
      hint: `It has ${whole.length} characters.`,
    });
  const frame = estimateText(`${what}\n${again}\n${end}`) + FRAME_TOKENS;
  const { text, next } = pageOf(whole, offset, Math.max(1, tokensMax - frame));
  const part = offset === 0 && next === undefined ? "" : `characters ${offset} to ${next ?? whole.length} of `;
  return {
    head: `${what}; ${part}${whole.length} characters`,
    body: [text],
    rest: () => (next === undefined ? end : `(more: ${again}, offset ${next})`),
  };
}
