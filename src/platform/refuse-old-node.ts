// Throws on a Node that is too old. Every entry point of the package imports this file before any other, so that its
// user reads which Node is needed and not which function the old one lacks.
/* eslint-disable no-var */
import { nodeFault } from "./required-node.ts";

// Bun and Deno say which Node they are like, and have what is needed all the same. A browser may have a shim.
var versions: Partial<NodeJS.ProcessVersions> = (typeof process === "undefined" ? undefined : process.versions) || {};
var fault = nodeFault(versions.bun || versions["deno"] ? undefined : versions.node);
if (fault !== undefined) {
  throw Object.assign(new Error("precis: " + fault.message + ". " + fault.hint), { code: "node_too_old" });
}
