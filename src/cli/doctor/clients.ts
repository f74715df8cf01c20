/** The agents that are installed here: whether they send their requests to the gateway, and the lines that make them. */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { isLoopback } from "../../config/loopback.ts";
import type { Configuration } from "../../config/schema.ts";
import { clientSetups } from "../../gateway/operation/clients.ts";
import type { Terminal } from "../terminal.ts";
import { addressesIn, TOOL_SEARCH_VARIABLE, type Address } from "./client-files.ts";
import { fault, fine, note, warning, type Finding } from "./finding.ts";

interface Client {
  readonly command: string;
  /** As `clientSetups` calls it. */
  readonly name: string;
  /** It adds `/v1` by itself. */
  readonly addsVersion: boolean;
}

const CLIENTS = [
  { command: "claude", name: "Claude Code", addsVersion: true },
  { command: "codex", name: "Codex", addsVersion: false },
  { command: "gemini", name: "Gemini CLI", addsVersion: true },
  { command: "opencode", name: "OpenCode", addsVersion: false },
  { command: "pi", name: "pi", addsVersion: false },
] as const satisfies readonly Client[];

export function checkClients({ gateway }: Configuration, terminal: Terminal): readonly Finding[] {
  const installed = CLIENTS.filter(({ command }) => isOnPath(command, terminal));
  if (installed.length === 0)
    return [note("clients", "no_client", `none of ${CLIENTS.map(({ command }) => command).join(", ")} is on the PATH`)];
  return installed.flatMap((client) => examined(client, gateway, terminal));
}

function isOnPath(command: string, { environment, platform }: Terminal): boolean {
  const endings = platform === "win32" ? [".cmd", ".exe", ".ps1"] : [""];
  const folders = (environment["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.some((folder) => endings.some((ending) => canRun(join(folder, command + ending))));
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function examined(
  client: (typeof CLIENTS)[number],
  { host, port }: Configuration["gateway"],
  terminal: Terminal,
): readonly Finding[] {
  const url = `http://${isLoopback(host) && host.includes(":") ? `[${host}]` : host}:${port}`;
  const { addresses, problems, searchesTools } = addressesIn(client.command, terminal);
  const broken = problems.map(({ code, says, fix }) =>
    fault("clients", code, { says: `${client.name}: ${says}`, fix }),
  );
  const meant = addresses.find((one) => isGateway(one.url, host, port));
  if (meant !== undefined)
    return [...broken, pointing(client, meant, url), ...(searchesTools === false ? [withoutToolSearch(client)] : [])];
  const near = addresses.find((one) => URL.canParse(one.url) && isLoopback(new URL(one.url).hostname));
  const setup = clientSetups(url).find(({ client: name }) => name === client.name)!;
  const lines =
    setup.language === "sh" ? setup.lines : [`in ${setup.place}:`, ...setup.lines.map((line) => `  ${line}`.trimEnd())];
  if (near !== undefined)
    return [
      ...broken,
      warning("clients", "client_elsewhere", {
        says: `${client.name} sends to ${near.url} (${near.place}), and the gateway is to listen on ${url}`,
        fix: `Point it here, or set gateway.port to ${new URL(near.url).port || "80"}:`,
        lines,
      }),
    ];
  const [first] = addresses;
  const where = first === undefined ? "to its vendor" : `to ${shownUrl(first.url)} (${first.place})`;
  return [
    ...broken,
    { ...note("clients", "client_not_here", `${client.name} sends ${where}; to point it here:`), lines },
  ];
}

function withoutToolSearch({ name }: Client): Finding {
  return {
    ...note(
      "clients",
      "tool_search_off",
      `${name} sends the definitions of all MCP tools with every request to a gateway. To have it search for them instead (and with an API key, to keep the cache for an hour):`,
    ),
    lines: [`export ${TOOL_SEARCH_VARIABLE}=true`, "export ENABLE_PROMPT_CACHING_1H=1"],
  };
}

/** A URL in somebody else's file may hold a password. */
function shownUrl(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : "something that is not an address";
}

function isGateway(address: string, host: string, port: number): boolean {
  if (!URL.canParse(address)) return false;
  const { hostname, port: given, protocol } = new URL(address);
  const same =
    hostname === host ||
    hostname === `[${host}]` ||
    (isLoopback(hostname) && (isLoopback(host) || host === "0.0.0.0" || host === "::"));
  return same && Number(given || (protocol === "https:" ? 443 : 80)) === port;
}

/** It comes here; whether by the right path and without TLS. */
function pointing({ name, addsVersion }: Client, { url, place }: Address, gateway: string): Finding {
  const { pathname, protocol } = new URL(url);
  const path = pathname.replace(/\/$/, "");
  const right = addsVersion ? gateway : `${gateway}/v1`;
  if (protocol === "https:")
    return fault("clients", "client_tls", {
      says: `${name} sends to ${url} (${place}), but the gateway speaks no TLS`,
      fix: `Set it to ${right}.`,
    });
  if (addsVersion && path.endsWith("/v1"))
    return fault("clients", "client_path", {
      says: `${name} adds /v1 by itself, so ${url} (${place}) makes it /v1/v1`,
      fix: `Set it to ${right}.`,
    });
  return fine("clients", "client", `${name} sends to the gateway (${place})`);
}
