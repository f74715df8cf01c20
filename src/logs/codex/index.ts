/** Sessions of Codex: rollouts as JSON lines in `~/.codex/sessions`, a folder for each day. */
import { EVERYTHING, SPACELESS_ID, firstLines, type SessionFormat } from "../format.ts";
import { isCodexLine, readCodex } from "./read.ts";
import { writeCodex } from "./write.ts";

export const codex: SessionFormat = {
  name: "codex",
  title: "Codex",
  speaks: "openai-responses",
  marks: { line: isCodexLine, path: /(?:^|[/\\])rollout-[^/\\]*\.jsonl$/ },
  read: readCodex,
  upTo: firstLines,
  write: writeCodex,
  holds: {
    ...EVERYTHING,
    // Reasoning goes back to the provider only as it was encrypted.
    thinking: false,
    files: false,
    callIds: SPACELESS_ID,
    errorMarks: false,
    injectedMarks: false,
    mergesReplies: true,
  },
  // Its shell takes other arguments, and it has no tools for single files.
  tools: {},
};
