/** The agents that are installed here: whether their settings name the gateway, and the lines that make them use it. */
import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { shortPath } from "../../config/load.ts";
import { isLoopback } from "../../config/locate.ts";
import type { Configuration } from "../../config/schema.ts";
import { HOST_FILES } from "../clients/settings.ts";
import { gatewayUrl } from "../gateway/process.ts";
import type { Terminal } from "../screen/terminal.ts";
import { fault, fine, note, warning, type Finding } from "./finding.ts";

interface Client {
  readonly command: string;
  readonly name: string;
  /** It adds `/v1` by itself. */
  readonly addsVersion: boolean;
  readonly variable?: string;
  /** Where its settings are, from the working folder and the home folder; the first that names an address counts. */
  readonly files: readonly string[];
}

const CLIENTS: readonly Client[] = [
  {
    command: "claude",
    name: "Claude Code",
    addsVersion: true,
    variable: "ANTHROPIC_BASE_URL",
    files: [".claude/settings.local.json", ".claude/settings.json", "~/.claude/settings.json"],
  },
  { command: "codex", name: "Codex", addsVersion: false, files: ["~/.codex/config.toml"] },
  { command: "gemini", name: "Gemini CLI", addsVersion: true, variable: "GOOGLE_GEMINI_BASE_URL", files: [] },
  {
    command: "opencode",
    name: "OpenCode",
    addsVersion: false,
    files: ["opencode.json", "opencode.jsonc", "~/.config/opencode/opencode.json", "~/.config/opencode/opencode.jsonc"],
  },
  { command: "pi", name: "pi", addsVersion: false, files: ["~/.pi/agent/models.json"] },
];

const MOVED: readonly (readonly [from: string, variable: string])[] = [
  ["~/.codex/", "CODEX_HOME"],
  ["~/.config/", "XDG_CONFIG_HOME"],
  ["~/.pi/agent/", "PI_CODING_AGENT_DIR"],
];

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

interface Address {
  readonly url: string;
  readonly place: string;
}

interface ClientSettings {
  /** Only these are shown; whatever else the files hold is not. */
  readonly addresses: readonly Address[];
  /** Claude Code sends the definitions of all MCP tools to an address like ours, unless this is set. */
  readonly searchesTools: boolean;
  /** The file by which the client loads precis itself. */
  readonly loads: string | undefined;
}

const TOOL_SEARCH_VARIABLE = "ENABLE_TOOL_SEARCH";
/** Larger files are not an agent's settings. */
const FILE_BYTES_MAX = 1_000_000;

function readSettings({ command, variable, files }: Client, terminal: Terminal): ClientSettings {
  const { environment } = terminal;
  const addresses: Address[] = [];
  let searchesTools = isOn(environment[TOOL_SEARCH_VARIABLE]);
  for (const path of new Set(files.map((file) => findPath(file, terminal)))) {
    const text = readTextIn(path);
    for (const [url] of text.matchAll(/https?:\/\/[^\s"'<>,]+/g))
      addresses.push({ url, place: shortPath(path, terminal) });
    const [, value] = new RegExp(`"${TOOL_SEARCH_VARIABLE}"\\s*:\\s*"?([^",}]*)`).exec(text) ?? [];
    searchesTools ||= isOn(value);
  }
  const url = variable === undefined ? undefined : environment[variable];
  if (url) addresses.push({ url, place: variable! });
  return { addresses, searchesTools, loads: findLoading(command, terminal) };
}

/** The settings file, as it is shown, by which a client loads precis itself. */
export function findLoading(command: string, terminal: Terminal): string | undefined {
  const { path, isLoadedBy } = HOST_FILES[command] ?? {};
  if (path === undefined || isLoadedBy === undefined) return undefined;
  const { files = [] } = CLIENTS.find((one) => one.command === command) ?? {};
  const paths = [...files.map((file) => findPath(file, terminal)), path(terminal)];
  const found = paths.find((one) => isLoadedBy(readTextIn(one)));
  return found === undefined ? undefined : shortPath(found, terminal);
}

function findPath(file: string, { environment, folder }: Terminal): string {
  const [from, variable] = MOVED.find(([start]) => file.startsWith(start)) ?? [];
  const moved = variable === undefined ? undefined : environment[variable];
  if (moved) return join(moved, file.slice(from!.length));
  return file.startsWith("~/") ? join(environment["HOME"] ?? homedir(), file.slice(2)) : join(folder, file);
}

function readTextIn(path: string): string {
  try {
    return existsSync(path) && statSync(path).size <= FILE_BYTES_MAX ? readFileSync(path, "utf8") : "";
  } catch {
    return "";
  }
}

/** `auto` and thresholds such as `auto:5` search as well (https://code.claude.com/docs/en/mcp). */
function isOn(value: string | undefined): boolean {
  return value !== undefined && !["", "0", "false"].includes(value.trim());
}

function examined(client: Client, { host, port }: Configuration["gateway"], terminal: Terminal): readonly Finding[] {
  const { name, command } = client;
  const url = gatewayUrl(host, port);
  const { addresses, searchesTools, loads } = readSettings(client, terminal);
  const meant = addresses.find((one) => isGateway(one.url, host, port));
  if (meant !== undefined) {
    const isPoorer = command === "claude" && !searchesTools;
    return [pointing(client, meant, url), ...(isPoorer ? [withoutToolSearch(client)] : [])];
  }
  if (loads !== undefined) return [loaded(client, loads, terminal)];
  const fix = `\`precis run ${command}\` starts it behind the gateway, \`precis setup ${command}\` has it use precis for good.`;
  const near = addresses.find((one) => URL.canParse(one.url) && isLoopback(new URL(one.url).hostname));
  if (near === undefined) return [{ ...note("clients", "client_not_here", `${name} does not use the gateway`), fix }];
  const says = `${name} sends to ${near.url} (${near.place}), and the gateway is to listen on ${url}`;
  return [warning("clients", "client_elsewhere", { says, fix })];
}

function loaded({ name, command }: Client, place: string, terminal: Terminal): Finding {
  const says = `${name} loads precis itself (${place}) and needs no gateway`;
  if (command !== "claude" || isOnPath("precis", terminal)) return fine("clients", "client_inside", says);
  return warning("clients", "precis_not_on_path", {
    says: `${says}, but \`precis\`, which it runs, is not on the PATH`,
    fix: "Install precis with `npm install --global`, or add the folder of its program to the PATH.",
  });
}

function withoutToolSearch({ name }: Client): Finding {
  return {
    ...note(
      "clients",
      "tool_search_off",
      `${name} sends the definitions of all MCP tools with every request to a gateway`,
    ),
    fix: `To have it search for them, \`export ${TOOL_SEARCH_VARIABLE}=true\`; with an API key, ENABLE_PROMPT_CACHING_1H=1 keeps the cache for an hour.`,
  };
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
