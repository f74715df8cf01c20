/** A store that is removed, full or read-only is noticed, and requests go on. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test, vi } from "vitest";
import { openSqliteStore } from "../../../src/store/index.ts";
import { createProvider } from "../../../provider/src/provider.ts";
import { ask, bodyOf, worked } from "../support/asking.ts";
import { serve } from "../support/serving.ts";
import { atEnd, front, temporaryFolder } from "../support/standing.ts";
import { upstreamOf } from "../support/upstream.ts";

const ANSWER = '{"choices":[{"message":{"role":"assistant","content":"Read."}}]}';
const MB = 1024 * 1024;

async function upstream(): Promise<string> {
  return (await upstreamOf(() => ({ pieces: [ANSWER] }))).url;
}

const body = (steps: number): string => bodyOf("openai-chat", worked("kept", steps));

async function asked(url: string, steps: number): Promise<string> {
  const { status, text, treatment } = await ask(url, { protocol: "openai-chat", body: body(steps) });
  expect([status, text]).toEqual([200, ANSWER]);
  return treatment;
}

async function readiness(url: string): Promise<string> {
  const response = await fetch(`${url}/_precis/ready`);
  const { because = "" } = (await response.json()) as { readonly because?: string };
  return `${response.status} ${because}`.trim();
}

/** A disk of its own, small and gone after the test; undefined where this user may not mount one. */
function smallDisk(): { readonly folder: string; readonly readOnly: () => void } | undefined {
  const folder = temporaryFolder();
  const mount = (...words: string[]): void => void execFileSync("mount", words, { stdio: "ignore" });
  try {
    mount("-t", "tmpfs", "-o", "size=8m", "tmpfs", folder);
  } catch {
    return undefined;
  }
  atEnd(() => execFileSync("umount", ["-l", folder]));
  return { folder, readOnly: () => mount("-o", "remount,ro", folder) };
}

describe("a store whose folder is removed while the gateway runs", () => {
  it("is noticed, is not made anew, and is used again once it is back", async () => {
    const folder = temporaryFolder();
    const [home, away] = [join(folder, "data"), join(folder, "away")];
    mkdirSync(home);
    const gateway = await serve({
      upstream: await upstream(),
      folder,
      flags: { store: join(home, "history.db") },
    });
    await asked(gateway.url, 2);
    expect(await readiness(gateway.url)).toBe("200");
    renameSync(home, away);
    expect(await readiness(gateway.url)).toBe("200 store_gone");
    expect(await asked(gateway.url, 3)).toMatch(/^(?:unchanged|untouched; because=store_unavailable)$/);
    expect(await asked(gateway.url, 4)).toBe("untouched; because=store_unavailable");
    await vi.waitFor(() => expect(gateway.output()).toContain("store_gone"));
    expect(await readiness(gateway.url)).toBe("200 store_gone");
    renameSync(away, home);
    expect(await readiness(gateway.url)).toBe("200");
    await asked(gateway.url, 5);
    await gateway.kill("SIGTERM");
    const store = await openSqliteStore({ path: join(home, "history.db") });
    expect(await store.holdings()).toMatchObject({ sessions: 1, messages: 11 });
    await store.close();
  });

  it("is not made anew by the thread for large requests either", async () => {
    const folder = temporaryFolder();
    const home = join(folder, "data");
    mkdirSync(home);
    const gateway = await serve({
      upstream: await upstream(),
      folder,
      flags: { store: join(home, "history.db") },
    });
    await asked(gateway.url, 2);
    renameSync(home, join(folder, "away"));
    const large = bodyOf("openai-chat", worked("kept", 30, 3_000));
    for (let time = 0; time < 2; time++) {
      const { status, text, treatment } = await ask(gateway.url, { protocol: "openai-chat", body: large });
      expect([status, text, treatment]).toEqual([200, ANSWER, "untouched; because=internal_fault"]);
      expect(existsSync(home)).toBe(false);
      expect(await readiness(gateway.url)).toBe("200 store_gone");
    }
    renameSync(join(folder, "away"), home);
    expect((await ask(gateway.url, { protocol: "openai-chat", body: large })).treatment).toMatch(
      /^unchanged|^rewritten/,
    );
    expect(await readiness(gateway.url)).toBe("200");
    await gateway.kill("SIGTERM");
  });

  it("acknowledges nothing that it wrote to a file that is gone", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "history.db");
    const store = await openSqliteStore({ path });
    await store.putState("t", "root", 1);
    await store.checkWritable();
    for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
    await expect(store.putState("t", "root", 2)).rejects.toMatchObject({ code: "store_gone" });
    await expect(store.checkWritable()).rejects.toMatchObject({ code: "store_gone" });
    await store.close();
  });
});

