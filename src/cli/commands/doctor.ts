/** `precis doctor`: what is wrong with this set-up, and how to fix it. */
import { resolveAll, shortPath } from "../../config/load.ts";
import { option, toggle, type Command } from "../program/command.ts";
import { EXIT } from "../program/exit.ts";
import { whileWaiting } from "../screen/progress.ts";
import { CONFIG_FLAGS, configurationRequest, ENGINE_FLAGS, handoffsSentence } from "../settings/flags.ts";
import { wrapped, columnWidths, padEnd, visibleLine } from "../screen/text.ts";
import { counted } from "../screen/amounts.ts";
import { AREAS, type Finding, type Level, type Examination, fault, fine, note, warning } from "../doctor/finding.ts";
import type { TextStyle, Stream, Terminal } from "../screen/terminal.ts";
import { checkClients } from "../doctor/clients.ts";
import { checkConfiguration, checkWindows } from "../doctor/configuration.ts";
import { checkStore } from "../doctor/store.ts";
import { checkUpstreams } from "../doctor/upstreams.ts";
import type { Configuration } from "../../config/schema.ts";
import { PrecisError } from "../../core/errors.ts";
import { operatorToken, tokenPlace } from "../gateway/token.ts";
import { pluginsFound } from "../settings/engine.ts";
import { once } from "node:events";
import { createServer } from "node:net";
import { gatewayUrl, isGateway } from "../gateway/process.ts";
import { asksInPlace, chooseModels, type Choice, type Unclear } from "../../models/choice.ts";
import { loadDialect, loadPackage } from "../../models/providers.ts";

export const doctorCommand: Command = {
  name: "doctor",
  summary: "Find what is wrong with this set-up, and say how to fix it.",
  about: [
    "Checks Node, the configuration, the store, the upstreams, keys, windows, caching, the port, and the agents installed here: whether they send their requests to the gateway, and the settings that make them do so. Changes nothing. Exits with 1 if there is a fault; warnings and notes do not count.",
    "Each upstream is asked once for its list of models, without a key and at no cost; with --offline no request is made. Keys are looked for in the environment and never shown.",
  ],
  examples: {
    "precis doctor": "before the first session, or when something looks wrong",
    "precis doctor --offline --json | jq '.findings[] | select(.level == \"fault\")'": "for a script",
  },
  args: {
    offline: toggle("Make no request to other machines."),
    store: option("FILE", "The store's file, instead of the configured one."),
    ...ENGINE_FLAGS,
    ...CONFIG_FLAGS,
    json: toggle("Print {faults, warnings, findings}."),
  },
  run: async (args, terminal) => {
    const loaded = await resolveAll({ ...configurationRequest(args, terminal), leaveOut: undefined });
    const work = examine({ loaded, terminal, store: args.text("store"), offline: args.is("offline") });
    const findings = await whileWaiting(terminal.err, () => "looking", work);
    const counts = tallied(findings);
    if (args.is("json")) await terminal.out.put(`${JSON.stringify({ ...counts, findings }, null, 2)}\n`);
    else await terminal.out.say(doctorPage(findings, terminal.out));
    return counts.faults === 0 ? EXIT.done : EXIT.failed;
  },
};

const MARKS: Readonly<Record<Level, readonly [mark: string, look: TextStyle]>> = {
  fine: ["✓", "good"],
  note: ["·", "dim"],
  warning: ["!", "warn"],
  fault: ["✗", "bad"],
};

function doctorPage(findings: readonly Finding[], stream: Stream): string {
  const { paint } = stream;
  const [left = 0] = columnWidths(AREAS.map((area) => [area]));
  const lines = AREAS.flatMap((area) =>
    findings
      .filter((one) => one.area === area)
      .flatMap((one, at) => findingLines(one, { name: padEnd(at === 0 ? area : "", left), stream })),
  );
  return `${[...lines, "", verdict(findings, paint)].join("\n")}\n`;
}

interface AreaColumn {
  readonly name: string;
  readonly stream: Stream;
}

function findingLines({ level, says, fix }: Finding, { name, stream }: AreaColumn): readonly string[] {
  const { paint, columns } = stream;
  const [mark, look] = MARKS[level];
  const room = columns - name.length - 4;
  const indent = " ".repeat(name.length + 4);
  const said = wrapped(visibleLine(says), room).map((line, at) =>
    at === 0 ? `${paint("strong", name)}  ${paint(look, mark)} ${line}` : `${indent}${line}`,
  );
  const next =
    fix === undefined
      ? []
      : wrapped(visibleLine(fix), room - 2).map(
          (line, at) => `${indent}${at === 0 ? paint("accent", "→") : " "} ${line}`,
        );
  return [...said, ...next];
}

function verdict(findings: readonly Finding[], paint: Stream["paint"]): string {
  const { faults, warnings } = tallied(findings);
  const beside = warnings === 0 ? "" : `, ${counted(warnings, "warning")}`;
  if (faults === 0) return `${paint("good", "no fault")}${beside}`;
  return `${paint("bad", counted(faults, "fault"))}${beside}: fix each as described, then run \`precis doctor\` again`;
}

function tallied(findings: readonly Finding[]): { readonly faults: number; readonly warnings: number } {
  const count = (wanted: Level): number => findings.filter(({ level }) => level === wanted).length;
  return { faults: count("fault"), warnings: count("warning") };
}

async function examine(examination: Examination): Promise<readonly Finding[]> {
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
