/**
 * Answers Claude Code's compactions with precis (docs/hosts.md). The module has no Node, so it asks `precis hook`; whatever
 * fails there, the person reads why, and Claude Code compacts as it would without it.
 */

/** Longer than any session file that `precis hook` reads takes. */
const ANSWER_MS_MAX = 120_000;
/** How long a notice stays. */
const NOTICE_MS = 10_000;
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

async function askPrecis($, e) {
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
  const { stdout, stderr, exitCode } = await $.process.run(["precis", "hook"], {
    stdin: JSON.stringify(event),
    timeoutMs: ANSWER_MS_MAX,
  });
  if (exitCode === 0) return JSON.parse(stdout);
  return { failure: stderr.trim().split("\n")[0] || `\`precis hook\` ended with ${exitCode}.` };
}

/** Claude Code's own compaction, and why it comes to that; nothing where a compaction was to be undone. */
function leave($, e, next, failure) {
  $.ui.status(undefined);
  if (isUndo(e)) return { skip: `precis could not undo: ${failure}` };
  $.ui.log(`precis did not compact, so Claude Code does: ${failure}`);
  return next(e);
}

export function register(on) {
  on("session.compact", async ($, e, next) => {
    if (e.trigger === "precompute") return { skip: "precis needs no time ahead" };
    $.ui.status(isUndo(e) ? "precis takes a compaction back" : "precis compacts");
    const { skip, failure, messages, ...tokens } = await askPrecis($, e);
    // The hook of the same plugin has nothing to add then.
    await $.env.set("PRECIS_COMPACTED", messages === undefined ? undefined : "1");
    if (failure !== undefined) return leave($, e, next, failure);
    $.ui.status(undefined);
    if (skip !== undefined) return { skip };
    if (!isUndo(e)) $.ui.toast("Compacted by precis. `/compact undo` takes it back.", { timeoutMs: NOTICE_MS });
    return { messages: messages.map((one) => (typeof one === "number" ? e.messages[one] : one)), ...tokens };
  }).catch(($, e, own) => (own.called ? own(e) : leave($, e, own, own.error.message ?? "it took too long.")));
}
