#!/usr/bin/env node
// The executable: says which Node it needs before anything loads that an older one cannot read. Plain syntax on
// purpose: everything up to `import()` has to be understood by every Node that knows modules.
/* eslint-disable no-var */

var NEEDED = [22, 19];
var found = process.versions.node.split(".").map(Number);

if (found[0]! < NEEDED[0]! || (found[0] === NEEDED[0] && found[1]! < NEEDED[1]!)) {
  process.stderr.write(
    "precis: this is Node " +
      process.versions.node +
      "; precis needs Node " +
      NEEDED.join(".") +
      " or newer\n" +
      "  next  Install a newer one from https://nodejs.org (or: nvm install 24), then run precis again.\n",
  );
  process.exitCode = 2;
} else {
  void import("./main.ts").then(function start(main) {
    return main.start();
  });
}
