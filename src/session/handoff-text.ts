/** What an export needs: which messages hold something that precis wrote, and messages without their secrets. */
import { defined } from "../core/defined.ts";
import { redactMessage } from "../core/passes/redact-messages.ts";
import { redactorFor, type Redactor } from "../core/redaction/redactor.ts";
import { withParts, type Message, contentText, textMessage } from "../core/transcript/message.ts";
import { elementTexts } from "../protocols/json.ts";
import { protocols } from "../protocols/index.ts";
import { type ProtocolName } from "../core/protocols.ts";
import { languageOfPeople } from "../core/handoff/language.ts";
import { wordsIn } from "../core/handoff/translations.ts";
import { liveRequestOf } from "../core/events/live-request.ts";
import type { Outcome } from "../core/engines/contract.ts";
import { messageText, numbered } from "../core/recall/messages.ts";
import { createMemoryStore } from "../store/memory.ts";
import type { Store } from "../store/store.ts";
import type { CompactOptions, Runtime, RuntimeOptions } from "./contract.ts";
import { createRuntime } from "./runtime.ts";

/** The member that labels such a message. */
export const ORIGIN_MEMBER = "precis_origin";

/** By the index in the wire's array, what precis wrote there; several messages may share one element. */
export function originsOf(protocol: ProtocolName, messages: readonly Message[]): ReadonlyMap<number, string> {
  const origins = new Map<number, string>();
  const elementsUpTo = (end: number): number => elementTexts(protocols[protocol].format(messages.slice(0, end))).length;
  messages.forEach(({ origin }, at) => {
    if (origin === undefined) return;
    const end = elementsUpTo(at + 1);
    // The wire of some protocols joins a message to the one before it.
    for (let element = Math.min(elementsUpTo(at), end - 1); element < end; element++) origins.set(element, origin);
  });
  return origins;
}

/** Thinking is never edited, so that which holds a secret is left out. */
export function exportedWithoutSecrets(message: Message, redact: Redactor): Message {
  const safe = redactMessage(message, redact);
  const parts = safe.parts.filter((part) => part.kind !== "reasoning" || redact(part.text) === part.text);
  return parts.length === safe.parts.length ? safe : withParts(safe, parts);
}

