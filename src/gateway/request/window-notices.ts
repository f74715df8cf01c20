/** What an operator is told of a learned window: that it was learned, is remembered, or was forgotten because a larger request was accepted. */
import { windowOriginText, type WindowInUse } from "../../session/window-in-use.ts";
import type { NoticeEvent } from "../contract.ts";
import type { ServedModel } from "../models.ts";
import type { HistoryContext } from "./context.ts";

interface WindowNotice {
  readonly code: Extract<NoticeEvent["code"], `window_${string}`>;
  /** As it counts from now on. */
  readonly window: WindowInUse;
}

export function emitWindowNotice(
  { onEvent, now }: NoticeContext,
  { tenant, model }: ServedModel,
  { code, window }: WindowNotice,
): void {
  const name = model === "" ? "a model" : model;
  const origin = windowOriginText(window, now());
  const counts = `the window of ${name} counts as ${window.tokens.toLocaleString("en-US")} tokens, ${origin}`;
  const message = {
    window_learned: counts,
    window_remembered: `${counts}. The dashboard can forget it`,
    window_forgotten: `a request larger than a learned window was accepted: ${counts}`,
  }[code];
  onEvent({ kind: "notice", code, tenant, message, window });
}

type NoticeContext = Pick<HistoryContext, "onEvent" | "now">;

/** Once for each learned window that comes from before this process. */
export function announceWindow(context: NoticeContext & Pick<HistoryContext, "models">, served: ServedModel): void {
  const window = context.models.unannounced(served);
  if (window !== undefined) emitWindowNotice(context, served, { code: "window_remembered", window });
}
