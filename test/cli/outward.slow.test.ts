/** The command line on a network that lets nobody out but through its proxy, and has an authority of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { certificateFor } from "../support/certificate.ts";
import { PROVIDER_NAME, proxyTo, secureProvider, type Proxy } from "../support/outward.ts";
import { NODE_ENVIRONMENT, precis, precisHere, temporaryFolder, type Folder } from "./precis.ts";

const BIN = resolve(import.meta.dirname, "../../src/cli/bin.ts");
const CREDENTIALS = "someone:secret-of-the-proxy";

let folder: Folder;
beforeEach(() => (folder = temporaryFolder()));
afterEach(() => folder.remove());

async function network(): Promise<{ readonly proxy: Proxy; readonly environment: Readonly<Record<string, string>> }> {
  const certificate = certificateFor(PROVIDER_NAME);
  const proxy = await proxyTo(await secureProvider(certificate), CREDENTIALS);
  return {
    proxy,
    environment: {
      NODE_EXTRA_CA_CERTS: folder.write("authority.pem", certificate.cert),
      https_proxy: `http://${CREDENTIALS}@127.0.0.1:${proxy.port}`,
      NO_PROXY: "intranet.test",
      PRECIS_GATEWAY_UPSTREAMS: JSON.stringify({ far: { url: `https://${PROVIDER_NAME}` } }),
    },
  };
}

describe("behind a proxy", () => {
  it("`precis serve` reaches its provider, says by which way, and tells nobody the proxy's password", async () => {
    const { proxy, environment } = await network();
    const child = spawn(process.execPath, [BIN, "serve", "--port", "0", "--store", "memory"], {
      cwd: folder.path,
      env: { ...NODE_ENVIRONMENT, HOME: folder.path, ...environment },
    });
    let said = "";
    child.stderr.on("data", (chunk) => (said += String(chunk)));
    const [first] = (await once(createInterface(child.stderr), "line")) as [string];
    const answer = await fetch(`${/on (http\S+)/.exec(first)![1]}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: "Bearer sk-test" },
      body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "Say it again." }] }),
    });
    const body = await answer.text();
    expect([answer.status, body.includes("chat.completion")]).toEqual([200, true]);
    child.kill("SIGTERM");
    await once(child, "close");
    expect(said).toMatch(new RegExp(`proxy +https by 127\\.0\\.0\\.1:${proxy.port}, not to intranet\\.test\n`));
    expect(said).not.toContain("secret-of-the-proxy");
    expect(proxy.asked).toEqual([`CONNECT ${PROVIDER_NAME}:443`]);
  });

  it("`precis doctor` asks the same way", async () => {
    const { proxy, environment } = await network();
    const { out } = await precis(["doctor", "--json"], { folder: folder.path, environment });
    const { findings } = JSON.parse(out) as { findings: readonly { code: string; level: string; says: string }[] };
    expect(findings.filter(({ says }) => says.includes(PROVIDER_NAME))).toMatchObject([
      { level: "fine", says: expect.stringContaining(`far: https://${PROVIDER_NAME}`) as string },
    ]);
    expect(proxy.asked).toContain(`CONNECT ${PROVIDER_NAME}:443`);
  });

  it("an address that is none is named by what goes out, without what it may hold; nothing else minds", async () => {
    const environment = { HTTPS_PROXY: "socks5h://me:mine@x" };
    const { code, err } = await precisHere(["serve", "--port", "0", "--store", "memory"], { environment });
    expect([code, err.includes("HTTPS_PROXY, HTTP_PROXY"), err.includes("mine")]).toEqual([2, true, false]);
    expect((await precisHere(["config", "check"], { environment })).code).toBe(0);
    const { out } = await precisHere(["doctor", "--json"], { environment, folder: folder.path });
    expect(out).toContain("The address of a proxy cannot be used");
  });
});
