/** `compact`: compacts a session now, so that its next request is shorter; and the prompt with which a person asks for it. */
import { readBudget, type Budget } from "../../core/compaction/budget.ts";
import { PrecisError } from "../../core/errors.ts";
import { missingIn } from "../../core/receipt/counts.ts";
import type { Answer } from "../../core/recall/pages.ts";
import type { Compacted, ToolContext } from "./contract.ts";
import { sessionOf } from "./scope.ts";

export interface CompactArguments {
  readonly id?: string | undefined;
  readonly focus?: string | undefined;
  readonly budget?: string | undefined;
  readonly messages?: string | undefined;
}

export async function compact(
  context: ToolContext,
  { id, focus, budget, messages }: CompactArguments,
  signal: AbortSignal,
): Promise<Answer> {
  requireNamed(context, id);
  const size = budget === undefined ? undefined : budgetFrom(budget);
  const session = await sessionOf(context, id);
  const result = await context.archive.compact(
    { tenant: context.tenant, id: session.id },
    {
      signal,
      ...(messages === undefined ? {} : { messages }),
      ...(focus === undefined ? {} : { focus }),
      ...(size === undefined ? {} : { budget: size }),
    },
  );
  return compactionAnswer(session.id, result, "compacted");
}

export async function drop(
  context: ToolContext,
  { id, messages }: { readonly id?: string | undefined; readonly messages: string },
): Promise<Answer> {
  requireNamed(context, id);
  const session = await sessionOf(context, id);
  return compactionAnswer(
    session.id,
    await context.archive.drop({ tenant: context.tenant, id: session.id }, messages),
    "shortened",
  );
}

function compactionAnswer(session: string, result: Compacted, done: string): Answer {
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

/** What changes a session is told which one: the one that was used last may be another. */
export function requireNamed({ session }: Pick<ToolContext, "session">, id: string | undefined): void {
  if (id === undefined && session === undefined)
    throw new PrecisError("no session is named", {
      code: "bad_arguments",
      hint: "Give its `id`; `describe` without an id lists the sessions there are.",
    });
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

/** What the agent is told when a person chooses the prompt. */
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
