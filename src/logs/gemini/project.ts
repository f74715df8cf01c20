/** How Gemini CLI's chats name the project that they belong to. */
import { createHash } from "node:crypto";

export function projectHashOf(cwd: string): string {
  return createHash("sha256").update(cwd).digest("hex");
}