test("on a full disk the gateway is not ready, and requests go on", async (context) => {
  const disk = smallDisk();
  if (disk === undefined) return context.skip("this user may not mount a disk");
  const store = await openSqliteStore({ path: join(disk.folder, "history.db") });
  const { url } = await front(await upstream(), { store });
  await asked(url, 2);
  await store.checkWritable();
  const fill = (bytes: number, at: number): void => {
    try {
      writeFileSync(join(disk.folder, `filler-${at}`), Buffer.alloc(bytes));
    } catch {}
  };
  [8 * MB, MB, 64 * 1024, 4 * 1024].forEach(fill);
  await expect(store.checkWritable()).rejects.toMatchObject({ code: "store_full" });
  await asked(url, 3);
  [0, 1, 2, 3].forEach((at) => rmSync(join(disk.folder, `filler-${at}`), { force: true }));
  await vi.waitFor(() => store.checkWritable());
  await store.close();
});

test("a store at its own bound is not ready", async () => {
  const store = await openSqliteStore({ path: join(temporaryFolder(), "history.db"), sizeBytesMax: MB });
  await store.checkWritable(MB / 2);
  await expect(store.checkWritable(2 * MB)).rejects.toMatchObject({ code: "store_full" });
  await store.close();
});

describe("a store on a read-only disk", () => {
  it("lets the gateway start and requests pass, and what was compacted before stays so", async (context) => {
    const disk = smallDisk();
    if (disk === undefined) return context.skip("this user may not mount a disk");
    const provider = createProvider({ script: { text: "Read." } });
    const { url: far, close } = await provider.listen();
    atEnd(close);
    const flags = { store: join(disk.folder, "history.db"), "context-length": "8000" };
    const long = { protocol: "openai-chat" as const, body: body(30) };
    const before = await serve({ upstream: far, folder: temporaryFolder(), flags });
    expect((await ask(before.url, long)).treatment).toMatch(/fresh$/);
    await before.kill("SIGTERM");
    disk.readOnly();
    const gateway = await serve({ upstream: far, folder: temporaryFolder(), flags, ready: false });
    expect(await readiness(gateway.url)).toBe("200 store_read_only");
    const { status, treatment } = await ask(gateway.url, long);
    expect([status, treatment]).toEqual([200, expect.stringMatching(/^rewritten; before=\d+; after=\d+$/)]);
    await vi.waitFor(() => expect(gateway.output()).toContain("store_read_only"));
    expect((await ask(gateway.url, { ...long, body: body(2) })).status).toBe(200);
  });

  it("lets the gateway start where there was no file yet", async (context) => {
    const disk = smallDisk();
    if (disk === undefined) return context.skip("this user may not mount a disk");
    disk.readOnly();
    const flags = { store: join(disk.folder, "precis", "history.db") };
    const gateway = await serve({ upstream: await upstream(), folder: temporaryFolder(), flags, ready: false });
    expect(await readiness(gateway.url)).toBe("200 store_read_only");
    expect(await asked(gateway.url, 2)).toBe("untouched; because=store_unavailable");
  });
});
