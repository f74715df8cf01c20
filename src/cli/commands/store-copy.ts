/** `precis store copy` and `precis store verify`: a store into another one, and whether both hold the same. */
import type { ArgsDef } from "citty";
import { loadConfiguration } from "../../config/load.ts";
import { PrecisError } from "../../core/errors.ts";
import { count } from "../amounts.ts";
import type { Arguments, Command } from "../command.ts";
import { EXIT, usageError } from "../exit.ts";
import { whileWaiting } from "../progress.ts";
import { CONFIG_FLAGS, configurationRequest } from "../settings-flags.ts";
import { existingStore, storePlace } from "../store-file.ts";
import { printResult } from "../store-result.ts";
import { storeKey } from "../store-settings.ts";
import type { Terminal } from "../terminal.ts";

const COPY_ARGS = {
  from: { type: "positional", valueHint: "FROM", description: "The store to read: a file, or postgres://…." },
  to: { type: "positional", valueHint: "TO", description: "The other store: a file, or postgres://…." },
  "from-key-env": { type: "string", valueHint: "NAME", description: "The variable with the key of an encrypted FROM." },
  "to-key-env": { type: "string", valueHint: "NAME", description: "The variable with the key that encrypts TO." },
  ...CONFIG_FLAGS,
  json: { type: "boolean", description: "Print JSON." },
} as const satisfies ArgsDef;

export const copyCommand: Command = {
  name: "store copy",
  summary: "Copy a store into another, between a file and PostgreSQL too.",
  about: [
    "TO is new or empty. A copy that is interrupted continues where it stopped when you run the same command again. Stop the gateway first: what it stores meanwhile may be missing.",
    "Everything is copied: conversations, compactions, originals, usage and states, with their times. `precis store verify FROM TO` compares them afterwards. With keys, texts are decrypted and encrypted again.",
  ],
  examples: [
    { line: "precis store copy history.db postgres://precis@localhost/precis", says: "move to PostgreSQL" },
    { line: "precis store copy postgres://precis@localhost/precis history.db", says: "and back" },
  ],
  args: COPY_ARGS,
  run: async (args, terminal) => {
    const places = await placesToCopy(args, terminal);
    let rows = 0;
    const end = new AbortController();
    const stop = (): void => end.abort(new StoppedCopy());
    process.once("SIGINT", stop);
    const { copyStore } = await import("../../store/copy.ts");
    const copying = copyStore({ ...places, signal: end.signal, onProgress: (now) => void (rows = now.rows) });
    try {
      const copied = await whileWaiting(terminal.err, () => `copying: ${count(rows)} rows`, copying);
      const said = Object.entries(copied).map(([kind, number]) => [kind, count(number)] as const);
      await printResult(args, terminal, { from: places.from.address, to: places.to.address, copied }, said);
      return EXIT.done;
    } finally {
      process.off("SIGINT", stop);
    }
  },
};

class StoppedCopy extends PrecisError {
  constructor() {
    super("the copy was stopped", {
      code: "copy_stopped",
      hint: "Run the same command again: it continues from here.",
    });
  }
}

export const verifyCommand: Command = {
  name: "store verify",
  summary: "Compare a copied store with the one it was copied from.",
  about: ["Reads both stores completely. Exits with 1 and a line for each difference."],
  examples: [{ line: "precis store verify history.db postgres://precis@localhost/precis", says: "after a copy" }],
  args: COPY_ARGS,
  run: async (args, terminal) => {
    const { from, to } = await placesToCopy(args, terminal);
    const { compareStores } = await import("../../store/copy.ts");
    const differences = await whileWaiting(terminal.err, () => "comparing", compareStores(from, to));
    const rows = differences.map((one) => [terminal.out.paint("bad", "differs"), one] as const);
    const same = [[terminal.out.paint("good", "same"), "both stores hold the same"]] as const;
    await printResult(args, terminal, { differences }, differences.length === 0 ? same : rows);
    return differences.length === 0 ? EXIT.done : EXIT.failed;
  },
};

async function placesToCopy(args: Arguments, terminal: Terminal) {
  const configuration = await loadConfiguration(configurationRequest(args, terminal));
  const [from, to] = [args.text("from"), args.text("to")];
  if (from === undefined || to === undefined)
    throw usageError(
      "two stores are needed",
      "Write `precis store copy FROM TO`, with a file or postgres://… for each.",
    );
  const keyIn = (flag: string) =>
    storeKey({ gateway: { store_key_env: args.text(flag) ?? null } }, terminal.environment);
  return {
    from: { address: existingStore(from, configuration, terminal).address, ...keyIn("from-key-env") },
    to: { address: storePlace(to, configuration, terminal).address, ...keyIn("to-key-env") },
  };
}
