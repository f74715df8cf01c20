/** `precis mcp`: the kept history as tools for an agent, over standard input and output. */
import { option, toggle, type Arguments, type Command } from "../program/command.ts";
import { EXIT } from "../program/exit.ts";
import { HISTORY_ARGS, withHistory } from "../store/history.ts";
import type { Terminal } from "../screen/terminal.ts";
import { version } from "../program/program.ts";

export const mcpCommand: Command = {
  name: "mcp",
  summary: "Let an agent search its kept conversations: a Model Context Protocol server on standard input and output.",
  about: [
    "An agent starts it and calls its tools `search`, `describe`, `expand` and `timeline`. They cover everything that the gateway has kept for one tenant, including what compactions removed. With an engine that has tools of its own (`context.engine: lossless`), these are offered too. Other tenants cannot be reached, nor, with --session, other sessions. Secrets are masked unless --with-secrets asks for every byte. Ends at the end of its input.",
    "It is read-only, unless --allow-writes adds the tools `compact`, `drop`, `pin`, `unpin` and `restore`, which compact a session now, drop messages of it, pin some, and undo a compaction. docs/mcp.md says how to add it to Claude Code, Codex, OpenCode and pi.",
  ],
  examples: {
    "claude mcp add precis -- precis mcp": "for Claude Code",
    "precis mcp --session 3fa94c21": "give access to one conversation only",
  },
  args: {
    session: option("ID", "Only this session: its id, or the beginning of its id."),
    "allow-writes": toggle("Offer the tools that change something too."),
    "with-secrets": toggle("Do not mask secrets in messages and originals."),
    ...HISTORY_ARGS,
  },
  run: async (args, terminal) => {
    // The plugin for Claude Code starts it before there is a session to keep. A mistyped path must not make a store.
    if (args.text("store") === undefined)
      await withHistory(args, terminal, { readOnly: false, creates: true }, async () => undefined);
    return withHistory(args, terminal, usedWith(args), async (opened) => {
      const { history, kept, tenant, store, redact } = opened;
      const named = args.text("session");
      // Found once: the beginning of an id could later mean another session.
      const session = named === undefined ? undefined : (await history.show({ tenant, id: named }, 0)).id;
      const { serveStdio } = await import("../../integrations/mcp/server.ts");
      const log = logTo(terminal);
      const allowWrites = args.is("allow-writes");
      log(
        `${store}, tenant ${tenant}${session === undefined ? "" : `, session ${session}`}, ${allowWrites ? "with writes" : "read-only"}`,
      );
      await serveStdio({
        archive: history,
        store: kept,
        tenant,
        ...(session === undefined ? {} : { session }),
        redact: args.is("with-secrets") ? (text) => text : redact,
        allowWrites,
        version: version(),
        log,
      });
      return EXIT.done;
    });
  },
};

function usedWith(args: Arguments) {
  const writes = args.is("allow-writes");
  return { readOnly: !writes, compacts: writes || ("if_there" as const) };
}

/** Standard output is the protocol's. */
function logTo({ err }: Terminal): (line: string) => void {
  return (line) => void err.say(`precis mcp: ${line}\n`);
}
