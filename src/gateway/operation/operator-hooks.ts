/** The operator's hooks for one session of the gateway: what fails is a notice. */
import type { RuntimeOptions } from "../../session/contract.ts";
import type { HookSession, OperatorHooks } from "../../session/operator-hooks/operator-hooks.ts";
import type { EmitEvent } from "../contract.ts";

interface HookContext {
  readonly hooks: OperatorHooks | undefined;
  readonly onEvent: EmitEvent;
}

export function hooksOf(
  { hooks, onEvent }: HookContext,
  session: Pick<HookSession, "tenant" | "model">,
): Pick<RuntimeOptions, "hooks"> {
  if (hooks === undefined) return {};
  // What a command said may quote the conversation.
  const onFailure: HookSession["onFailure"] = ({ message }) =>
    onEvent({ kind: "notice", code: "hook_failed", tenant: session.tenant, message });
  return { hooks: hooks.forSession({ ...session, onFailure }) };
}
