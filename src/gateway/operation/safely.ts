/** Keeps a listener's failures from what it listens to. */
import type { EmitEvent } from "../contract.ts";

/** A listener that throws fails no request, and not the process. */
export function safely(onEvent: EmitEvent): EmitEvent {
  return (event) => {
    try {
      onEvent(event);
    } catch {}
  };
}
