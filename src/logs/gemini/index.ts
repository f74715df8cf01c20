/** Sessions of Gemini CLI: chats in `~/.gemini/tmp`, a folder for each project. */
import { CONVERSATION_ALONE, firstLines, type SessionFormat } from "../format.ts";
import { isGeminiDocument, isGeminiLine, readGemini } from "./read.ts";
import { writeGemini } from "./write.ts";

export const gemini: SessionFormat = {
  name: "gemini",
  title: "Gemini CLI",
  speaks: "openai-chat",
  marks: { line: isGeminiLine, document: isGeminiDocument, path: /[/\\]\.gemini[/\\]/ },
  read: readGemini,
  upTo: firstLines,
  write: writeGemini,
  holds: {
    ...CONVERSATION_ALONE,
    files: false,
    injectedMarks: false,
    compactions: "live",
    opensWithUser: true,
    parts: "sorted",
    oneText: "everywhere",
    resultOrder: false,
  },
  tools: {
    shell: { name: "run_shell_command", arguments: { command: "command", description: "description" } },
    read: { name: "read_file", arguments: { path: "file_path", offset: "offset", limit: "limit" } },
    write: { name: "write_file", arguments: { path: "file_path", content: "content" } },
    edit: { name: "replace", arguments: { path: "file_path", before: "old_string", after: "new_string" } },
  },
};
