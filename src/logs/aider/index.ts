/** Chats of aider: one Markdown file in the folder it works in, `.aider.chat.history.md`. */
import { firstLines, type SessionFormat } from "../format.ts";
import { isAiderText, readAider } from "./read.ts";

export const aider: SessionFormat = {
  name: "aider",
  title: "aider",
  speaks: "openai-chat",
  marks: { text: isAiderText, path: /\.aider\.chat\.history\.md$/ },
  read: readAider,
  upTo: firstLines,
  tools: {},
};
