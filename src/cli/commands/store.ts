/** `precis store …`: what the history holds, whether it is sound, and what goes. */
import type { HistoryStore, Holdings, Retention } from "../../store/store.ts";
import { parseBytes, count, counted, parseDuration, size } from "../screen/amounts.ts";
import { option, toggle, type Arguments, type Command, type CommandGroup } from "../program/command.ts";
import { EXIT, usageError, type ExitCode } from "../program/exit.ts";
import { whileWaiting } from "../screen/progress.ts";
import { fileBytes, existingStore, storeKey } from "../store/place.ts";
import type { Terminal } from "../screen/terminal.ts";
import type { ArgsDef } from "citty";
import { loadConfiguration } from "../../config/load.ts";
import { openStore } from "../../store/open.ts";
import { CONFIG_FLAGS, configurationRequest } from "../settings/flags.ts";
import { columnWidths, padEnd } from "../screen/text.ts";

const STORE_ARGS = {
  store: option("ADDRESS", "Another store than the configured one: a file, or postgres://…."),
  ...CONFIG_FLAGS,
  json: toggle("Print JSON."),
} as const satisfies ArgsDef;

const TENANT_ARG = {
  tenant: option("NAME", "Only what belongs to this tenant."),
} as const satisfies ArgsDef;

const check: Command = {
  name: "store check",
  summary: "Show what the store holds, and check it for damage.",
  about: [
    "Reads the whole store: compares every body with its hash and every chain with its links, and runs SQLite's own check on a file. Exits with 1 and a line for each fault if something is wrong. Changes nothing, and does not disturb a gateway that uses the file.",
  ],
  examples: {
    "precis store check && echo sound": "check a backup",
    "precis store check --quick --json": "only size and contents, for a script",
  },
  args: {
    quick: toggle("Only show size and contents, without reading everything."),
    ...TENANT_ARG,
    ...STORE_ARGS,
  },
  run: (args, terminal) =>
    withStore(args, terminal, { readOnly: true }, async ({ store, path, shown }) => {
      const holdings = await whileWaiting(terminal.err, () => "counting", store.holdings(args.text("tenant")));
      const faults = args.is("quick")
        ? undefined
        : await whileWaiting(terminal.err, () => "reading the whole store", store.check());
      const where = path === undefined ? { store: shown } : { path, ...fileSizes(path) };
      await printResult(args, terminal, { ...where, ...holdings, ...(faults !== undefined && { faults }) }, [
        ...(path === undefined ? ([["store", shown]] as const) : fileRows(path)),
        ...holdingRows(holdings),
        ...(faults?.length === 0 ? [[terminal.out.paint("good", "sound"), "no damage found"] as const] : []),
        ...(faults ?? []).map((fault) => [terminal.out.paint("bad", "fault"), fault] as const),
      ]);
      return faults === undefined || faults.length === 0 ? EXIT.done : EXIT.failed;
    }),
};

const retain: Command = {
  name: "store retain",
  summary: "Delete old sessions by age, or the least recently used ones above a size.",
  about: [
    "Without --yes it only shows what would be deleted, by tenant. Sessions, compactions and originals are deleted together with the bodies that only they used; whatever newer data depends on is kept. This cannot be undone. A running gateway may continue to use the file.",
    "The freed space is reused for new messages. --vacuum returns it to the disk, also without another flag: it rewrites the file, which takes as long as copying it and temporarily needs the same space again. A gateway that uses the file waits, and forwards requests unchanged if it has to wait too long.",
  ],
  examples: {
    "precis store retain --older-than 30d": "what has not been used for thirty days: what would go",
    "precis store retain --older-than 30d --tenant team --yes": "delete it, of one tenant",
    "precis store retain --max-size 2g --yes": "the least recently used, until two gigabytes of messages are left",
    "precis store retain --older-than 30d --yes --vacuum": "when the gateway is idle",
  },
  args: {
    "older-than": option("TIME", "Delete what was last used before this: 12h, 30d, 8w."),
    "max-size": option("SIZE", "Delete the least recently used until bodies take no more than this: 500m, 2g."),
    yes: toggle("Delete it instead of only showing it."),
    vacuum: toggle("Return the space of deleted data to the disk."),
    ...TENANT_ARG,
    ...STORE_ARGS,
  },
  run: async (args, terminal) => {
    const retention = parseRetention(args);
    const [yes, vacuum] = [args.is("yes"), args.is("vacuum")];
    return withStore(args, terminal, { readOnly: !yes && !vacuum }, async (opened) => {
      const { store, path, shown } = opened;
      if (retention === undefined) return vacuumed(opened, args, terminal);
      if (!yes) return preview(store, retention, args, terminal);
      const before = await store.holdings(args.text("tenant"));
      const left = async (): Promise<string> =>
        `deleting: ${size((await store.holdings(args.text("tenant"))).bytes)} of ${size(before.bytes)} left`;
      const after = await whileWaiting(terminal.err, left, store.retain(retention));
      if (vacuum) await whileWaiting(terminal.err, () => "rewriting", store.vacuum());
      await printResult(args, terminal, { path: path ?? shown, before, after }, changeRows(before, after));
      return EXIT.done;
    });
  },
};

