/**
 * The settings with which an agent or a proxy loads precis itself (docs/hosts.md): what is put into its settings file, and how exactly
 * that is taken out again.
 */
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  CLAUDE_STATUS_LINE,
  claudeFile,
  homeOf,
  jsonSettings,
  openCodeFile,
  type ClientFile,
} from "./client-settings.ts";
import type { Terminal } from "./terminal.ts";
import { yamlSettings } from "./yaml-settings.ts";

const PACKAGE = fileURLToPath(new URL("../..", import.meta.url)).replace(/[/\\]$/, "");
/** `.ts` in a checkout, `.js` in the package. */
const OPENCODE_PLUGIN = new URL(`../integrations/opencode/index${import.meta.url.slice(-3)}`, import.meta.url).href;
const DSH_PLUGIN = new URL(`../integrations/dsh/index${import.meta.url.slice(-3)}`, import.meta.url).href;
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
  },
  opencode: {
    path: openCodeFile,
    ...jsonSettings(() => [{ path: ["plugin"], value: OPENCODE_PLUGIN, inList: true }]),
  },
  pi: {
    path: (terminal) =>
      join(terminal.environment["PI_CODING_AGENT_DIR"] || join(homeOf(terminal), ".pi", "agent"), "settings.json"),
    ...jsonSettings(() => [{ path: ["packages"], value: PACKAGE, inList: true }]),
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
