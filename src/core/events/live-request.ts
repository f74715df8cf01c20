/** The live request: the last user message that a person wrote. What a harness recorded in the user's name does not count. */
import type { Message } from "../transcript/message.ts";
import { holdsConsoleOutput } from "./console.ts";
import { byPerson } from "./person.ts";

/** Its index; the last user message that is no console output where no person is recognised; -1 where no user has spoken. */
export function liveRequestOf(messages: readonly Message[]): number {
  const written = messages.findLastIndex(byPerson);
  return written >= 0 ? written : messages.findLastIndex(isUnrecognised);
}

function isUnrecognised(message: Message): boolean {
  return message.role === "user" && message.origin !== "summary" && !holdsConsoleOutput(message);
}
