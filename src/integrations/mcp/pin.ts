/** `pin` and `unpin`: messages that no later compaction summarises, and facts that every handoff states. */
import type { Answer } from "../../core/recall/pages.ts";
import { requireNamed } from "./compact.ts";
import type { SessionPins, ToolContext } from "./contract.ts";
import { sessionOf } from "./scope.ts";

export interface PinArguments {
  readonly id?: string | undefined;
  readonly messages?: string | undefined;
  readonly fact?: string | undefined;
}

export async function pin(context: ToolContext, { id, messages, fact }: PinArguments): Promise<Answer> {
  requireNamed(context, id);
  const session = await sessionOf(context, id);
  const what = { ...(messages === undefined ? {} : { messages }), ...(fact === undefined ? {} : { fact }) };
  return pinsAnswer(context, session.id, await context.archive.pin({ tenant: context.tenant, id: session.id }, what));
}

export async function unpin(
  context: ToolContext,
  { id, pin: pinId }: { readonly id?: string | undefined; readonly pin: string },
): Promise<Answer> {
  requireNamed(context, id);
  const session = await sessionOf(context, id);
  return pinsAnswer(
    context,
    session.id,
    await context.archive.unpin({ tenant: context.tenant, id: session.id }, pinId),
  );
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