async function vacuumed({ store, path, shown }: OpenedStore, args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const sizeNow = () => (path === undefined ? 0 : fileBytes(path));
  const before = sizeNow();
  await whileWaiting(terminal.err, () => "rewriting", store.vacuum());
  const after = sizeNow();
  const says = path === undefined ? `${shown}, its free space can be used again` : `${size(before)} → ${size(after)}`;
  await printResult(args, terminal, { path: path ?? shown, before, after }, [["store", says]]);
  return EXIT.done;
}

export const storeCommands: CommandGroup = {
  name: "store",
  summary: "The gateway's store: contents, damage, retention.",
  commands: [check, retain],
};

/** Undefined where only the space is to be returned. */
function parseRetention(args: Arguments): Retention | undefined {
  const [age, room, tenant] = [args.text("older-than"), args.text("max-size"), args.text("tenant")];
  if (age === undefined && room === undefined && args.is("vacuum")) return undefined;
  if (age === undefined && room === undefined)
    throw usageError(
      "`precis store retain` needs --older-than, --max-size or --vacuum",
      "Write for example `--older-than 30d`.",
    );
  return {
    ...(age === undefined ? {} : { before: Date.now() - parseDuration(age, "--older-than") }),
    ...(room === undefined ? {} : { maxBytes: parseBytes(room, "--max-size") }),
    ...(tenant === undefined ? {} : { tenant }),
  };
}

/** At most what would go, by tenant: what newer data depends on stays. */
async function preview(
  store: HistoryStore,
  { before = 0, maxBytes = Infinity, tenant: only }: Retention,
  args: Arguments,
  terminal: Terminal,
): Promise<ExitCode> {
  const tenants: { readonly tenant: string; readonly sessions: number; readonly old: number }[] = [];
  for (const { tenant } of await store.listTenants()) {
    if (only !== undefined && tenant !== only) continue;
    const sessions = await store.listSessions(tenant, { limit: SESSIONS_MAX });
    const old = sessions.filter(({ updatedAt }) => updatedAt < before).length;
    tenants.push({ tenant, sessions: sessions.length, old });
  }
  const { bytes } = await store.holdings(only);
  const excess = Math.max(0, bytes - maxBytes);
  const rows = tenants.map(
    ({ tenant, sessions, old }) => [tenant, `up to ${old} of ${counted(sessions, "session")}`] as const,
  );
  await printResult(args, terminal, { deleted: false, tenants, excessBytes: excess }, [
    ...(before > 0 ? rows : []),
    ...(maxBytes < Infinity
      ? [["above the size", `${size(excess)} of ${size(bytes)}, least recently used first`] as const]
      : []),
    ["deleted", "nothing; add --yes to delete"],
  ]);
  return EXIT.done;
}

const SESSIONS_MAX = 1_000_000;

function fileSizes(path: string): { readonly fileBytes: number; readonly walBytes: number } {
  return { fileBytes: fileBytes(path), walBytes: fileBytes(`${path}-wal`) };
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

interface OpenedStore {
  readonly store: HistoryStore;
  readonly shown: string;
  readonly path?: string;
}

async function withStore<Result>(
  args: Arguments,
  terminal: Terminal,
  { readOnly = false }: { readonly readOnly?: boolean },
  use: (opened: OpenedStore) => Promise<Result>,
): Promise<Result> {
  const configuration = await loadConfiguration(configurationRequest(args, terminal));
  const { address, shown, path } = existingStore(args.text("store"), configuration, terminal);
  const store = await openStore(address, { readOnly, ...storeKey(configuration, terminal.environment) });
  try {
    return await use({ store, shown, ...(path === undefined ? {} : { path }) });
  } finally {
    await store.close();
  }
}

type Row = readonly [name: string, value: string];

async function printResult(args: Arguments, { out }: Terminal, data: object, rows: readonly Row[]): Promise<void> {
  if (args.is("json")) return out.put(`${JSON.stringify(data, null, 2)}\n`);
  const [left = 0] = columnWidths(rows);
  return out.say(`${rows.map(([name, value]) => `${padEnd(name, left)}  ${value}`).join("\n")}\n`);
}
