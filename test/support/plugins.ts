/** Plugins written for a test: folders on the disk, with a manifest and a module in plain JavaScript. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface PluginShelf {
  /** The folder that holds plugins. */
  readonly path: string;
  readonly write: (name: string, source: string, manifest?: object) => string;
  readonly remove: () => void;
}

const MANIFEST = { version: "1.0.0", type: "module", main: "index.js", precis: { contract: 1 } };

/** `within` is a project's folder; one of its own where it is not given. */
export function pluginShelf(within = mkdtempSync(join(tmpdir(), "precis-plugins-"))): PluginShelf {
  const path = join(within, "plugins", "context_engine");
  mkdirSync(path, { recursive: true });
  return {
    path,
    write: (name, source, manifest = {}) => {
      const folder = join(path, name);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "package.json"), JSON.stringify({ ...MANIFEST, ...manifest }));
      writeFileSync(join(folder, "index.js"), source);
      return folder;
    },
    remove: () => rmSync(within, { recursive: true, force: true }),
  };
}

/** A module whose engine compacts at once, but for what the test puts in place of its methods. */
export function engineSource(methods: Readonly<Record<string, string>>, before = ""): string {
  const all = {
    init: "() => ({ schemaVersion: 1, seen: 0 })",
    observe: "(state, usage) => ({ ...state, seen: (state.seen ?? 0) + usage.input })",
    decide: '(state) => ({ kind: "compact", reason: "threshold", urgency: "now", because: String(state.seen) })',
    compact: "async (state, transcript, request) => droppingMiddle(transcript, request)",
    ...methods,
  };
  const members = Object.entries(all).map(([name, body]) => `    ${name}: ${body},`);
  return `${before}\n${DROPPING}\nexport function createEngine(settings) {\n  return {\n    name: "own",\n${members.join("\n")}\n  };\n}\n`;
}

/**
 * Leaves out what is between the first message and the last exchange, keeps the contract, and says so. `spoil` takes the
 * compaction and answers with a worse one.
 */
const DROPPING = `
function droppingMiddle({ system, messages, tools }, { measure, chain, reason, standing }, spoil = (one) => one) {
  const last = messages.findLastIndex(({ role }) => role !== "tool");
  const id = "r" + chain.hash(messages.slice(1, last).map(chain.hashOf).join("\\n")).slice(0, 9);
  const note = { role: "user", parts: [{ kind: "text", text: "[earlier messages left out; recall " + id + "]" }], origin: "summary" };
  const after = [messages[0], note];
  const result = { system, messages: [...after, ...messages.slice(last)], ...(tools === undefined ? {} : { tools }) };
  const none = { absent: 0, unrecallable: 0, examples: [] };
  const report = {
    engine: "own",
    reason,
    tokens: { before: measure.transcript(standing ?? { system, messages, tools }), after: measure.transcript(result) },
    messages: { before: messages.length, after: result.messages.length, kept: 2, edited: 0, summarised: last - 1 },
    parts: { system: 0, tools: 0, head: 0, handoff: 0, anchor: 0, tail: 0 },
    rung: 0,
    degraded: [],
    recall: [id],
    lost: { requests: none, constraints: none, paths: none, ids: none, errors: none, values: none },
    modelCalls: 0,
    costUsd: 0,
  };
  const compaction = {
    schemaVersion: 1,
    after,
    covered: last,
    covers: chain.linksOf(messages)[last - 1],
    map: messages.slice(0, last).map((_, at) => (at === 0 ? { kind: "kept", at: 0 } : { kind: "summarised" })),
    evicted: [{ id, kind: "span", message: 1, end: last, label: "the middle" }],
    state: { schemaVersion: 1, seen: 0 },
    report,
  };
  return { kind: "compacted", compaction: spoil(compaction) };
}
`;
