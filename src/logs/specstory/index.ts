/** Transcripts of SpecStory: Markdown files in `.specstory/history` that people read. */
import { EVERYTHING, PLAIN_ID, firstLines, type SessionFormat } from "../format.ts";
import { isSpecStoryText, readSpecStory } from "./read.ts";
import { writeSpecStory } from "./write.ts";

export const specstory: SessionFormat = {
  name: "specstory",
  title: "SpecStory",
  speaks: "openai-chat",
  marks: { text: isSpecStoryText, path: /[/\\]\.specstory[/\\]/ },
  read: readSpecStory,
  upTo: firstLines,
  write: writeSpecStory,
  holds: {
    ...EVERYTHING,
    images: "none",
    files: false,
    freeTextCalls: false,
    callIds: PLAIN_ID,
    injectedMarks: false,
    ownSystem: false,
    systemMessages: false,
    compactions: "all",
    parts: "sorted",
    oneText: "everywhere",
    outerSpace: false,
    resultOrder: false,
  },
  tools: {},
};
