/** Whether the gateway can have its port, or has it already. */
import { once } from "node:events";
import { createServer } from "node:net";
import type { Configuration } from "../../config/schema.ts";
import { gatewayUrl, isGateway } from "../gateway-url.ts";
import { fault, fine, type Finding } from "./finding.ts";

export async function checkPort({ gateway: { host, port } }: Configuration): Promise<readonly Finding[]> {
  const place = `${host}, port ${port}`;
  const why = await portFailure(host, port);
  if (why === undefined) return [fine("port", "port", `${place} is free`)];
  if (why === "EADDRINUSE")
    return [
      (await isGateway(gatewayUrl(host, port)))
        ? fine("port", "gateway_runs", `a gateway runs on ${place}`)
        : taken(port),
    ];
  const known = REASONS[why];
  const says = known === undefined ? `${place} cannot be listened on (${why})` : `${place}: ${known}`;
  return [
    fault("port", "port_unusable", {
      says,
      fix: "Set gateway.host to 127.0.0.1 and gateway.port to a free port above 1023.",
    }),
  ];
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "not permitted for this user",
  EADDRNOTAVAIL: "not an address of this machine",
  ENOTFOUND: "no such host",
};

function taken(port: number): Finding {
  return fault("port", "port_taken", {
    says: `port ${port} is taken by another program`,
    fix: "Stop that, or set gateway.port to another (`precis serve --port N`), and point clients there.",
  });
}

/** The code of what is in the way of listening. */
async function portFailure(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, "listening");
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unknown";
  } finally {
    server.close();
  }
}
