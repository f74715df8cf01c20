#!/usr/bin/env node
/** The executable `precis-provider`. */
import { runAlone } from "../src/cli/program/program.ts";
import { processTerminal } from "../src/cli/screen/terminal.ts";
import { providerCommand } from "./src/command.ts";

process.exitCode = await runAlone(providerCommand, process.argv.slice(2), processTerminal());
