/** Where each agent's own settings say that its requests go. Only addresses are read; keys stay unread or are never repeated. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { shortPath } from "../../config/load.ts";
import type { Terminal } from "../terminal.ts";

export interface Address {
  readonly url: string;
  /** As shown to a person: a variable, or a file. */
  readonly place: string;
}

/** Claude Code sends the definitions of all MCP tools to an address like ours, unless this is set. */
export const TOOL_SEARCH_VARIABLE = "ENABLE_TOOL_SEARCH";

export interface ClientProblem {
  readonly code: string;
  readonly says: string;
  readonly fix: string;
}

export interface ClientSettings {
  /** The one that counts first. */
  readonly addresses: readonly Address[];
  /** Of Claude Code: whether it searches for MCP tools instead of sending all of them. */
  readonly searchesTools?: boolean;
  readonly problems: readonly ClientProblem[];
}

/** Larger files are not an agent's settings. */
const FILE_BYTES_MAX = 1_000_000;

const READERS: Readonly<
  Record<"claude" | "codex" | "gemini" | "opencode" | "pi", (terminal: Terminal) => ClientSettings>
> = {
  claude: claudeSettings,
  codex: codexSettings,
  gemini: geminiSettings,
  opencode: openCodeSettings,
  pi: piSettings,
};

export function addressesIn(command: keyof typeof READERS, terminal: Terminal): ClientSettings {
  return READERS[command](terminal);
}

function homeOf({ environment }: Terminal): string {
  return environment["HOME"] ?? homedir();
}

