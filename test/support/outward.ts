/** What is between a gateway and a provider elsewhere: TLS, and a proxy that opens the way. */
import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect, type AddressInfo, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { createProvider } from "../../provider/src/index.ts";
import type { Certificate } from "./certificate.ts";

/** No resolver knows it: only the proxy does. */
export const PROVIDER_NAME = "provider.test";

async function portOf(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => void sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** The strict provider behind TLS, under a name that no resolver knows. */
export async function secureProvider(certificate: Certificate): Promise<number> {
  const provider = createProvider();
  return portOf(
    createTlsServer(certificate, (asked, answer) => {
      void (async () => {
        const body = asked.method === "GET" ? undefined : await textOf(asked);
        const headers = Object.entries(asked.headers).map(([name, value]) => [name, String(value)] as [string, string]);
        const { method = "GET", url = "/" } = asked;
        const said = await provider.fetch(
          new Request(`https://${PROVIDER_NAME}${url}`, { method, headers, ...(body === undefined ? {} : { body }) }),
        );
        answer.writeHead(said.status, Object.fromEntries(said.headers));
        for await (const piece of said.body ?? []) answer.write(piece);
        answer.end();
      })();
    }),
  );
}

async function textOf(asked: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of asked) text += String(chunk);
  return text;
}

export interface Proxy {
  readonly port: number;
  /** What it was asked to do, and for whom. */
  readonly asked: readonly string[];
  /** The header lines of what it was to pass on: names and values in turn. */
  readonly lines: readonly (readonly string[])[];
}

/** A proxy that knows where `provider.test` is, and refuses whoever does not say who they are where it wants that. */
export async function proxyTo(port: number, credentials?: string): Promise<Proxy> {
  const asked: string[] = [];
  const lines: string[][] = [];
  const refuses = (authorization = ""): boolean =>
    credentials !== undefined && authorization !== `Basic ${Buffer.from(credentials).toString("base64")}`;
  const server = createHttpServer((incoming, answer) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    lines.push(incoming.rawHeaders);
    answer.end("by the proxy");
  });
  server.on("connect", (incoming: IncomingMessage, socket: Socket) => {
    asked.push(`CONNECT ${incoming.url}`);
    socket.on("error", () => undefined);
    if (refuses(incoming.headers["proxy-authorization"]))
      return void socket.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
    const onward = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      onward.pipe(socket).pipe(onward);
    });
    onward.on("error", () => socket.destroy());
    return undefined;
  });
  return { port: await portOf(server), asked, lines };
}