interface HandoffText {
  /** Stands in for everything before the kept messages. */
  readonly text: string;
  /** How many messages at the end stay as they are. */
  readonly kept: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

export interface HandoffTextRequest
  extends Pick<CompactOptions, "focus" | "budget" | "signal" | "reason">, Pick<TextOptions, "secrets"> {
  /** True: no message stays as it is, and the text stands in for all of them. */
  readonly keepNothing?: boolean;
  /** Where the kept end may begin, for a host whose messages hold several of these; anywhere by default. */
  readonly starts?: ReadonlySet<number>;
}

/** Where the engine's own figures would keep everything, this share is aimed for. */
const RESULT_SHARE = 0.2;

/**
 * Undefined where nothing smaller is possible. Give the whole history every time: each handoff is written from the originals,
 * not from the one before.
 *
 * @throws PrecisError of the store; the signal's reason where it aborts.
 */
export async function compactToText(
  runtime: Runtime,
  messages: readonly Message[],
  { keepNothing = false, starts, focus, secrets, ...request }: HandoffTextRequest = {},
): Promise<HandoffText | undefined> {
  const outcome = await compacted(runtime, messages, {
    reason: "explicit",
    ...request,
    ...(focus === undefined || focus === "" ? {} : { focus }),
  });
  if (outcome === undefined) return undefined;
  const { compaction, transcript } = outcome;
  const stays = (at: number): boolean => at >= compaction.covered || compaction.map[at]?.kind === "kept";
  let first = messages.length;
  if (!keepNothing) while (first > 0 && stays(first - 1)) first--;
  // A result without its call would be refused.
  while (messages[first]?.role === "tool" || (first < messages.length && starts?.has(first) === false)) first++;
  const kept = messages.length - first;
  const { before, after } = compaction.report.tokens;
  const replaced = transcript.messages.slice(0, transcript.messages.length - kept);
  const text = writeAsText(replaced, { secrets, live: messages[liveRequestOf(messages)] });
  return { text, kept, tokensBefore: before, tokensAfter: after };
}

/** What an agent begins with is small: the limit of a handoff, and of what one argument of a command holds (128 KiB on Linux). */
const NEW_SESSION_TOKENS_MAX = 12_000;
/** In a small window it leaves most of the room to the work. */
const NEW_SESSION_WINDOW_SHARE = 0.25;

interface NewSession extends Pick<CompactOptions, "budget" | "signal"> {
  readonly goal: string;
  readonly messages: readonly Message[];
}

/**
 * The context for a new session towards a goal. Originals go to the store, so that the new session can recall them; the session
 * that it comes from stays as it is. Without a budget it is as long as a handoff may be.
 *
 * @throws PrecisError of the store; the signal's reason where it aborts.
 */
export async function writeNewSession(
  options: RuntimeOptions & { readonly store: Store },
  { goal, messages, budget: given, signal }: NewSession,
): Promise<string> {
  const { putOriginals, getOriginal, search } = options.store;
  const store = { ...createMemoryStore(), putOriginals, getOriginal, search };
  const asked = [...messages, textMessage("user", goal)];
  const runtime = createRuntime({
    ...options,
    store,
    settings: { ...options.settings, protectFirstN: 0, note: "handoff" },
  });
  const { secrets } = options;
  const room = Math.floor(runtime.report().window.tokens * NEW_SESSION_WINDOW_SHARE);
  const budget = given ?? Math.min(NEW_SESSION_TOKENS_MAX, room);
  const request = { budget, focus: goal, keepNothing: true, ...defined({ secrets, signal }) };
  const done = await compactToText(runtime, asked, request);
  return done?.text ?? writeAsText(asked, { secrets, live: asked.at(-1) });
}

type Compacted = Extract<Outcome, { readonly kind: "compacted" }> & Awaited<ReturnType<Runtime["compact"]>>;

/** By the engine's own figures, then by a budget. */
async function compacted(
  runtime: Runtime,
  messages: readonly Message[],
  given: CompactOptions,
): Promise<Compacted | undefined> {
  const transcript = { system: [], messages };
  const first = await runtime.compact(transcript, given);
  if (first.kind === "compacted") return first;
  const budget = Math.max(1, Math.floor(runtime.report().tokens * RESULT_SHARE));
  const second = await runtime.compact(transcript, { ...given, budget });
  return second.kind === "compacted" ? second : undefined;
}

const SPEAKERS = { system: "System", user: "User", assistant: "Agent", tool: "Result" } as const;

export interface TextOptions {
  readonly secrets?: RuntimeOptions["secrets"] | undefined;
  /** Stays word for word, as its repetition does: it is what is to be done. */
  readonly live?: Message | undefined;
}

/** What replaces messages as one text, without secrets: what precis wrote as it is, everything else with who said it. */
export function writeAsText(messages: readonly Message[], { secrets, live }: TextOptions): string {
  const redact = redactorFor(secrets);
  const numberedMessages = numbered(messages, 1);
  const { newest } = wordsIn(languageOfPeople(messages));
  return messages
    .map((message, at) => {
      if (message.origin === "summary" || message.origin === "note") return redact(contentText(message.parts));
      if (message.origin === "anchor") return `${newest}:\n${contentText(message.parts)}`;
      const [tool] = message.role === "tool" ? numberedMessages[at]!.tools : [];
      const text = `${SPEAKERS[message.role]}${tool === undefined ? "" : ` of ${tool}`}: ${messageText(message)}`;
      return message === live ? text : redact(text);
    })
    .join("\n\n");
}
