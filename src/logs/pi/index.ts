/** Sessions of pi: JSON lines in `~/.pi/agent/sessions`, a folder for each folder it worked in. */
import { CONVERSATION_ALONE, firstLines, type SessionFormat } from "../format.ts";
import { isPiLine, readPi } from "./read.ts";
import { writePi } from "./write.ts";

export const pi: SessionFormat = {
  name: "pi",
  title: "pi",
  speaks: "openai-chat",
  marks: { line: isPiLine, path: /[/\\]\.pi[/\\]/ },
  read: readPi,
  upTo: firstLines,
  write: writePi,
  holds: {
    ...CONVERSATION_ALONE,
    files: false,
    compactions: "newest",
    summaryFirst: true,
  },
  tools: {
    shell: { name: "bash", arguments: { command: "command" } },
    read: { name: "read", arguments: { path: "path", offset: "offset", limit: "limit" } },
    write: { name: "write", arguments: { path: "path", content: "content" } },
  },
};
