#!/usr/bin/env node
/** The executable `precis-eval`. */
import { processTerminal } from "../src/cli/screen/terminal.ts";
import { run } from "./src/main.ts";

process.exitCode = await run(process.argv.slice(2), processTerminal());
