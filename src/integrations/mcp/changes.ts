/** The tools that change a session: `compact`, `drop`, `pin`, `unpin` and `restore`; and the prompt with which a person asks for a compaction. */
import { readBudget, type Budget } from "../../core/compaction/budget.ts";
import { PrecisError } from "../../core/errors.ts";
import { missingIn } from "../../core/receipt/counts.ts";
import type { Answer } from "../../core/recall/pages.ts";
import type { CompactResult, SessionPins } from "../../session/history.ts";
import type { ToolContext } from "./contract.ts";
import { findSession } from "./scope.ts";

interface Named {
  readonly id?: string | undefined;
}

/** A call that changes a session must name it: the one that was used last may be another. */
async function namedSession(context: ToolContext, { id }: Named): Promise<{ tenant: string; id: string }> {
  if (id === undefined && context.session === undefined)
    throw new PrecisError("no session is named", {
      code: "bad_arguments",
      hint: "Give its `id`; `describe` without an id lists the sessions there are.",
    });
  return { tenant: context.tenant, id: (await findSession(context, id)).id };
}

interface CompactArguments extends Named {
  readonly focus?: string | undefined;
  readonly budget?: string | undefined;
  readonly messages?: string | undefined;
}

export async function compact(
  context: ToolContext,
  { focus, budget, messages, ...named }: CompactArguments,
  { signal }: { readonly signal: AbortSignal },
): Promise<Answer> {
  const size = budget === undefined ? undefined : budgetFrom(budget);
  const session = await namedSession(context, named);
  const result = await context.archive.compact(session, {
    signal,
    ...(messages === undefined ? {} : { messages }),
    ...(focus === undefined ? {} : { focus }),
    ...(size === undefined ? {} : { budget: size }),
  });
  return compactionAnswer(session.id, result, "compacted");
}

export async function drop(
  context: ToolContext,
  { messages, ...named }: Named & { readonly messages: string },
): Promise<Answer> {
  const session = await namedSession(context, named);
  return compactionAnswer(session.id, await context.archive.drop(session, messages), "shortened");
}

function compactionAnswer(session: string, result: CompactResult, done: string): Answer {
  if (result.kind === "unchanged")
    return { head: `Session ${session} was not ${done}: ${result.because}.`, body: [], rest: () => "" };
  const { tokens, messages, recall, receipt } = result.report;
  const missing = missingIn(receipt, "request");
  return {
    head: `Session ${session} was ${done}: ${tokens.before} → ${tokens.after} tokens, ${messages.before} → ${messages.after} messages.`,
    body: [
      "Its next request is sent with it; `restore` takes it back.",
      ...(missing === 0 ? [] : [`requests that may be missing: ${missing}`]),
      ...(recall.length === 0 ? [] : [`recall ids: ${recall.join(", ")}`]),
    ],
    rest: () => "",
  };
}

function budgetFrom(text: string): Budget {
  const read = readBudget(text);
  if ("budget" in read) return read.budget;
  const { because, meant } = read;
  throw new PrecisError(`budget is ${because}`, {
    code: "bad_arguments",
    hint: meant === undefined ? "Write for example 20% or 16k." : `Did you mean ${meant}?`,
  });
}

export function compactPrompt(
  { session }: Pick<ToolContext, "session">,
  { focus, session: named }: { readonly focus?: string | undefined; readonly session?: string | undefined },
): string {
  const which = named === undefined ? "" : ` with the id ${JSON.stringify(named)}`;
  const topic = focus === undefined || focus === "" ? "" : `, and the focus ${JSON.stringify(focus)}`;
  return [
    "Compact this conversation now.",
    ...(session === undefined && named === undefined
      ? [
          "First call `describe` of the server `precis` without an id: this conversation is the session that begins with my first request.",
        ]
      : []),
    `Call the tool \`compact\` of the server \`precis\` once${which}${topic}.`,
    "Then tell me in one line how many tokens it had and has now. Do nothing else.",
  ].join("\n");
}

export async function pin(
  context: ToolContext,
  { messages, fact, ...named }: Named & { readonly messages?: string | undefined; readonly fact?: string | undefined },
): Promise<Answer> {
  const session = await namedSession(context, named);
  const what = { ...(messages === undefined ? {} : { messages }), ...(fact === undefined ? {} : { fact }) };
  return pinsAnswer(context, session.id, await context.archive.pin(session, what));
}

export async function unpin(
  context: ToolContext,
  { pin: pinId, ...named }: Named & { readonly pin: string },
): Promise<Answer> {
  const session = await namedSession(context, named);
  return pinsAnswer(context, session.id, await context.archive.unpin(session, pinId));
}

function pinsAnswer(context: ToolContext, session: string, found: SessionPins): Answer {
  const { pins } = found;
  const head = pins.length === 0 ? `Nothing is pinned in session ${session}.` : `Pinned in session ${session}:`;
  return {
    head,
    body: pinLines(context, found),
    rest: (shown) => (shown < pins.length ? `(${pins.length - shown} more)` : ""),
  };
}

export function pinLines({ redact }: Pick<ToolContext, "redact">, { pins }: SessionPins): readonly string[] {
  return pins.map(({ id, messages, fact = "" }) =>
    messages === undefined ? `${id}: ${redact(fact)}` : `${id}: messages ${messages.from} to ${messages.to}`,
  );
}

export async function restore(context: ToolContext, named: Named): Promise<Answer> {
  const session = await namedSession(context, named);
  const result = await context.archive.undo(session);
  if (result === undefined)
    throw new PrecisError("no compaction is active for this session", {
      code: "nothing_to_undo",
      hint: "It is already sent whole.",
    });
  const { undone, standing } = result;
  const then =
    standing === undefined
      ? "the whole conversation"
      : `the compaction before it made it, ${standing.tokens.after} tokens`;
  return {
    head: `Undone in session ${session.id}: a compaction (${undone.reason}) of ${undone.tokens.before} → ${undone.tokens.after} tokens.`,
    body: [
      `From the next request on it is sent as ${then}. It is not compacted automatically until a request overflows or a person compacts it.`,
    ],
    rest: () => "",
  };
}
