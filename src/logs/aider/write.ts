/** Writes a history that `aider --restore-chat-history` takes. */
import { contentText } from "../../core/transcript/message.ts";
import type { Session } from "../session.ts";
import { isoOf, stampsOf, type WriteContext } from "../written.ts";
import { marked, REMARK, STARTED, USER } from "./lines.ts";

export function writeAider(session: Session, { nowMs }: WriteContext): string {
  const started = isoOf(stampsOf(session, nowMs)[0] ?? nowMs)
    .slice(0, "2026-01-01T00:00:00".length)
    .replace("T", " ");
  const blocks = session.messages.map(({ message }) => {
    const lines = contentText(message.parts).split("\n");
    return message.role === "user" ? lines.map((line) => USER + line).join("  \n") : lines.map(marked).join("\n");
  });
  return `${[`${STARTED}${started}\n\n${REMARK}`, ...blocks].join("\n\n")}\n`;
}
