// Which Node precis needs, and what to say to an older one. Plain syntax and no imports on purpose: every Node that
// knows modules has to be able to load this file.
/* eslint-disable no-var */

/** As `engines` in package.json: major and minor. */
export var REQUIRED_NODE: readonly [number, number] = [22, 19];

/** What is wrong with a version of Node, and what to do; nothing where it will do, or where this is not Node. */
export function nodeFault(version: string | undefined): { message: string; hint: string } | undefined {
  if (version === undefined) return undefined;
  var parts = version.split(".").map(Number);
  var newEnough = parts[0]! > REQUIRED_NODE[0] || (parts[0] === REQUIRED_NODE[0] && parts[1]! >= REQUIRED_NODE[1]);
  if (newEnough) return undefined;
  return {
    message: "this is Node " + version + "; precis needs Node " + REQUIRED_NODE.join(".") + " or newer",
    hint: "Install a newer one from https://nodejs.org (or: nvm install 24), then run it again.",
  };
}
