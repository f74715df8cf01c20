/** Sessions of Claude Code: JSON lines in `~/.claude/projects`, a folder for each folder it worked in. */
import { CONVERSATION_ALONE, firstLines, type SessionFormat } from "../format.ts";
import { isClaudeLine, readClaudeCode } from "./read.ts";
import { writeClaudeCode } from "./write.ts";

export const claudeCode: SessionFormat = {
  name: "claude-code",
  title: "Claude Code",
  speaks: "anthropic-messages",
  marks: { line: isClaudeLine, path: /[/\\]\.claude[/\\]/ },
  read: readClaudeCode,
  upTo: firstLines,
  write: writeClaudeCode,
  holds: {
    ...CONVERSATION_ALONE,
    // Thinking goes back to the provider only with a signature of its own.
    thinking: false,
    summaryFirst: true,
    opensWithUser: true,
  },
  tools: {
    shell: { name: "Bash", arguments: { command: "command", description: "description" } },
    read: { name: "Read", arguments: { path: "file_path", offset: "offset", limit: "limit" } },
    write: { name: "Write", arguments: { path: "file_path", content: "content" } },
    edit: {
      name: "Edit",
      arguments: { path: "file_path", before: "old_string", after: "new_string", all: "replace_all" },
    },
  },
};
