/** `precis doctor`: what is wrong with this set-up, and how to fix it. */
import { resolveAll } from "../../config/load.ts";
import { examine } from "../doctor/doctor.ts";
import { doctorPage, tallied } from "../doctor-page.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit.ts";
import { whileWaiting } from "../progress.ts";
import { CONFIG_FLAGS, configurationRequest, ENGINE_FLAGS } from "../settings-flags.ts";

export const doctorCommand: Command = {
  name: "doctor",
  summary: "Find what is wrong with this set-up, and say how to fix it.",
  about: [
    "Checks Node, the configuration, the store, the upstreams, keys, windows, caching, the port, and the agents installed here: whether they send their requests to the gateway, and the settings that make them do so. Changes nothing. Exits with 1 if there is a fault; warnings and notes do not count.",
    "Each upstream is asked once for its list of models, without a key and at no cost; with --offline no request is made. Keys are looked for in the environment and never shown.",
  ],
  examples: [
    { line: "precis doctor", says: "before the first session, or when something looks wrong" },
    { line: "precis doctor --offline --json | jq '.findings[] | select(.level == \"fault\")'", says: "for a script" },
  ],
  args: {
    offline: { type: "boolean", description: "Make no request to other machines." },
    store: { type: "string", valueHint: "FILE", description: "The store's file, instead of the configured one." },
    ...ENGINE_FLAGS,
    ...CONFIG_FLAGS,
    json: { type: "boolean", description: "Print {faults, warnings, findings}." },
  },
  run: async (args, terminal) => {
    const loaded = await resolveAll({ ...configurationRequest(args, terminal), leaveOut: undefined });
    const work = examine({ loaded, terminal, store: args.text("store"), offline: args.is("offline") });
    const findings = await whileWaiting(terminal.err, () => "looking", work);
    const counts = tallied(findings);
    if (args.is("json")) await terminal.out.write(`${JSON.stringify({ ...counts, findings }, null, 2)}\n`);
    else await terminal.out.say(doctorPage(findings, terminal.out));
    return counts.faults === 0 ? EXIT.done : EXIT.failed;
  },
};
