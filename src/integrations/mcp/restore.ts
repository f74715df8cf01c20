/** `restore`: takes the newest compaction of a session back, from its next request on. */
import { PrecisError } from "../../core/errors.ts";
import type { Answer } from "../../core/recall/pages.ts";
import { requireNamed } from "./compact.ts";
import type { ToolContext } from "./contract.ts";
import { sessionOf } from "./scope.ts";

export async function restore(context: ToolContext, { id }: { readonly id?: string | undefined }): Promise<Answer> {
  requireNamed(context, id);
  const session = await sessionOf(context, id);
  const result = await context.archive.undo({ tenant: context.tenant, id: session.id });
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
