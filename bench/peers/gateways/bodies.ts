/** One conversation in two wires: Chat as everyone else is asked, Messages as Claude Code asks its router. */
import { createBodies } from "../../gateway/bodies.ts";
import { anthropicBodyOf } from "./messages.ts";

export type Wire = "chat" | "messages";

/** The next turn of a conversation with every call, about `bytes` long. */
export function createTurns(wire: Wire, bytes: number, more: object): () => Buffer {
  const { next } = createBodies(bytes, more);
  return wire === "chat" ? next : () => Buffer.from(JSON.stringify(anthropicBodyOf(JSON.parse(next().toString()))));
}
