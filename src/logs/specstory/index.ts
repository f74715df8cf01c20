/** Transcripts of SpecStory: Markdown files in `.specstory/history` that people read. */
import { firstLines, type SessionFormat } from "../format.ts";
import { isSpecStoryText, readSpecStory } from "./read.ts";

export const specstory: SessionFormat = {
  name: "specstory",
  title: "SpecStory",
  speaks: "openai-chat",
  marks: { text: isSpecStoryText, path: /[/\\]\.specstory[/\\]/ },
  read: readSpecStory,
  upTo: firstLines,
  tools: {},
};
