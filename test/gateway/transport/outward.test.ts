/** The way out to providers: over TLS, and through the proxies of a network. */
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { request } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import type { OutwardProxies } from "../../../src/gateway/transport/proxies.ts";
import { certificateFor, type Certificate } from "../../support/certificate.ts";
import { PROVIDER_NAME, proxyTo, secureProvider } from "../../support/outward.ts";
import { gatewayTo, speak, upstream } from "./standing.ts";

const CHAT = { model: "gpt-4o", messages: [{ role: "user", content: "Say it again." }] };

function trust({ cert }: Certificate): void {
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, cert]);
  onTestFinished(() => setDefaultCACertificates(before));
}

async function through(url: string, proxies: OutwardProxies | undefined, stream = false) {
  const gateway = await gatewayTo(url, proxies === undefined ? {} : { proxies });
  const answer = await request(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer sk-test", "content-type": "application/json" },
    body: JSON.stringify({ ...CHAT, stream }),
  });
  return { status: answer.statusCode, text: await answer.body.text() };
}

describe("over TLS", () => {
  test.each([false, true])("a provider answers (streamed: %s)", async (stream) => {
    const certificate = certificateFor("localhost");
    trust(certificate);
    const { status, text } = await through(`https://localhost:${await secureProvider(certificate)}`, undefined, stream);
    expect([status, text.includes(stream ? "data: [DONE]" : "chat.completion")]).toEqual([200, true]);
  });

  test("one that nobody vouches for is told apart from one that is not there", async () => {
    const { status, text } = await through(
      `https://localhost:${await secureProvider(certificateFor("localhost"))}`,
      undefined,
    );
    expect(status).toBe(502);
    expect(text).toContain("upstream_unreachable");
    expect(text).toContain("is not trusted here (DEPTH_ZERO_SELF_SIGNED_CERT)");
    expect(text).toContain("NODE_EXTRA_CA_CERTS");
  });

  test.each([
    ["for another name", certificateFor("elsewhere.test"), "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["that has expired", certificateFor("localhost", -0.5), "CERT_HAS_EXPIRED"],
  ])("a certificate %s is not taken", async (_, certificate, code) => {
    trust(certificate);
    const { status, text } = await through(`https://localhost:${await secureProvider(certificate)}`, undefined);
    expect([status, text.includes(`is not trusted here (${code})`)]).toEqual([502, true]);
  });
});

describe("through a proxy", () => {
  test.each([false, true])("to a provider over TLS, which the proxy cannot read (streamed: %s)", async (stream) => {
    const certificate = certificateFor(PROVIDER_NAME);
    trust(certificate);
    const proxy = await proxyTo(await secureProvider(certificate), "someone:a%secret");
    const https = `http://someone:a%25secret@127.0.0.1:${proxy.port}`;
    const { status, text } = await through(`https://${PROVIDER_NAME}`, { https }, stream);
    expect([status, text.includes(stream ? "data: [DONE]" : "chat.completion")]).toEqual([200, true]);
    expect(proxy.asked).toEqual([`CONNECT ${PROVIDER_NAME}:443`]);
  });

  test("for http goes those for https too, where there is no other", async () => {
    const certificate = certificateFor(PROVIDER_NAME);
    trust(certificate);
    const proxy = await proxyTo(await secureProvider(certificate));
    const { status } = await through(`https://${PROVIDER_NAME}`, { http: `127.0.0.1:${proxy.port}` });
    expect([status, proxy.asked]).toEqual([200, [`CONNECT ${PROVIDER_NAME}:443`]]);
  });

  test("that refuses: the answer says so, and not who asked", async () => {
    const proxy = await proxyTo(9, "someone:else");
    const { status, text } = await through(`https://${PROVIDER_NAME}`, {
      https: `http://who:s3cr3t@127.0.0.1:${proxy.port}`,
    });
    expect([
      status,
      text.includes("the proxy on the way to upstream (https://provider.test) refused with 407"),
    ]).toEqual([502, true]);
    expect(text).not.toContain("s3cr3t");
  });

  test("that is not there", async () => {
    const { status, text } = await through(`https://${PROVIDER_NAME}`, { https: "127.0.0.1:9" });
    expect([status, text.includes("upstream_unreachable"), text.includes("HTTPS_PROXY")]).toEqual([502, true, true]);
  });

  test("with its header lines as they came, two of a name among them", async () => {
    const proxy = await proxyTo(9);
    const gateway = await gatewayTo("http://provider.invalid", { proxies: { http: `127.0.0.1:${proxy.port}` } });
    await speak(
      gateway.port,
      `GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\nAnthropic-Beta: one\r\nAnthropic-Beta: two\r\nConnection: close\r\n\r\n`,
    );
    const lines = proxy.lines[0]!;
    expect(lines.flatMap((line, at) => (line === "Anthropic-Beta" ? [lines[at + 1]] : []))).toEqual(["one", "two"]);
  });

  test("but never to this machine, nor to what is excepted", async () => {
    const proxy = await proxyTo(9);
    const near = await upstream((_, answer) => void answer.end("directly"));
    const http = `http://127.0.0.1:${proxy.port}`;
    expect((await through(near.url, { http })).text).toBe("directly");
    expect((await through("http://provider.invalid", { http, except: "provider.invalid" })).status).toBe(502);
    expect(proxy.asked).toEqual([]);
    expect((await through("http://provider.invalid", { http })).text).toBe("by the proxy");
  });

  test.each(["ftp://proxy.test:21", "http://:80", "://"])("an address that is none is refused: %s", async (https) => {
    await expect(gatewayTo(`https://${PROVIDER_NAME}`, { proxies: { https } })).rejects.toMatchObject({
      code: "proxy_settings",
      message: expect.not.stringContaining(https) as string,
    });
  });
});
