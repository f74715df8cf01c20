/** `expand`: an original by its recall id, or messages of a session, page by page. */
import { PrecisError } from "../../core/errors.ts";
import { estimateText } from "../../core/transcript/estimate.ts";
import { spanText } from "../../session/span-text.ts";
import { oneLine, pageOf, type Answer } from "../../core/recall/pages.ts";
import type { Desk } from "./contract.ts";
import { messagesText } from "./conversation.ts";
import { originalOf, RECALL_ID, sessionOf } from "./scope.ts";

const LABEL_CHARS_MAX = 100;
const ID_CHARS_MAX = 100;
/** What the words around a page take beside the names in them, in tokens. */
const FRAME_TOKENS = 60;

export interface ExpandArguments {
  readonly id?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly offset?: number | undefined;
}

export async function expand(desk: Desk, given: ExpandArguments, tokensMax: number): Promise<Answer> {
  const { id } = given;
  if (id !== undefined && RECALL_ID.test(id) && given.from === undefined && given.to === undefined)
    return expandOriginal(desk, id, given.offset ?? 0, tokensMax);
  return expandMessages(desk, given, tokensMax);
}

async function expandOriginal(desk: Desk, id: string, offset: number, tokensMax: number): Promise<Answer> {
  const { kind, label, text } = await originalOf(desk, id);
  const read = (kind === "span" ? spanText(text) : text).slice(0, desk.limits.originalChars);
  // Secrets are looked for in the whole, because a page of one does not look like it.
  const whole = desk.redact(read);
  const what = `${id}: ${oneLine(desk.redact(label), LABEL_CHARS_MAX)}`;
  return paged({ what, again: `id ${id}`, end: "" }, { whole, offset, tokensMax });
}

async function expandMessages(desk: Desk, given: ExpandArguments, tokensMax: number): Promise<Answer> {
  const session = await sessionOf(desk, given.id);
  const all = await desk.archive.messages({ tenant: desk.tenant, id: session.id });
  const last = all.length;
  const wanted = { from: given.from ?? Math.max(1, Math.min(given.to ?? last, last)), to: given.to ?? last };
  const { from } = wanted;
  if (from > last || wanted.to < from)
    throw new PrecisError(`there are no messages ${from} to ${wanted.to}`, {
      code: "bad_range",
      hint: `The session has messages 1 to ${last}; \`from\` is not above \`to\`.`,
    });
  const to = Math.min(wanted.to, last, from + desk.limits.messages - 1);
  const whole = messagesText(all.slice(from - 1, to), from, desk);
  const name = session.id.slice(0, ID_CHARS_MAX);
  return paged(
    {
      what: `Session ${name}, messages ${from} to ${to} of ${last}`,
      again: `id ${name}, from ${from}, to ${to}`,
      end: to < Math.min(wanted.to, last) ? `(more messages: from ${to + 1})` : "",
    },
    { whole, offset: given.offset ?? 0, tokensMax },
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
