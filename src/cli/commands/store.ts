/** `precis store …`: what the history holds, whether it is sound, and what goes. */
import type { ArgsDef } from "citty";
import { loadConfiguration } from "../../config/load.ts";
import { openSqliteStore, type SqliteStore } from "../../store/sqlite.ts";
import type { Holdings, Retention } from "../../store/store.ts";
import { bytesOf, count, counted, durationOf, size } from "../amounts.ts";
import { columnWidths, padEnd } from "../bars.ts";
import type { Arguments, Command, CommandGroup } from "../command.ts";
import { EXIT, usageError } from "../exit.ts";
import { whileWaiting } from "../progress.ts";
import { CONFIG_FLAGS, configurationRequest } from "../settings-flags.ts";
import { copiesOf, existingStoreFile, fileBytes } from "../store-file.ts";
import { storeKey } from "../store-settings.ts";
import type { Terminal } from "../terminal.ts";

const STORE_ARGS = {
  store: { type: "string", valueHint: "FILE", description: "The store's file, instead of the configured one." },
  ...CONFIG_FLAGS,
  json: { type: "boolean", description: "Print JSON." },
} as const satisfies ArgsDef;

const TENANT_ARG = {
  tenant: { type: "string", valueHint: "NAME", description: "Only what belongs to this tenant." },
} as const satisfies ArgsDef;

const stats: Command = {
  name: "store stats",
  summary: "Show how much the store holds.",
  about: ["Reads only; a gateway that uses the file is not disturbed."],
  examples: [
    { line: "precis store stats", says: "of the gateway's own store" },
    { line: "precis store stats --store history.db --json", says: "of another, for a script" },
  ],
  args: { ...TENANT_ARG, ...STORE_ARGS },
  run: (args, terminal) =>
    withStore(args, terminal, { readOnly: true }, async ({ store, path }) => {
      const holdings = await whileWaiting(terminal.err, () => "counting", store.holdings(args.text("tenant")));
      await tell(args, terminal, { path, ...fileSizes(path), ...holdings }, [
        ...fileRows(path),
        ...holdingRows(holdings),
      ]);
      return EXIT.done;
    }),
};

const check: Command = {
  name: "store check",
  summary: "Look for damage in the store.",
  about: [
    "Reads the whole file: what SQLite can tell of it, whether every body is what its hash says, whether every chain is whole. Exits with 1 when something is wrong, with a line for each fault. Reads only.",
  ],
  examples: [{ line: "precis store check && echo sound", says: "before a backup is trusted" }],
  args: STORE_ARGS,
  run: (args, terminal) =>
    withStore(args, terminal, { readOnly: true }, async ({ store, path }) => {
      const faults = await whileWaiting(terminal.err, () => "reading the whole store", store.check());
      const found = faults.map((fault) => [terminal.out.paint("bad", "fault"), fault] as const);
      const sound = [[terminal.out.paint("good", "sound"), "every body and every chain is what it should be"]] as const;
      await tell(args, terminal, { path, faults }, faults.length === 0 ? sound : found);
      return faults.length === 0 ? EXIT.done : EXIT.failed;
    }),
};

const retain: Command = {
  name: "store retain",
  summary: "Delete what was not used for long, or the longest unused beyond a size.",
  about: [
    "Sessions, compactions and originals go with the bodies that only they used; what something younger stands on stays. There is no way back. A gateway may go on using the file.",
    "The freed space stays in the file for new messages until `precis store vacuum`.",
  ],
  examples: [
    { line: "precis store retain --older-than 30d", says: "everything not used for thirty days" },
    { line: "precis store retain --max-size 2g", says: "the longest unused, until two gigabytes of messages are left" },
  ],
  args: {
    "older-than": {
      type: "string",
      valueHint: "TIME",
      description: "Delete what was last used before this: 12h, 30d, 8w.",
    },
    "max-size": {
      type: "string",
      valueHint: "SIZE",
      description: "Delete the longest unused until bodies take no more than this: 500m, 2g.",
    },
    ...TENANT_ARG,
    ...STORE_ARGS,
  },
  run: async (args, terminal) => {
    const retention = retentionOf(args);
    return withStore(args, terminal, {}, async ({ store, path }) => {
      const before = await store.holdings(args.text("tenant"));
      const left = async (): Promise<string> =>
        `deleting: ${size((await store.holdings(args.text("tenant"))).bytes)} of ${size(before.bytes)} left`;
      const after = await whileWaiting(terminal.err, left, store.retain(retention));
      await tell(args, terminal, { path, before, after }, changeRows(before, after));
      return EXIT.done;
    });
  },
};

