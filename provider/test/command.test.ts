/** `precis-provider` as a shell runs it: says where it is, serves, logs without content, ends when interrupted. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatMessages, precisHere, temporaryFolder, type Folder } from "../../test/cli/precis.ts";
import type { Json } from "./asking.ts";

const BIN = resolve(import.meta.dirname, "../bin.ts");
const SECRET = "the words of the user";

let folder: Folder;
beforeAll(() => {
  folder = temporaryFolder();
  folder.write("session.json", JSON.stringify(chatMessages({ turns: 3, lines: 2 })));
  folder.write("script.yaml", "- text: One.\n  repeat: 2\n- fault: { kind: 429 }\n");
  folder.write("wrong.yaml", "- txt: One.\n");
});
afterAll(() => folder.remove());

/** A running provider; `lines` gives what it logs, and `end` interrupts it and gives its exit code. */
async function running(words: readonly string[]) {
  const child = spawn(process.execPath, [BIN, "--port", "0", "--json", ...words], { cwd: folder.path });
  const log = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async (): Promise<Json> => JSON.parse(String((await log.next()).value)) as Json;
  const url = String((await next())["url"]);
  const ask = (model: string): Promise<Response> =>
    fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: "Bearer secret-key" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: SECRET }] }),
    });
  const end = async (): Promise<number | null> => {
    child.kill("SIGINT");
    const [code] = (await once(child, "exit")) as [number | null];
    return code;
  };
  return { url, ask, next, end };
}

describe("precis-provider", () => {
  it("serves what a script says, logs each request once and without content, and ends when interrupted", async () => {
    const { url, ask, next, end } = await running(["--script", "script.yaml", "--model", "mine=64k"]);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const answers = [await ask("mine"), await ask("mine"), await ask("mine"), await ask("other")];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 404]);
    const logged = [await next(), await next(), await next(), await next()];
    expect(logged.map(({ status, outcome }) => [status, outcome])).toEqual([
      [200, "answered"],
      [200, "answered"],
      [429, "refused"],
      [404, "refused"],
    ]);
    expect(JSON.stringify(logged)).not.toMatch(/secret-key|words of the user|One\./);
    const account = (await (await fetch(`${url}/_precis/account`)).json()) as { total: Json };
    expect(account.total).toMatchObject({
      requests: 4,
      answered: 2,
      faults: { "rate-limit": 1 },
      rejected: { model: 1 },
    });
    expect(await end()).toBe(0);
  });

  it("replays a session, and ends with a stream open", async () => {
    const { ask, end, url } = await running(["--replay", "session.json", "--model", "mine=64k", "--pace", "1"]);
    const open = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: "Bearer k" },
      body: JSON.stringify({ model: "mine", stream: true, messages: [{ role: "user", content: "x" }] }),
    });
    const [first] = [await open.body!.getReader().read()];
    expect(new TextDecoder().decode(first.value as Uint8Array)).toContain("chat.completion.chunk");
    expect((await ask("nothing")).status).toBe(404);
    expect(await end()).toBe(0);
  });

  it.each([
    [["--port", "x"], "--port is"],
    [["--window", "lots"], "--window is"],
    [["--model", "mine"], "NAME=WINDOW"],
    [["--fault", "rain=0.5"], "no such kind"],
    [["--fault", "429=2"], "0 to 1"],
    [["--replay", "session.json", "--script", "script.yaml"], "exclude one another"],
  ])("%j exits with 2 and says why", async (words, why) => {
    const { code, out, err } = await precisHere(["precis-provider", ...words], { folder: folder.path });
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(why);
  });

  it.each([
    ["--script", "wrong.yaml", "txt"],
    ["--script", "nothing.yaml", "cannot read"],
    ["--replay", "script.yaml", "none of the formats"],
  ])("%s %s exits with 3 and says why", async (flag, file, why) => {
    const { code, err } = await precisHere(["precis-provider", flag, file], { folder: folder.path });
    expect(code).toBe(3);
    expect(err).toContain(why);
  });
});

it("no other command loads a server", async () => {
  const code = `import { run } from ${JSON.stringify(resolve(import.meta.dirname, "../../src/cli/main.ts"))};
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    const stream = { write: async () => {}, say: async () => {}, paint: (_, text) => text, columns: 80, interactive: false };
    await run(["--help"], { out: stream, err: stream, environment: {}, folder: ".", platform: "linux" });
    console.log(loaded.filter((url) => /hono|provider\\/src/.test(url)).length, loaded.length > 3);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", code]);
  let out = "";
  child.stdout.on("data", (chunk) => (out += String(chunk)));
  await once(child, "close");
  expect(out.trim()).toBe("0 true");
});
