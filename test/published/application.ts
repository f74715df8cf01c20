/** A program of a host: it compacts a conversation by both entries, and hands what came of it to `report`. */

export interface Findings {
  readonly counted: number;
  readonly violations: number;
  /** By `compact` of `precis/core`. */
  readonly compacted: string;
  readonly after: number;
  /** By `createSession` of `precis`. */
  readonly prepared: boolean;
  readonly recalled: number;
  readonly hash: string;
}

/** The text of a module that sets `globalThis.findings` to a promise of them; `core` and `index` are what it imports. */
export function application({ core, index }: { readonly core: string; readonly index: string }): string {
  return `
import { checkRequest, compact, countTokens } from ${JSON.stringify(core)};
import { createSession } from ${JSON.stringify(index)};

const words = "The build of module INDEX failed in src/moduleINDEX.ts with error E1INDEX: the value is not assignable. ";
const messages = [{ role: "user", content: "Repair the build of all modules, and never edit generated files." }];
for (let index = 0; index < 40; index++) {
  const id = "call_" + index;
  const call = { id, type: "function", function: { name: "bash", arguments: JSON.stringify({ command: "make " + index }) } };
  messages.push({ role: "assistant", content: null, tool_calls: [call] });
  messages.push({ role: "tool", tool_call_id: id, content: words.replaceAll("INDEX", index).repeat(30) });
}
messages.push({ role: "user", content: "Now write the summary of what is left." });
const request = { model: "gpt-5.6", messages };

async function run() {
  const counted = countTokens(request);
  const small = await compact(request, { budget: Math.round(counted / 5), now: () => 0 });
  const session = createSession({ settings: { contextLength: counted + 1_000 }, now: () => 0 });
  const prepared = await session.prepare(request);
  const found = await session.recall("E117");
  return {
    counted,
    violations: checkRequest(small.request).length,
    compacted: JSON.stringify(small.request),
    after: countTokens(small.request),
    prepared: prepared.compacted,
    recalled: found.length,
    hash: small.kind === "compacted" ? small.compaction.covers : small.because,
  };
}
globalThis.findings = run();
`;
}