const vacuum: Command = {
  name: "store vacuum",
  summary: "Give the space of what was deleted back to the disk.",
  about: [
    "Writes the file anew, which takes as long as copying it and needs as much room again for that time. A gateway that uses the file waits, and passes requests untouched when it waits too long.",
  ],
  examples: [{ line: "precis store retain --older-than 30d && precis store vacuum", says: "in a quiet hour" }],
  args: STORE_ARGS,
  run: (args, terminal) =>
    withStore(args, terminal, {}, async ({ store, path }) => {
      const before = fileSizes(path).fileBytes;
      await whileWaiting(terminal.err, () => `writing ${size(before)} anew`, store.vacuum());
      const after = fileSizes(path).fileBytes;
      await tell(args, terminal, { path, before, after }, [["file", `${size(before)} → ${size(after)}`]]);
      return EXIT.done;
    }),
};

const upgrade: Command = {
  name: "store upgrade",
  summary: "Bring a store of an earlier version up to date, after copying it.",
  about: [
    "What every writing command and `precis serve` do by themselves when they open it. The copy stands beside the file, for its owner alone: with it and the earlier version one can go back.",
  ],
  examples: [{ line: "precis store upgrade", says: "before anything else uses it" }],
  args: STORE_ARGS,
  run: (args, terminal) =>
    withStore(args, terminal, {}, async ({ path }) => {
      const copies = copiesOf(path);
      const rows = copies.map((copy) => ["copy", copy] as const);
      await tell(args, terminal, { path, copies }, [["store", `${path}, up to date`], ...rows]);
      return EXIT.done;
    }),
};

export const storeCommands: CommandGroup = {
  name: "store",
  summary: "The gateway's history: how much it is, whether it is sound, what goes.",
  commands: [stats, check, retain, vacuum, upgrade],
};

interface Opened {
  readonly store: SqliteStore;
  readonly path: string;
}

async function withStore<Result>(
  args: Arguments,
  terminal: Terminal,
  { readOnly = false }: { readonly readOnly?: boolean },
  use: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  const configuration = await loadConfiguration(configurationRequest(args, terminal));
  const path = existingStoreFile(args.text("store"), configuration, terminal);
  const store = await openSqliteStore({ path, readOnly, ...storeKey(configuration, terminal.environment) });
  try {
    return await use({ store, path });
  } finally {
    await store.close();
  }
}

function retentionOf(args: Arguments): Retention {
  const [age, room, tenant] = [args.text("older-than"), args.text("max-size"), args.text("tenant")];
  if (age === undefined && room === undefined)
    throw usageError("`precis store retain` needs --older-than or --max-size", "Write for example `--older-than 30d`.");
  return {
    ...(age === undefined ? {} : { before: Date.now() - durationOf(age, "--older-than") }),
    ...(room === undefined ? {} : { maxBytes: bytesOf(room, "--max-size") }),
    ...(tenant === undefined ? {} : { tenant }),
  };
}

/** Of the file, and of the log beside it in which the newest writes stand. */
function fileSizes(path: string): { readonly fileBytes: number; readonly walBytes: number } {
  return { fileBytes: fileBytes(path), walBytes: fileBytes(`${path}-wal`) };
}

type Row = readonly [name: string, value: string];

async function tell(args: Arguments, { out }: Terminal, data: object, rows: readonly Row[]): Promise<void> {
  if (args.is("json")) return out.write(`${JSON.stringify(data, null, 2)}\n`);
  const [left = 0] = columnWidths(rows);
  return out.say(`${rows.map(([name, value]) => `${padEnd(name, left)}  ${value}`).join("\n")}\n`);
}

function fileRows(path: string): readonly Row[] {
  const sizes = fileSizes(path);
  const log = sizes.walBytes === 0 ? "" : `, and ${size(sizes.walBytes)} in its log`;
  return [
    ["store", path],
    ["file", `${size(sizes.fileBytes)}${log}`],
  ];
}

function holdingRows({ sessions, messages, compactions, originals, bodies, bytes }: Holdings): readonly Row[] {
  return [
    ["sessions", count(sessions)],
    ["messages", count(messages)],
    ["compactions", count(compactions)],
    ["originals", count(originals)],
    ["bodies", `${count(bodies)}, ${size(bytes)}`],
  ];
}

function changeRows(before: Holdings, after: Holdings): readonly Row[] {
  const gone = before.bytes - after.bytes;
  return [
    ["deleted", `${counted(before.sessions - after.sessions, "session")}, ${size(gone)} of bodies`],
    ...holdingRows(after),
  ];
}
