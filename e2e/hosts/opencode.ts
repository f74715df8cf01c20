/** OpenCode 1.18 with our plugin, which shortens what it sends; alone, it has its model write summaries. */
import { opencode } from "../opencode.ts";
import type { Host } from "./host.ts";

const WINDOW_TOKENS = 32_000;
const FILE = ".config/opencode/opencode.json";

/** With a plugin it waits until it has installed the types of plugins, and here is no network. */
const TYPES_INSTALLED = {
  ".config/opencode/node_modules/.package-lock.json": "{}",
  ".config/opencode/package-lock.json": JSON.stringify({
    packages: { "": { dependencies: { "@opencode-ai/plugin": opencode.version } } },
  }),
};

export const openCodeHost: Host = {
  name: "opencode",
  title: `OpenCode ${opencode.version}`,
  client: opencode,
  windowTokens: WINDOW_TOKENS,
  files: (place, inside) => {
    const settings = JSON.parse(opencode.files(place)[FILE]!) as {
      provider: { precis: { models: Record<string, object> } };
    };
    settings.provider.precis.models = {
      [opencode.model]: { reasoning: true, limit: { context: WINDOW_TOKENS, output: 4_096 } },
    };
    return { [FILE]: JSON.stringify(settings), ...(inside ? TYPES_INSTALLED : {}) };
  },
  setup: ["opencode", "--inside"],
  recall: (query) => ({ name: "precis_recall", arguments: { query } }),
};
