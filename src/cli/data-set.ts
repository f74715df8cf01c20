/** A data set in a folder: conversations, a line each, and a manifest that says what they are, from where, and their hashes. */
import { createHash } from "node:crypto";
import { closeSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { TrainingCounts } from "../session/training/conversation.ts";
import { unwritable } from "./file-failures.ts";
import { makeFolder, writeOutput } from "./files.ts";
import type { Terminal } from "./terminal.ts";
import { version } from "./version.ts";

const CONVERSATIONS = "conversations.jsonl";
const MANIFEST = "manifest.json";
const MANIFEST_SCHEMA_VERSION = 1;
/** What was said is for its owner alone. */
const DATA_SET_MODE = 0o600;

export interface DataSetSource {
  readonly kind: "session" | "file";
  /** A session's id, or the file as it was named. */
  readonly id: string;
  /** Of the protocol that it came in. */
  readonly protocol: string;
}

interface ManifestSource extends DataSetSource, TrainingCounts {
  readonly line: number;
  readonly sha256: string;
}

export interface Manifest {
  readonly schemaVersion: typeof MANIFEST_SCHEMA_VERSION;
  readonly for: "training";
  readonly precis: string;
  readonly createdAt: string;
  readonly options: object;
  readonly counts: TrainingCounts & { readonly conversations: number };
  readonly sources: readonly ManifestSource[];
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[];
}

export interface DataSet {
  readonly add: (source: DataSetSource, conversation: object, counts: TrainingCounts) => void;
  /** Puts both files in place of earlier ones, whole. */
  readonly finish: (options: object) => Promise<Manifest>;
  /** Leaves nothing behind where it was not finished. */
  readonly close: () => void;
}

export function createDataSet(name: string, terminal: Terminal): DataSet {
  const folder = makeFolder(name, terminal);
  const unfinished = join(folder, `${CONVERSATIONS}.part`);
  const file = attempt(unfinished, () => openSync(unfinished, "w", DATA_SET_MODE));
  const hash = createHash("sha256");
  const sources: ManifestSource[] = [];
  let bytes = 0;
  return {
    add: (source, conversation, counts) => {
      const line = `${JSON.stringify(conversation)}\n`;
      attempt(unfinished, () => writeSync(file, line));
      hash.update(line);
      bytes += Buffer.byteLength(line);
      const sha256 = createHash("sha256").update(line).digest("hex");
      sources.push({ ...source, line: sources.length + 1, sha256, ...counts });
    },
    finish: async (options) => {
      attempt(unfinished, () => renameSync(unfinished, join(folder, CONVERSATIONS)));
      const manifest: Manifest = {
        schemaVersion: MANIFEST_SCHEMA_VERSION,
        for: "training",
        precis: version(),
        createdAt: new Date().toISOString(),
        options,
        counts: { conversations: sources.length, ...totalOf(sources) },
        sources,
        files: [{ name: CONVERSATIONS, bytes, sha256: hash.digest("hex") }],
      };
      const text = `${JSON.stringify(manifest, null, 2)}\n`;
      await writeOutput(terminal, join(folder, MANIFEST), text, { mode: DATA_SET_MODE });
      return manifest;
    },
    close: () => {
      closeSync(file);
      rmSync(unfinished, { force: true });
    },
  };
}

const NOTHING: TrainingCounts = { messages: 0, restored: 0, missing: 0, dropped: 0, labelled: 0, redacted: 0 };

function totalOf(sources: readonly TrainingCounts[]): TrainingCounts {
  const names = Object.keys(NOTHING) as (keyof TrainingCounts)[];
  const sums = names.map((name) => [name, sources.reduce((sum, one) => sum + one[name], 0)]);
  return Object.fromEntries(sums) as unknown as TrainingCounts;
}

function attempt<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw unwritable(path, error);
  }
}
