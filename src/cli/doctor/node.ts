/** Whether this Node is one that precis runs on. */
import { fault, fine, type Finding } from "./finding.ts";

const NEEDED = [22, 19] as const;

export function checkNode(version: string): readonly Finding[] {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const enough = major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
  if (enough) return [fine("node", "node", `Node ${version}`)];
  const says = `this is Node ${version}; precis needs ${NEEDED.join(".")} or newer`;
  return [
    fault("node", "node_old", { says, fix: "Install a newer one from https://nodejs.org, or `nvm install 24`." }),
  ];
}
