/**
 * Modules of Node that the library can do without, by asking the process: an `import` of one would keep every file that
 * leads to it from loading in a browser.
 */

import type * as crypto from "node:crypto";
import type * as fs from "node:fs";
import type * as path from "node:path";

interface Builtins {
  readonly "node:crypto": typeof crypto;
  readonly "node:fs": typeof fs;
  readonly "node:path": typeof path;
}

/** What a browser lacks, and an edge worker in part. */
const host = typeof process === "undefined" ? undefined : (process as Partial<NodeJS.Process>);

/** Undefined where the host has no such module. */
export function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] | undefined {
  return host?.getBuiltinModule?.(name as string) as Builtins[Name] | undefined;
}

/** The environment variables, where the host has any. */
export function environmentVariables(): Readonly<Record<string, string | undefined>> {
  return host?.env ?? {};
}

/** SQLite, if Node was built with it. Some versions warn that their SQLite is experimental; every other warning still comes through. */
export function loadSqlite() {
  const emit = process.emitWarning;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]): void => {
    const text = typeof warning === "string" ? warning : warning.message;
    if (!text.startsWith("SQLite is an experimental feature")) Reflect.apply(emit, process, [warning, ...rest]);
  };
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emit;
  }
}
