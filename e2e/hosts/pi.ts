/** pi with our extension: it asks for a compaction with `session_before_compact`. */
import { pi } from "../pi.ts";
import type { Host } from "./host.ts";

const WINDOW_TOKENS = 32_000;

export const piHost: Host = {
  name: "pi",
  title: `pi ${pi.version}`,
  client: pi,
  windowTokens: WINDOW_TOKENS,
  files: ({ base }) => {
    const model = { id: pi.model, reasoning: true, contextWindow: WINDOW_TOKENS, maxTokens: 4_096 };
    const precis = { baseUrl: `${base}/v1`, api: "openai-completions", apiKey: "$PRECIS_KEY", models: [model] };
    // Its own figures are made for windows of 200,000 tokens.
    const compaction = { reserveTokens: 10_000, keepRecentTokens: 6_000 };
    return {
      ".pi/agent/models.json": JSON.stringify({ providers: { precis } }),
      ".pi/agent/settings.json": JSON.stringify({ compaction }),
    };
  },
  setup: ["pi"],
  recall: (query) => ({ name: "precis_recall", arguments: { query } }),
};
