/** The history's file: whether it can be opened and written, is for its owner alone, is sound, and has room to grow. */
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { PrecisError } from "../../core/errors.ts";
import { reasonOf } from "../../platform/system-errors.ts";
import { openStore, storeAddress } from "../../store/open.ts";
import { listWindows } from "../../gateway/models/learned-windows.ts";
import { windowOriginText } from "../../session/timing.ts";
import type { HistoryStore } from "../../store/store.ts";
import { count, size } from "../screen/amounts.ts";
import { fileBytes, storePlace, storeKey } from "../store/place.ts";
import { type Examination, fault, fine, note, warning, type Finding } from "./finding.ts";

const MEBIBYTE = 1024 * 1024;
const OWNER_ONLY = 0o077;
const FREE_BYTES_MIN = 100 * MEBIBYTE;
const FREE_BYTES_LOW = 1024 * MEBIBYTE;
/** A larger file takes long to read whole. */
const READ_WHOLE_BYTES_MAX = 512 * MEBIBYTE;
const FULL_SHARE = 0.9;

export async function checkStore(examination: Examination): Promise<readonly Finding[]> {
  const { loaded, terminal, store } = examination;
  const { configuration } = loaded;
  const { address, shown, path } = storePlace(store, configuration, terminal);
  if (storeAddress(address).kind === "memory")
    return [note("store", "store_in_memory", "nothing is kept: sessions are compacted again after a restart")];
  if (path === undefined) return contents(address, { shown, examination });
  const closed = unreachable(path, shown);
  if (closed !== undefined) return [closed];
  if (!existsSync(path)) return [...freeSpaceFinding(path), ...newStore(path, shown)];
  if (!statSync(path).isFile())
    return [fault("store", "store_no_file", { says: `${shown} is no file`, fix: "Name a file with gateway.store." })];
  return [
    ...(terminal.platform === "win32" ? [] : permissions(path, shown)),
    ...writable(path, shown),
    ...(await contents(address, { shown, path, examination })),
    ...freeSpaceFinding(path),
  ];
}

function unreachable(path: string, shown: string): Finding | undefined {
  try {
    statSync(path, { throwIfNoEntry: false });
    return undefined;
  } catch (error) {
    return fault("store", "store_unreachable", {
      says: `cannot read the store ${shown}: ${reasonOf(error)}`,
      fix: "Make the folders above it accessible to you, or name another file with gateway.store.",
    });
  }
}

function newStore(path: string, shown: string): readonly Finding[] {
  const folder = nearestFolder(path);
  if (canWrite(folder)) return [fine("store", "store_new", `${shown} does not exist yet; the gateway creates it`)];
  return [
    fault("store", "store_unwritable", {
      says: `${shown} does not exist, and nothing can be written in ${folder}`,
      fix: `Make that folder yours (\`sudo chown $USER ${folder}\`), or name another file with gateway.store.`,
    }),
  ];
}

function nearestFolder(path: string): string {
  let folder = dirname(path);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function writable(path: string, shown: string): readonly Finding[] {
  // SQLite writes its log beside the file.
  const closed = [path, dirname(path)].find((one) => !canWrite(one));
  if (closed === undefined) return [];
  return [
    fault("store", "store_unwritable", {
      says: `${shown} can be read but not written, so no request is kept`,
      fix: `Make it yours: \`sudo chown $USER ${closed}\`.`,
    }),
  ];
}

function permissions(path: string, shown: string): readonly Finding[] {
  const mode = statSync(path).mode & 0o777;
  if ((mode & OWNER_ONLY) === 0) return [];
  return [
    fault("store", "store_open_to_others", {
      says: `${shown} holds conversations with their secrets, and others on this machine may open it (mode ${mode.toString(8)})`,
      fix: `Run \`chmod 600 ${shown}\`.`,
    }),
  ];
}

interface StoreToOpen {
  readonly shown: string;
  readonly path?: string;
  readonly examination: Examination;
}

async function contents(address: string, { shown, path, examination }: StoreToOpen): Promise<readonly Finding[]> {
  const { configuration } = examination.loaded;
  const key = storeKey(configuration, examination.terminal.environment);
  try {
    const store = await openStore(address, { readOnly: true, ...key });
    try {
      const { sessions } = await store.holdings();
      const learned = await learnedWindows(store);
      if (path === undefined) return [fine("store", "store", `${shown}: ${sessions} sessions`), ...learned];
      const limit = bound(await store.size(), configuration.gateway.limits.store_mb);
      return [await soundness(store, { path, shown, sessions }), ...limit, ...learned];
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof PrecisError)) throw error;
    if (error.code === "store_older")
      return [
        note("store", error.code, `${shown} has an older schema; the gateway brings it up to date when it starts`),
      ];
    return [fault("store", error.code, { says: error.message, fix: error.hint })];
  }
}

async function soundness(
  store: HistoryStore,
  { path, shown, sessions }: { readonly path: string; readonly shown: string; readonly sessions: number },
): Promise<Finding> {
  const bytes = fileBytes(path);
  const said = `${shown}: ${sessions} sessions, ${size(bytes)}`;
  if (bytes > READ_WHOLE_BYTES_MAX)
    return fine("store", "store", `${said}; too large to check here, run \`precis store check\``);
  const faults = await store.check();
  if (faults.length === 0) return fine("store", "store", `${said}, sound`);
  return fault("store", "store_damaged", {
    says: `${shown} is damaged: ${faults[0]}${faults.length > 1 ? `, and ${faults.length - 1} more` : ""}`,
    fix: `Put a backup in its place, or move it away (\`mv ${shown} ${shown}.damaged\`): the gateway begins a new one.`,
  });
}

function freeSpaceFinding(path: string): readonly Finding[] {
  const { bavail, bsize } = statfsSync(nearestFolder(path));
  const free = bavail * bsize;
  const text = {
    says: `${size(free)} are free on the store's disk`,
    fix: "Make room, or `precis store retain --older-than 30d --yes --vacuum`.",
  };
  if (free < FREE_BYTES_MIN) return [fault("store", "disk_full", text)];
  return free < FREE_BYTES_LOW ? [warning("store", "disk_low", text)] : [];
}

/** They hold conversations below the windows that their models are known for. */
async function learnedWindows(store: HistoryStore): Promise<readonly Finding[]> {
  const now = Date.now();
  return (await listWindows(store)).map(({ tenant, model, tokens, ...learned }) => {
    const origin = windowOriginText({ from: "learned", learned }, now);
    const says = `${model} of the tenant ${tenant}: the gateway works with ${count(tokens)} tokens, ${origin}`;
    return { ...note("windows", "window_learned", says), fix: "If it is wrong, the dashboard can forget it." };
  });
}

/** The file grows no further than the setting says; a gateway deletes the longest unused before. */
function bound(bytes: number, megabytes: number | null): readonly Finding[] {
  if (megabytes === null || bytes < megabytes * MEBIBYTE * FULL_SHARE) return [];
  const text = {
    says: `the store has ${size(bytes)} of the ${megabytes} MB that gateway.limits.store_mb allows`,
    fix: "Raise it, or `precis store retain --older-than 30d --yes --vacuum`.",
  };
  return [
    bytes >= megabytes * MEBIBYTE ? fault("store", "store_full", text) : warning("store", "store_nearly_full", text),
  ];
}
