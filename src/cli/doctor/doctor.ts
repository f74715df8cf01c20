/** All checks, one area after another. None of them changes anything, sends a key, or asks for anything that costs money. */
import { checkClients } from "./clients.ts";
import { checkConfiguration, checkWindows } from "./configuration.ts";
import { type Examination, type Finding, fault, fine, note, warning } from "./finding.ts";
import { checkStore } from "./store.ts";
import { checkUpstreams } from "./upstreams.ts";
import type { Configuration } from "../../config/schema.ts";
import { PrecisError } from "../../core/errors.ts";
import { operatorToken, tokenPlace } from "../gateway/token.ts";
import type { Terminal } from "../screen/terminal.ts";
import { shortPath } from "../../config/load.ts";
import { pluginsFound } from "../settings/engine.ts";
import { once } from "node:events";
import { createServer } from "node:net";
import { gatewayUrl, isGateway } from "../gateway/process.ts";
import { asksInPlace, chooseModels, type Choice, type Unclear } from "../../models/choice.ts";
import { loadDialect, loadPackage } from "../../models/providers.ts";
import { handoffsSentence } from "../settings/flags.ts";

export async function examine(examination: Examination): Promise<readonly Finding[]> {
  const { loaded, terminal } = examination;
  const { configuration } = loaded;
  const [store, upstreams, keys, port] = await Promise.all([
    checkStore(examination),
    checkUpstreams(configuration, examination),
    checkKeys(configuration, terminal),
    checkPort(configuration),
  ]);
  return [
    fine("node", "node", `Node ${process.versions.node}`),
    ...checkConfiguration(examination),
    ...checkEngineNamed(examination),
    ...store,
    ...upstreams,
    ...keys,
    ...checkWindows(configuration),
    ...port,
    ...checkToken(configuration, terminal),
    ...checkClients(configuration, terminal),
  ];
}

const HOW =
  "metrics and the API take `authorization: Bearer $(precis token)`, a browser the link of `precis token --link`";

function checkToken(configuration: Configuration, terminal: Terminal): readonly Finding[] {
  // A variable that is not set is reported with the keys.
  const { token_env: variable } = configuration.gateway;
  if (variable !== null && !terminal.environment[variable]?.trim()) return [];
  try {
    const known = operatorToken(configuration, terminal);
    const where = known === undefined ? "created by the first `precis serve`" : tokenPlace(known, terminal);
    return [fine("port", "operator_token", `the operator's token is ${where}: ${HOW}`)];
  } catch (error) {
    if (!(error instanceof PrecisError)) throw error;
    return [fault("port", "operator_token", { says: error.message, fix: error.hint ?? "Create a new one." })];
  }
}

function checkEngineNamed({ loaded, terminal }: Examination): readonly Finding[] {
  const { engine, means, plugins, folders } = pluginsFound(loaded.configuration, terminal);
  const plugin = plugins.find(({ inForce }) => inForce);
  if (plugin?.problem != null)
    return [
      fault("configuration", "plugin_broken", {
        says: `context.engine names the plugin ${engine}, which cannot be used: ${plugin.problem}`,
        fix: `Fix ${shortPath(plugin.folder, terminal)}; docs/engines/plugins.md shows what belongs there.`,
      }),
    ];
  if (plugin !== undefined)
    return [
      fine(
        "configuration",
        "plugin",
        `engine: the plugin ${engine} ${plugin.version} in ${shortPath(plugin.folder, terminal)}`,
      ),
    ];
  const untrusted = plugins.find(({ name, trusted }) => name === engine && !trusted);
  if (untrusted !== undefined && means === "nothing")
    return [
      fault("configuration", "plugin_untrusted", {
        says: `context.engine names the project's plugin ${engine}, and you have not trusted its code`,
        fix: `Read ${shortPath(untrusted.folder, terminal)}; then run \`precis trust ${engine} --yes\`.`,
      }),
    ];
  if (means === "built-in") return [];
  const places = folders.map((folder) => shortPath(folder, terminal)).join(" or ");
  return [
    fault("configuration", "engine_unknown", {
      says: `context.engine is ${engine}, which is neither built in nor a plugin in ${places}`,
      fix: "`precis plugins` lists the plugins.",
    }),
  ];
}

