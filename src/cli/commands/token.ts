/** `precis token`: what the operator shows to a gateway, and a link to its dashboard for a browser. */
import { loadConfiguration } from "../../config/load.ts";
import { loginLink } from "../../gateway/operation/access.ts";
import { option, toggle, type Command } from "../program/command.ts";
import { EXIT, usageError } from "../program/exit.ts";
import { gatewayUrl } from "../gateway/process.ts";
import { operatorToken } from "../gateway/token.ts";
import { CONFIG_FLAGS, configurationRequest } from "../settings/flags.ts";

export const tokenCommand: Command = {
  name: "token",
  summary: "Print the operator's token, or a link that opens a gateway's dashboard in a browser.",
  about: [
    "A gateway's metrics and its API, which the dashboard uses, require the token, on this machine too. `precis serve` creates it at its first start, in a file that only you can read; gateway.token_env names an environment variable to use instead. The link works once, within ten minutes. This command contacts no gateway.",
  ],
  examples: {
    'curl -H "authorization: Bearer $(precis token)" localhost:4020/_precis/metrics': "for a program",
    "precis token --link": "for a browser",
  },
  args: {
    link: toggle("Print a link to the dashboard instead."),
    port: option("N", "The gateway's port (gateway.port)."),
    ...CONFIG_FLAGS,
  },
  run: async (args, terminal) => {
    const configuration = await loadConfiguration(configurationRequest(args, terminal, { port: "gateway.port" }));
    const known = operatorToken(configuration, terminal);
    if (known === undefined)
      throw usageError("there is no token yet", "`precis serve` creates one at its first start.");
    const { host, port: number } = configuration.gateway;
    await terminal.out.put(`${args.is("link") ? loginLink(gatewayUrl(host, number), known.token) : known.token}\n`);
    return EXIT.done;
  },
};
