/** `precis export --for training`: conversations as a data set, as they were before precis. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { loadConfiguration } from "../../config/load.ts";
import { createRedactor } from "../../core/redaction/redactor.ts";
import { readConversation } from "../../gateway/history/conversation.ts";
import { findSession } from "../../gateway/history/find.ts";
import { WIRE_FORMATS } from "../../logs/index.ts";
import { loadSecretRules } from "../../secrets/rules.ts";
import { TRAINING_SYNTHETIC, trainingConversation, type TrainingOptions } from "../../session/training/conversation.ts";
import { count, counted } from "../amounts.ts";
import type { Arguments, Command } from "../command.ts";
import { createDataSet, type DataSet, type Manifest } from "../data-set.ts";
import { EXIT, usageError, type ExitCode } from "../exit.ts";
import { HISTORY_ARGS, noSessions, withHistory, type OpenedHistory } from "../history.ts";
import { formatNamed, readInput } from "../input.ts";
import { readKeep } from "../keep.ts";
import { configurationRequest } from "../settings-flags.ts";
import type { Terminal } from "../terminal.ts";

const PURPOSES = ["training"] as const;
/** Sessions that one data set takes from the store. */
const SESSIONS_MAX = 10_000;

export const exportCommand: Command = {
  name: "export",
  summary: "Write conversations as a data set for training, as they were before precis.",
  about: [
    "Takes sessions that the gateway has kept, by their ids, or files: session files, request bodies and what `precis compact` wrote, with --keep for its originals. Without any it takes every session of the tenant.",
    "What handoffs stand for and what was shortened is put back from the originals. What precis wrote, and what cannot be put back, is left out, or kept with the member `precis_origin` (--synthetic label). Secrets are masked, always. The folder gets conversations.jsonl, with one conversation per line, and manifest.json: counts, sources, options and SHA-256 hashes.",
  ],
  examples: [
    { line: "precis export --for training --out data", says: "every session of the store" },
    { line: "precis export --for training 3fa94c21 --synthetic label --out data", says: "one, with labels" },
    {
      line: "precis export --for training smaller.json --keep originals.json --to openai-chat --out data",
      says: "a compacted file, as it was",
    },
  ],
  many: "sources",
  args: {
    sources: {
      type: "positional",
      required: false,
      valueHint: "SESSION|FILE",
      description: "Ids of sessions, and files; every session of the tenant by default.",
    },
    for: { type: "string", valueHint: "PURPOSE", description: "What the data set is for: training." },
    synthetic: {
      type: "string",
      valueHint: "CHOICE",
      description: `What becomes of what precis wrote: ${TRAINING_SYNTHETIC.join(" or ")}; drop by default.`,
    },
    to: { type: "string", valueHint: "PROTOCOL", description: "Write this protocol; openai-chat by default." },
    keep: { type: "string", valueHint: "FILE", description: "The originals that `precis compact --keep` wrote." },
    out: { type: "string", alias: "o", valueHint: "FOLDER", description: "The folder to write into." },
    ...HISTORY_ARGS,
    json: { type: "boolean", description: "Print the manifest." },
  },
  run: exportFor,
};

async function exportFor(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  if (formatNamed(args.text("for"), "--for", PURPOSES) === undefined)
    throw usageError("--for is missing", "Write `--for training`.");
  const out = args.text("out");
  if (out === undefined) throw usageError("--out is missing", "Name a folder with `--out FOLDER`.");
  const synthetic = formatNamed(args.text("synthetic"), "--synthetic", TRAINING_SYNTHETIC) ?? "drop";
  const to = formatNamed(args.text("to"), "--to", WIRE_FORMATS) ?? "openai-chat";
  const { redaction } = await loadConfiguration(configurationRequest(args, terminal));
  const redact = createRedactor(await loadSecretRules(redaction));
  const sources = args.all("sources");
  const files = sources.filter((name) => isFile(resolve(terminal.folder, name)));
  const sessions = sources.filter((name) => !files.includes(name));
  const data = createDataSet(out, terminal);
  try {
    const options = { synthetic, to, redact };
    await addFiles(files, data, { args, terminal, options });
    if (sessions.length > 0 || sources.length === 0)
      await withHistory(args, terminal, { readOnly: true }, async (opened) => {
        const found = await addSessions(sessions, data, opened, options);
        if (found === 0) await terminal.err.say(`${await noSessions(opened)}\n`);
      });
    const { code, patterns } = redaction;
    const manifest = await data.finish({ synthetic, to, redaction: { code, patterns: patterns.length } });
    if (args.is("json")) await terminal.out.write(`${JSON.stringify(manifest, null, 2)}\n`);
    await terminal.err.say(toldOf(manifest, out));
    return EXIT.done;
  } finally {
    data.close();
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

type Shared = Omit<TrainingOptions, "find">;

async function addFiles(
  names: readonly string[],
  data: DataSet,
  { args, terminal, options }: { readonly args: Arguments; readonly terminal: Terminal; readonly options: Shared },
): Promise<void> {
  const keep = args.text("keep");
  const originals = new Map((keep === undefined ? [] : await readKeep(keep, terminal)).map((one) => [one.id, one]));
  for (const name of names) {
    const text = (flag: string): string | undefined => (flag === "file" ? name : args.text(flag));
    // A session file also has what its agent itself compacted.
    const { transcript, protocol } = await readInput({ ...args, text }, terminal, { history: "all" });
    const find = async (id: string) => originals.get(id);
    const { body, counts } = await trainingConversation(transcript, { ...options, find });
    data.add({ kind: "file", id: name, protocol }, { id: name, ...body }, counts);
  }
}

async function addSessions(
  ids: readonly string[],
  data: DataSet,
  { kept, tenant }: OpenedHistory,
  options: Shared,
): Promise<number> {
  const entries =
    ids.length === 0
      ? await kept.listSessions(tenant, { limit: SESSIONS_MAX })
      : await Promise.all(ids.map(async (id) => (await findSession(kept, { tenant, id })).entry));
  const find = (id: string) => kept.getOriginal(tenant, id);
  for (const { id, head } of entries) {
    const { messages, protocol = "openai-chat" } = await readConversation(kept, tenant, head);
    const { body, counts } = await trainingConversation({ system: [], messages }, { ...options, find });
    data.add({ kind: "session", id, protocol }, { id, ...body }, counts);
  }
  return entries.length;
}

function toldOf({ counts }: Manifest, out: string): string {
  const { conversations, messages, restored, missing, dropped, labelled, redacted } = counts;
  const parts = [
    `${counted(conversations, "conversation")} of ${counted(messages, "message")} in ${out}`,
    ...(restored === 0 ? [] : [`${count(restored)} put back`]),
    ...(dropped + labelled === 0
      ? []
      : [`${count(dropped + labelled)} by precis ${dropped > 0 ? "left out" : "labelled"}`]),
    ...(redacted === 0 ? [] : [`secrets masked in ${count(redacted)}`]),
    ...(missing === 0 ? [] : [`${count(missing)} originals are missing`]),
  ];
  return `${parts.join("; ")}\n`;
}