function textOf(path: string): string | undefined {
  try {
    return existsSync(path) && statSync(path).size <= FILE_BYTES_MAX ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}

const CLAUDE_VARIABLE = "ANTHROPIC_BASE_URL";

/** https://docs.claude.com/en/docs/claude-code/settings: the project's files before the person's, all of them before the shell. */
function claudeSettings(terminal: Terminal): ClientSettings {
  const paths = [
    join(terminal.folder, ".claude", "settings.local.json"),
    join(terminal.folder, ".claude", "settings.json"),
    join(homeOf(terminal), ".claude", "settings.json"),
  ];
  const addresses: Address[] = [];
  const problems: ClientProblem[] = [];
  let searchesTools = isOn(terminal.environment[TOOL_SEARCH_VARIABLE]);
  for (const path of new Set(paths)) {
    const text = textOf(path);
    if (text === undefined) continue;
    const place = shortPath(path, terminal);
    try {
      const { env } = JSON.parse(text) as { readonly env?: Readonly<Record<string, unknown>> };
      const url = env?.[CLAUDE_VARIABLE];
      if (typeof url === "string") addresses.push({ url, place });
      searchesTools ||= isOn(env?.[TOOL_SEARCH_VARIABLE]);
    } catch {
      problems.push({
        code: "client_settings",
        says: `${place} is not valid JSON, so its settings are ignored`,
        fix: "Fix it; most likely there is a comma missing or one too many.",
      });
    }
  }
  const url = terminal.environment[CLAUDE_VARIABLE];
  return {
    addresses: [...addresses, ...(url === undefined || url === "" ? [] : [{ url, place: CLAUDE_VARIABLE }])],
    problems,
    searchesTools,
  };
}

/** `auto` and thresholds such as `auto:5` search as well (https://code.claude.com/docs/en/mcp). */
function isOn(value: unknown): boolean {
  return value !== undefined && !["", "0", "false"].includes(String(value));
}

/** https://geminicli.com/docs/: the address comes from the environment alone. */
function geminiSettings({ environment }: Terminal): ClientSettings {
  const variable = "GOOGLE_GEMINI_BASE_URL";
  const url = environment[variable] ?? "";
  return { addresses: url === "" ? [] : [{ url, place: variable }], problems: [] };
}

interface TomlTable {
  readonly name: string;
  readonly values: ReadonlyMap<string, string>;
}

/** The strings of a TOML file by table, as far as they are on lines of their own. */
function tablesOf(text: string): readonly TomlTable[] {
  const tables: { name: string; values: Map<string, string> }[] = [{ name: "", values: new Map() }];
  for (const line of text.split("\n")) {
    const [, table] = /^\s*\[([^\][]{1,200})\]\s*(?:#.*)?$/.exec(line) ?? [];
    if (table !== undefined) tables.push({ name: table.replaceAll(/["'\s]/g, ""), values: new Map() });
    const [, key, value] = /^\s*([A-Za-z0-9_-]{1,80})\s*=\s*["']([^"']{0,2000})["']/.exec(line) ?? [];
    if (key !== undefined) tables.at(-1)!.values.set(key, value!);
  }
  return tables;
}

const CODEX_PROVIDERS = "model_providers.";
const CODEX_OWN_PROVIDERS = new Set(["openai", "oss", "ollama", "lmstudio", "amazon-bedrock"]);

function codexSettings(terminal: Terminal): ClientSettings {
  const path = join(terminal.environment["CODEX_HOME"] || join(homeOf(terminal), ".codex"), "config.toml");
  const text = textOf(path);
  if (text === undefined) return { addresses: [], problems: [] };
  const place = shortPath(path, terminal);
  const tables = tablesOf(text);
  const chosen = tables[0]!.values.get("model_provider");
  const direct = tables[0]!.values.get("openai_base_url");
  const provider = tables.find(({ name }) => chosen !== undefined && name === CODEX_PROVIDERS + chosen)?.values;
  const url = provider?.get("base_url") ?? (chosen === undefined || chosen === "openai" ? direct : undefined);
  const problems: ClientProblem[] = [];
  if (chosen !== undefined && provider === undefined && !CODEX_OWN_PROVIDERS.has(chosen))
    problems.push({
      code: "client_settings",
      says: `${place} chooses the provider "${chosen}", and has no [${CODEX_PROVIDERS}${chosen}]`,
      fix: `Add that section, as docs/gateway.md has it, or take model_provider out.`,
    });
  const variable = provider?.get("env_key");
  if (variable !== undefined && (terminal.environment[variable] ?? "") === "")
    problems.push({
      code: "client_key_missing",
      says: `${place} takes its key from ${variable}, which is not set`,
      fix: `Set it where Codex runs: \`export ${variable}=…\`.`,
    });
  return { addresses: url === undefined ? [] : [{ url, place }], problems };
}

function openCodeSettings(terminal: Terminal): ClientSettings {
  const { environment, folder } = terminal;
  const own = environment["XDG_CONFIG_HOME"] || join(homeOf(terminal), ".config");
  const named = environment["OPENCODE_CONFIG"];
  const paths = [
    ...(named === undefined || named === "" ? [] : [named]),
    ...["opencode.json", "opencode.jsonc"].map((name) => join(folder, name)),
    ...["opencode.json", "opencode.jsonc"].map((name) => join(own, "opencode", name)),
  ];
  return { addresses: paths.flatMap((path) => membersIn(path, "baseURL", terminal)), problems: [] };
}

function piSettings(terminal: Terminal): ClientSettings {
  const folder = terminal.environment["PI_CODING_AGENT_DIR"] || join(homeOf(terminal), ".pi", "agent");
  return { addresses: membersIn(join(folder, "models.json"), "baseUrl", terminal), problems: [] };
}

/** Every address under a name, wherever it is; these files may hold comments. */
function membersIn(path: string, member: "baseURL" | "baseUrl", terminal: Terminal): readonly Address[] {
  const text = textOf(path);
  if (text === undefined) return [];
  const place = shortPath(path, terminal);
  const found = text.matchAll(new RegExp(`"${member}"\\s*:\\s*"([^"\\\\]{1,2000})"`, "g"));
  return Array.from(found, ([, url]) => ({ url: url!, place }));
}
