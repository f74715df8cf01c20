/**
 * Sessions of OpenCode. In its database and its older folders a session is many records; read and written here is the one
 * document that `opencode export` prints and `opencode import` takes, which `database.ts` and `folder.ts` make from them.
 */
import { CONVERSATION_ALONE, type SessionFormat } from "../format.ts";
import { isOpencodeDocument, readOpencode, upToMessage } from "./read.ts";
import { writeOpencode } from "./write.ts";

export const opencode: SessionFormat = {
  name: "opencode",
  title: "OpenCode",
  speaks: "openai-chat",
  marks: { document: isOpencodeDocument },
  read: readOpencode,
  upTo: upToMessage,
  write: writeOpencode,
  holds: {
    ...CONVERSATION_ALONE,
    images: "not_in_errors",
    compactions: "newest",
    summaryFirst: true,
    oneText: "results",
    resultOrder: false,
  },
  tools: {
    shell: { name: "bash", arguments: { command: "command", description: "description" } },
    read: { name: "read", arguments: { path: "filePath", offset: "offset", limit: "limit" } },
    write: { name: "write", arguments: { path: "filePath", content: "content" } },
    edit: {
      name: "edit",
      arguments: { path: "filePath", before: "oldString", after: "newString", all: "replaceAll" },
    },
  },
};
