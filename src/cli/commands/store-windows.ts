/** `precis store windows`: the windows that refusals revealed, and how they are forgotten. */
import {
  forgetWindows,
  listWindows,
  type TenantsWindow,
  type WindowChoice,
} from "../../gateway/models/learned-windows.ts";
import { windowOriginText } from "../../session/timing.ts";
import { count } from "../amounts.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit.ts";
import { printResult, type Row } from "../store-result.ts";
import { STORE_ARGS, TENANT_ARG, withStore } from "../store-command.ts";

export const windowsCommand: Command = {
  name: "store windows",
  summary: "Show the context windows that were learned from refusals, or forget them.",
  about: [
    "If a provider refuses a request as too large, the gateway works with the window that this reveals: for an hour, then until a larger request is accepted; if it is refused, for twice as long as before, at most a day. Until then `precis sessions show` and the log say so.",
    "--forget takes effect with the next request of every gateway on this store. A window that is still as small is learned again from one refusal, which the client does not see.",
  ],
  examples: [
    { line: "precis store windows", says: "all of them" },
    { line: "precis store windows claude-opus-4-5 --forget", says: "its provider has its full window again" },
  ],
  args: {
    model: { type: "positional", required: false, valueHint: "MODEL", description: "Only those of this model." },
    upstream: { type: "string", valueHint: "URL", description: "Only those learned from this address." },
    forget: { type: "boolean", description: "Forget them." },
    ...TENANT_ARG,
    ...STORE_ARGS,
  },
  run: (args, terminal) => {
    const forget = args.is("forget");
    const choice: WindowChoice = {
      model: args.text("model"),
      upstream: args.text("upstream"),
      tenant: args.text("tenant"),
    };
    return withStore(args, terminal, { readOnly: !forget }, async ({ store }) => {
      const windows = await (forget ? forgetWindows(store, choice) : listWindows(store, choice));
      const rows = windows.map((one) => rowOf(one, forget));
      const none = [["windows", "none was learned"]] as const;
      await printResult(args, terminal, { forgotten: forget, windows }, rows.length === 0 ? none : rows);
      return EXIT.done;
    });
  },
};

function rowOf({ tenant, model, tokens, ...learned }: TenantsWindow, forget: boolean): Row {
  const origin = windowOriginText({ from: "learned", learned }, Date.now());
  return [model, `${forget ? "forgotten: " : ""}${count(tokens)} tokens for the tenant ${tenant}, ${origin}`];
}
