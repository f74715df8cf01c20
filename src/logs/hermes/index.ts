/**
 * Sessions of Hermes. In its database a session is a row and its messages are others; read and written here is the one
 * document that `hermes sessions export` prints, which `database.ts` makes from them.
 */
import { EVERYTHING, SPACELESS_ID, type SessionFormat } from "../format.ts";
import { isHermesDocument, readHermes, upToRow } from "./read.ts";
import { writeHermes } from "./write.ts";

export const hermes: SessionFormat = {
  name: "hermes",
  title: "Hermes",
  speaks: "openai-chat",
  marks: { document: isHermesDocument },
  read: readHermes,
  upTo: upToRow,
  write: writeHermes,
  holds: {
    ...EVERYTHING,
    images: "user",
    files: false,
    freeTextCalls: false,
    callIds: SPACELESS_ID,
    errorMarks: false,
    injectedMarks: false,
    systemMessages: false,
    parts: "sorted",
    oneText: "everywhere",
    outerSpace: false,
  },
  tools: {
    shell: { name: "terminal", arguments: { command: "command" } },
    read: { name: "read_file", arguments: { path: "path", offset: "offset", limit: "limit" } },
    write: { name: "write_file", arguments: { path: "path", content: "content" } },
  },
};
