// Throws on a Node that is too old. Every entry point of the package imports this file before any other, so that its
// user reads which Node is needed and not which function the old one lacks.
/* eslint-disable no-var */
import { nodeFault } from "./required-node.ts";

var fault = nodeFault(typeof process === "undefined" ? undefined : process.versions.node);
if (fault !== undefined) {
  throw Object.assign(new Error("precis: " + fault.message + ". " + fault.hint), { code: "node_too_old" });
}
