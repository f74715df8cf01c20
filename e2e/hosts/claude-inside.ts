/** Claude Code with our plugin, as `precis setup claude --inside` puts it there, and no gateway: precis answers its compactions. */
import type { Place } from "../client.ts";
import { claudeCodeHost } from "./claude-code.ts";
import { putOnPath } from "./claude-plugin.ts";
import type { Begun, Host } from "./host.ts";

export const claudeInsideHost: Host = {
  ...claudeCodeHost,
  name: "claude-inside",
  title: `${claudeCodeHost.title}, from inside`,
  setup: ["claude", "--inside"],
  begin: async (place: Place, inside: boolean): Promise<Begun | undefined> => {
    if (inside) await putOnPath(place);
    return undefined;
  },
};
