/** Chats of aider: one Markdown file in the folder it works in, `.aider.chat.history.md`. */
import { EVERYTHING, firstLines, type SessionFormat } from "../format.ts";
import { isAiderText, readAider } from "./read.ts";
import { writeAider } from "./write.ts";

export const aider: SessionFormat = {
  name: "aider",
  title: "aider",
  speaks: "openai-chat",
  marks: { text: isAiderText, path: /\.aider\.chat\.history\.md$/ },
  read: readAider,
  upTo: firstLines,
  write: writeAider,
  holds: {
    ...EVERYTHING,
    thinking: false,
    images: "none",
    files: false,
    calls: false,
    freeTextCalls: false,
    injectedMarks: false,
    ownSystem: false,
    systemMessages: false,
    compactions: "all",
    merges: "both",
    oneText: "everywhere",
    outerSpace: false,
  },
  tools: {},
};
