/**
 * What is put into each client's settings file: with which it sends its requests to a gateway for good (CLIENT_FILES), or loads
 * precis itself (HOST_FILES, docs/hosts.md).
 */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Terminal } from "../screen/terminal.ts";
import {
  jsonSettings,
  lineSettings,
  yamlSettings,
  type Changes,
  type JsonSetting,
  type LineSettings,
} from "./edits.ts";

export interface ClientRecord {
  readonly path: string;
  /** Where its entry of precis is. */
  readonly entry: readonly string[];
}

export interface ClientFile extends Changes {
  readonly path: (terminal: Terminal) => string;
  readonly note?: string;
  /** What the client notes in files of its own once it has loaded precis, and keeps without it. */
  readonly records?: (terminal: Terminal) => readonly ClientRecord[];
  /** Whether the client loads precis itself by settings with this text. */
  readonly isLoadedBy?: (text: string) => boolean;
  /** A folder of the package that the client looks for in a place of its own. */
  readonly link?: (terminal: Terminal) => { readonly from: string; readonly to: string };
}

const homeOf = ({ environment }: Terminal): string => environment["HOME"] ?? homedir();

const CLAUDE_STATUS_LINE: JsonSetting = {
  path: ["statusLine"],
  value: { type: "command", command: "precis statusline" },
  keep: true,
};

export const CLIENT_FILES: Readonly<Record<string, ClientFile>> = {
  claude: {
    path: claudeFile,
    ...jsonSettings((url) => [
      { path: ["env", "ANTHROPIC_BASE_URL"], value: url },
      // At any address but the vendor's own, Claude Code switches its tool search off unless it is told not to.
      { path: ["env", "ENABLE_TOOL_SEARCH"], value: "true", keep: true },
      CLAUDE_STATUS_LINE,
    ]),
  },
  codex: {
    path: (terminal) => join(terminal.environment["CODEX_HOME"] || join(homeOf(terminal), ".codex"), "config.toml"),
    ...lineSettings(codexLines),
    note: "Codex reads your key from OPENAI_API_KEY.",
  },
  gemini: {
    path: (terminal) => join(homeOf(terminal), ".gemini", ".env"),
    ...lineSettings((url) => ({ first: { name: "GOOGLE_GEMINI_BASE_URL", line: `GOOGLE_GEMINI_BASE_URL=${url}` } })),
    note: "A .env file in a project comes before this one.",
  },
  opencode: {
    path: openCodeFile,
    ...jsonSettings((url) => [
      { path: ["provider", "anthropic", "options", "baseURL"], value: `${url}/v1` },
      { path: ["provider", "openai", "options", "baseURL"], value: `${url}/v1` },
      { path: ["provider", "google", "options", "baseURL"], value: `${url}/v1beta` },
    ]),
  },
};

function claudeFile(terminal: Terminal): string {
  return join(terminal.environment["CLAUDE_CONFIG_DIR"] || join(homeOf(terminal), ".claude"), "settings.json");
}

function openCodeFile(terminal: Terminal): string {
  const folder = join(terminal.environment["XDG_CONFIG_HOME"] || join(homeOf(terminal), ".config"), "opencode");
  const withComments = join(folder, "opencode.jsonc");
  return existsSync(withComments) ? withComments : join(folder, "opencode.json");
}

function codexLines(url: string): LineSettings {
  return {
    first: { name: "model_provider", line: 'model_provider = "precis"' },
    last: [
      "[model_providers.precis]",
      'name = "precis"',
      `base_url = ${JSON.stringify(`${url}/v1`)}`,
      'env_key = "OPENAI_API_KEY"',
      'wire_api = "responses"',
    ],
  };
}

const PACKAGE = fileURLToPath(new URL("../../..", import.meta.url)).replace(/[/\\]$/, "");
/** `.ts` in a checkout, `.js` in the package. */
const OPENCODE_PLUGIN = new URL(`../../integrations/opencode/index${import.meta.url.slice(-3)}`, import.meta.url).href;
const DSH_PLUGIN = new URL(`../../integrations/dsh/index${import.meta.url.slice(-3)}`, import.meta.url).href;
const OPENCLAW_PLUGIN = join(PACKAGE, "hosts", "openclaw");
const HERMES_PLUGIN = join(PACKAGE, "hosts", "hermes", "precis");

