/** What was started in the background and has not ended since. */
import { describe, expect, it } from "vitest";
import { stillRunning } from "../../../src/core/events/running.ts";
import type { Message } from "../../../src/core/transcript/message.ts";
import { does, eventsIn, run, says, user } from "./session-talk.ts";

const SERVER = does("Bash", { command: "npm run dev" }, "Command running in background with ID: bash_7");
const AGENT = does(
  "Agent",
  { prompt: "Read the logs" },
  "Async agent launched successfully.\nagentId: c4e81f0 (internal)",
);
const CODEX = does(
  "exec_command",
  { cmd: "make watch" },
  "Chunk ID: 1a\nWall time: 1 s\nProcess running with session ID 4021\nOutput:\n",
);

const running = (...parts: readonly (Message | readonly Message[])[]): readonly string[] =>
  stillRunning(eventsIn(...parts)).map(({ summary }) => summary.tool);

describe("what still runs", () => {
  it.each<[string, readonly (Message | readonly Message[])[], readonly string[]]>([
    ["is a server that was started", [SERVER, says("Started.")], ["Bash"]],
    ["is an agent", [AGENT, says("Started.")], ["Agent"]],
    ["is a session of a shell", [CODEX, says("Started.")], ["exec_command"]],
    ["is each of several", [SERVER, AGENT, CODEX], ["Bash", "Agent", "exec_command"]],
    [
      "is one that was only looked at",
      [SERVER, does("BashOutput", { bash_id: "bash_7" }, "listening on 3000")],
      ["Bash"],
    ],
    ["is not one that was ended", [SERVER, does("KillShell", { shell_id: "bash_7" }, "Shell bash_7 was stopped.")], []],
    [
      "is not one whose output says that it ended",
      [SERVER, does("BashOutput", { bash_id: "bash_7" }, "<status>completed</status>")],
      [],
    ],
    [
      "is not a session of a shell that exited",
      [
        CODEX,
        does(
          "write_stdin",
          { session_id: 4021, chars: "q" },
          "Wall time: 1 s\nProcess exited with code 0\nOutput:\nbye",
        ),
      ],
      [],
    ],
    [
      "is not a session with a name whose last lines say that it ended",
      [
        does("exec", { command: "find /srv" }, "Command still running (session grand-river, pid 4757). Use process."),
        does(
          "process",
          { action: "poll", sessionId: "grand-river" },
          `${"a.pptx\n".repeat(200)}\nProcess exited with code 0.`,
        ),
      ],
      [],
    ],
    [
      "is not a session that the client says has ended, above what a person wrote",
      [
        does("exec", { command: "find /srv" }, "Command still running (session grand-river, pid 4757). Use process."),
        user("System: [2026-03-23 23:29:33 UTC] Exec completed (grand-ri, code 0) :: a.pptx\n\nЩо робиш?"),
      ],
      [],
    ],
    [
      "is a session beside one that has ended, or of which a person only speaks",
      [
        does("exec", { command: "find /srv" }, "Command still running (session grand-river, pid 4757). Use process."),
        user("System (untrusted): [2026-03-23 23:29:33 UTC] Exec failed (swift-bl, signal SIGTERM)\n"),
        user("Exec completed (grand-ri, code 0) is what I saw."),
      ],
      ["exec"],
    ],
    [
      "is not what only asks after it",
      [CODEX, does("write_stdin", { session_id: 4021, chars: "" }, "Process running with session ID 4021\nOutput:\n")],
      ["exec_command"],
    ],
    [
      "is not one of which a reminder says that it completed",
      [
        SERVER,
        user(
          "<system-reminder>Background Bash bash_7 (command: npm run dev) (status: completed) (exit code 0)</system-reminder>",
        ),
      ],
      [],
    ],
    [
      "is a session with a name",
      [does("exec", { command: "find /srv" }, "Command still running (session grand-river, pid 4757). Use process.")],
      ["exec"],
    ],
    [
      "is not an agent that reported",
      [
        AGENT,
        user("<task-notification>\n<task-id>c4e81f0</task-id>\n<status>completed</status>\n</task-notification>"),
      ],
      [],
    ],
    [
      "is not touched by the end of another",
      [SERVER, AGENT, does("KillShell", { shell_id: "bash_7" }, "stopped")],
      ["Agent"],
    ],
    ["is not a run that has ended", [run("npm test", "12 passed")], []],
    [
      "is nothing that a file only says",
      [does("Read", { file_path: "log.txt" }, "Command running in background with ID: 9")],
      [],
    ],
  ])("%s", (_, parts, expected) => {
    expect(running(...parts)).toEqual(expected);
  });
});
