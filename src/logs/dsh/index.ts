/** Sessions of the DeepSeek Harness: a log of events in `~/.dsh/sessions`, a folder for each, compressed frame by frame. */
import { CONVERSATION_ALONE, keepFirstLines, SPACELESS_ID, type SessionFormat } from "../format.ts";
import { isDshLine, readDsh } from "./read.ts";
import { writeDsh } from "./write.ts";

export const dsh: SessionFormat = {
  name: "dsh",
  title: "DeepSeek Harness",
  speaks: "openai-chat",
  marks: { line: isDshLine, path: /[/\\]\.dsh[/\\]/ },
  read: readDsh,
  upTo: keepFirstLines,
  write: writeDsh,
  holds: {
    ...CONVERSATION_ALONE,
    images: "nowhere",
    files: false,
    argumentText: true,
    callIds: SPACELESS_ID,
    compactions: "newest",
    summaryFirst: true,
  },
  tools: {
    shell: { name: "bash", arguments: { command: "command", description: "description" } },
    read: { name: "read", arguments: { path: "file_path", offset: "offset", limit: "limit" } },
    write: { name: "write", arguments: { path: "file_path", content: "content" } },
    edit: { name: "edit", arguments: { path: "file_path", before: "old_string", after: "new_string" } },
  },
};
