/** SQLite as Node has it, where it was built with it. */

/** Some versions of Node warn that their SQLite is experimental; every other warning still comes through. */
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
