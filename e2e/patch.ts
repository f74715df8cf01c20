/** A change of a file in the form of a patch that Codex came up with and others took over. */
import type { Action } from "./task.ts";

export function patchFor(action: Extract<Action, { kind: "write" | "edit" }>): string {
  return ["*** Begin Patch", ...hunk(action), "*** End Patch"].join("\n");
}

function hunk(action: Extract<Action, { kind: "write" | "edit" }>): readonly string[] {
  if (action.kind === "edit") return [`*** Update File: ${action.path}`, "@@", `-${action.before}`, `+${action.after}`];
  const lines = action.content.trimEnd().split("\n");
  return [`*** Add File: ${action.path}`, ...lines.map((line) => `+${line}`)];
}