const hermesFolder = (terminal: Terminal): string =>
  terminal.environment["HERMES_HOME"] || join(homeOf(terminal), ".hermes");

export const HOST_FILES: Readonly<Record<string, ClientFile>> = {
  claude: {
    path: claudeFile,
    ...jsonSettings(() => [
      { path: ["extraKnownMarketplaces", "precis"], value: { source: { source: "directory", path: PACKAGE } } },
      { path: ["enabledPlugins", "precis@precis"], value: true },
      CLAUDE_STATUS_LINE,
    ]),
    note: "Claude Code runs `precis`, which has to be on its PATH.",
    records: (terminal) => {
      const folder = join(dirname(claudeFile(terminal)), "plugins");
      return [
        { path: join(folder, "known_marketplaces.json"), entry: ["precis"] },
        { path: join(folder, "installed_plugins.json"), entry: ["plugins", "precis@precis"] },
      ];
    },
    isLoadedBy: (text) => /"precis@precis"\s*:\s*true/.test(text),
  },
  opencode: {
    path: openCodeFile,
    ...jsonSettings(() => [{ path: ["plugin"], value: OPENCODE_PLUGIN, inList: true }]),
    isLoadedBy: (text) => text.includes("/integrations/opencode/index."),
  },
  pi: {
    path: (terminal) =>
      join(terminal.environment["PI_CODING_AGENT_DIR"] || join(homeOf(terminal), ".pi", "agent"), "settings.json"),
    ...jsonSettings(() => [{ path: ["packages"], value: PACKAGE, inList: true }]),
    isLoadedBy: (text) => text.includes(JSON.stringify(PACKAGE)),
  },
  dsh: {
    path: (terminal) => join(terminal.environment["DSH_HOME"] || join(homeOf(terminal), ".dsh"), "cordis.patch.yml"),
    ...yamlSettings(() => [
      { path: [], value: { id: "compaction-basic", disabled: true }, inList: true, name: "id" },
      { path: [], value: { insert: [{ id: "precis", name: DSH_PLUGIN }] }, inList: true },
    ]),
    note: "It holds for the profiles `headless` and those without agent presets.",
  },
  openclaw: {
    path: openClawFile,
    ...jsonSettings(() => [
      { path: ["plugins", "load", "paths"], value: OPENCLAW_PLUGIN, inList: true },
      { path: ["plugins", "slots", "contextEngine"], value: "precis" },
      { path: ["plugins", "entries", "precis", "enabled"], value: true },
    ]),
    note: "If plugins.allow lists the plugins that OpenClaw may load, add precis to it.",
  },
  hermes: {
    path: (terminal) => join(hermesFolder(terminal), "config.yaml"),
    link: (terminal) => ({ from: join(hermesFolder(terminal), "plugins", "precis"), to: HERMES_PLUGIN }),
    ...yamlSettings(() => [
      { path: ["context", "engine"], value: "precis" },
      { path: ["plugins", "enabled"], value: "precis", inList: true },
    ]),
    note: "Hermes asks a `precis serve` that runs on this machine.",
  },
  litellm: {
    path: ({ folder }) => resolve(folder, "config.yaml"),
    ...yamlSettings((url) => [{ path: ["guardrails"], value: guardrail(url), inList: true, name: "guardrail_name" }]),
    note: "LiteLLM needs a running `precis serve`.",
  },
};

function openClawFile(terminal: Terminal): string {
  const { OPENCLAW_CONFIG_PATH: path, OPENCLAW_STATE_DIR: folder } = terminal.environment;
  return path || join(folder || join(homeOf(terminal), ".openclaw"), "openclaw.json");
}

function guardrail(url: string) {
  return {
    guardrail_name: "precis",
    litellm_params: { guardrail: "headroom", mode: "pre_call", api_base: url, default_on: true },
  };
}
