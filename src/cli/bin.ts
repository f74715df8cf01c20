#!/usr/bin/env node
// The executable: says which Node it needs before anything loads that an older one cannot read. Plain syntax on
// purpose: everything up to `import()` has to be understood by every Node that knows modules.
/* eslint-disable no-var */
import { nodeFault } from "../platform/required-node.ts";

var fault = nodeFault(process.versions.node);

if (fault !== undefined) {
  process.stderr.write("precis: " + fault.message + "\n  next  " + fault.hint + "\n");
  process.exitCode = 2;
} else {
  void import("./main.ts").then(function start(main) {
    return main.start();
  });
}
