/**
 * Answers Claude Code's compactions with precis (docs/hosts.md). The module has no Node, so it asks `precis hook`; whatever
 * fails there, Claude Code compacts as it would without it.
 */

/** Longer than any session file that `precis hook` reads takes. */
const ANSWER_MS_MAX = 120_000;
/** As in src/integrations/claude-code/rows.ts. */
const KEY_CHARS = 200;

/** What tells a row from others. */
function describeRow({ role, text, toolUses, toolResults = [] }) {
  const ids = [...toolUses, ...toolResults].map((one) => one.tool_use_id);
  return { role, key: text.replaceAll(/\s+/g, "").slice(0, KEY_CHARS), ids };
}

/** `/compact undo` takes the newest compaction back. */
function isUndo({ instructions = "" }) {
  return instructions.trim().toLowerCase() === "undo";
}

export function register(on) {
  on("session.compact", async ($, e, next) => {
    if (e.trigger === "precompute") return { skip: "precis needs no time ahead" };
    const { transcriptPath } = await $.session.info();
    const { context } = await $.session.usage();
    const compaction = {
      transcriptPath,
      agentId: e.agentId,
      instructions: e.instructions,
      undo: isUndo(e),
      model: await $.session.model(),
      windowTokens: context.window,
      rows: e.messages.map(describeRow),
    };
    const event = { hook_event_name: "SessionCompact", trigger: e.trigger, compaction };
    const { stdout } = await $.process.run(["precis", "hook"], {
      stdin: JSON.stringify(event),
      timeoutMs: ANSWER_MS_MAX,
    });
    const { skip, messages, ...tokens } = JSON.parse(stdout.trim() || "{}");
    // The hook of the same plugin has nothing to add then.
    await $.env.set("PRECIS_COMPACTED", messages === undefined ? undefined : "1");
    if (messages !== undefined)
      return { messages: messages.map((one) => (typeof one === "number" ? e.messages[one] : one)), ...tokens };
    if (skip !== undefined) return { skip };
    return isUndo(e) ? { skip: "there is no compaction of precis to undo" } : next(e);
  }).catch(($, e, leave) => (isUndo(e) ? { skip: "precis could not undo" } : leave(e)));
}
