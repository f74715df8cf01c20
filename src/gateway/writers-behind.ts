/** Who writes a conversation's handoff at its own upstream and with its client's credential: its model, or its provider. */
import type { Remote } from "../core/engines/contract.ts";
import type { Writer } from "../core/handoff/model/writer.ts";
import type { WaitingForMain } from "../session/contract.ts";

export interface WritersBehind {
  readonly main?: Writer | undefined;
  readonly remote?: Remote | undefined;
}

/** As the session takes them. */
export function waitingFor({ main, remote }: WritersBehind): Pick<WaitingForMain, "main" | "remote"> {
  return { ...(main === undefined ? {} : { main }), ...(remote === undefined ? {} : { remote }) };
}