async function checkPort({ gateway: { host, port } }: Configuration): Promise<readonly Finding[]> {
  const place = `${host}, port ${port}`;
  const why = await portFailure(host, port);
  if (why === undefined) return [fine("port", "port", `${place} is free`)];
  if (why === "EADDRINUSE")
    return [
      (await isGateway(gatewayUrl(host, port)))
        ? fine("port", "gateway_runs", `a gateway runs on ${place}`)
        : taken(port),
    ];
  const known = REASONS[why];
  const says = known === undefined ? `${place} cannot be listened on (${why})` : `${place}: ${known}`;
  return [
    fault("port", "port_unusable", {
      says,
      fix: "Set gateway.host to 127.0.0.1 and gateway.port to a free port above 1023.",
    }),
  ];
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "not permitted for this user",
  EADDRNOTAVAIL: "not an address of this machine",
  ENOTFOUND: "no such host",
};

function taken(port: number): Finding {
  return fault("port", "port_taken", {
    says: `port ${port} is taken by another program`,
    fix: "Stop that, or set gateway.port to another (`precis serve --port N`), and point clients there.",
  });
}

async function portFailure(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, "listening");
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unknown";
  } finally {
    server.close();
  }
}

interface Named {
  readonly variable: string;
  readonly use: string;
  readonly optional: boolean;
  readonly path: string;
}

async function checkKeys(configuration: Configuration, { environment }: Terminal): Promise<readonly Finding[]> {
  const inPlace = asksInPlace(configuration);
  const { auxiliary, main } = inPlace ? { auxiliary: undefined, main: undefined } : chooseModels(configuration);
  const choices = [
    { choice: auxiliary, path: "auxiliary.compression.api_key_env" },
    { choice: main, path: "model.api_key_env" },
  ];
  const named: Named[] = choices.flatMap(({ choice, path }) => (isChoice(choice) ? [makeKey(choice, path)] : []));
  const { token_env: token } = configuration.gateway;
  if (token !== null)
    named.push({ variable: token, use: "the operator's token", optional: false, path: "gateway.token_env" });
  const unclear = choices.flatMap(({ choice }) =>
    choice !== undefined && !isChoice(choice) ? [unclearFinding(choice)] : [],
  );
  const packages = await missingPackages(choices.flatMap(({ choice }) => (isChoice(choice) ? [choice] : [])));
  if (named.length === 0 && unclear.length === 0)
    return [fine("keys", "keys", "none needed: clients send their own"), handoffs(configuration)];
  return [
    ...named.map((one) => keyFinding(one, environment[one.variable])),
    ...unclear,
    ...packages,
    handoffs(configuration),
  ];
}

function handoffs(configuration: Configuration): Finding {
  return fine("keys", "handoffs", `handoffs are ${handoffsSentence(configuration)}`);
}

function isChoice(choice: Choice | Unclear | undefined): choice is Choice {
  return choice !== undefined && "provider" in choice;
}

function makeKey({ model, keyVariable, provider }: Choice, path: string): Named {
  return { variable: keyVariable, use: `handoffs by ${model}`, optional: provider.keyOptional === true, path };
}

function unclearFinding({ model, problem, path }: Unclear): Finding {
  return warning("keys", "model_unclear", {
    says: `${model} is to write handoffs, but ${problem}`,
    fix: `Set ${path}; until then code writes them.`,
  });
}

function keyFinding({ variable, use, optional, path }: Named, value: string | undefined): Finding {
  if (value === undefined || value.trim() === "") {
    if (optional)
      return note("keys", "key_optional", `${variable} is not set; a server of your own may need none (${use})`);
    return fault("keys", "key_missing", {
      says: `${variable} is not set, and ${use} needs it`,
      fix: `Set it where precis runs: \`export ${variable}=…\`, or name another variable with ${path}.`,
    });
  }
  const quoted = /^(["']).*\1$/s.test(value);
  // What a header cannot carry, or a copy has brought along.
  if (quoted || /[^\x21-\x7e]/.test(value))
    return fault("keys", "key_malformed", {
      says: `${variable} holds ${quoted ? "quotation marks around its value" : "white space or characters that no key has"}`,
      fix: `Set it again without them: \`export ${variable}=…\`.`,
    });
  return fine("keys", "key", `${variable} is set (${use})`);
}

async function missingPackages(choices: readonly Choice[]): Promise<readonly Finding[]> {
  const dialects = new Set(choices.map(({ provider }) => provider.dialect));
  const found: Finding[] = [];
  for (const dialect of dialects) {
    const loaded = await loadDialect(dialect, loadPackage);
    if ("missing" in loaded)
      found.push(
        fault("keys", "package_missing", {
          says: "a model is configured for handoffs, but the package that calls it is not installed",
          fix: `Install it: npm install ai @ai-sdk/${dialect}, with --global where precis itself was installed so`,
        }),
      );
  }
  return found;
}
