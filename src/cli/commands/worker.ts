/** `precis worker`: makes the compactions that gateways have enqueued in their database, until it is interrupted. */
import type { ArgsDef } from "citty";
import { resolveAll, type Loaded } from "../../config/load.ts";
import { configurationError } from "../../config/problems.ts";
import type { Configuration } from "../../config/schema.ts";
import type { PrecisError } from "../../core/errors.ts";
import { createRedactor, type Redactor } from "../../core/redaction/redactor.ts";
import type { EmitEvent } from "../../gateway/contract.ts";
import { createWorker } from "../../gateway/background/worker.ts";
import { createLog } from "../../gateway/operation/log.ts";
import type { PluginSource } from "../../plugins/load.ts";
import { gatewayOptions } from "../gateway/options.ts";
import { parseWhole } from "../screen/amounts.ts";
import { option, toggle, type Arguments, type Command } from "../program/command.ts";
import { openConfiguredStore, type OpenedStore } from "../store/place.ts";
import { withEngine } from "../settings/engine.ts";
import { EXIT, usageError, type ExitCode } from "../program/exit.ts";
import { eventLine, lineWriter } from "../gateway/log.ts";
import { interruption } from "../gateway/process.ts";
import { CONFIG_FLAGS, configurationRequest, ENGINE_FLAGS, LOGGING_SETTINGS } from "../settings/flags.ts";
import { configuredTenants } from "../gateway/tenants.ts";
import type { Terminal } from "../screen/terminal.ts";
import { version } from "../program/program.ts";

/** Enough to keep a processor busy while models write. */
const AT_ONCE = 4;
const AT_ONCE_MAX = 64;

const ARGS = {
  store: option("URL", "The database of the gateways: postgres://USER@HOST/DATABASE (gateway.store)."),
  "at-once": option("N", `Compactions at a time; ${AT_ONCE} by default.`),
  port: option("N", "Serve health and metrics on this port, 0 for any free one; without it nothing is served."),
  host: option("ADDRESS", "The address of that port; 127.0.0.1 by default (gateway.host)."),
  summarize: option("MODEL", "Have a model write the handoffs, with a key of yours (auxiliary.compression.model)."),
  quiet: toggle("Log nothing (gateway.log: off)."),
  json: toggle("Log JSON lines on standard output (gateway.log: json)."),
  ...ENGINE_FLAGS,
  ...CONFIG_FLAGS,
} as const satisfies ArgsDef;

export const workerCommand: Command = {
  name: "worker",
  summary: "Prepare compactions for gateways that share a PostgreSQL database.",
  about: [
    "Gateways on a PostgreSQL database enqueue the compactions that will soon be due. They make them themselves, unless gateway.jobs is `worker`: then only workers do, in processes of their own, with the same configuration as the gateways. Any number of workers can run. A compaction whose worker dies goes to another one.",
    "With --port it answers /healthz (it runs), /readyz (it reaches its database) and, with the operator's token, /metrics.",
    "Runs until it is interrupted. Without a worker nothing is lost: a gateway compacts a conversation itself when it is due. See docs/deployment.md.",
  ],
  examples: {
    "precis worker --store postgres://precis@db.example.com/precis": "work for the gateways on this database",
    "precis worker --config /etc/precis/cluster.yaml --json": "with the gateways' own configuration",
    "precis worker --config /etc/precis/cluster.yaml --port 4021": "with probes and metrics",
  },
  args: ARGS,
  run: work,
};

async function work(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const atOnceText = args.text("at-once");
  const atOnce = atOnceText === undefined ? AT_ONCE : parseWhole(atOnceText, "--at-once", AT_ONCE_MAX);
  const port = parsePort(args.text("port"));
  const loaded = await resolveAll(configurationRequest(args, terminal, LOGGING_SETTINGS));
  if (loaded.problems.length > 0) throw configurationError(loaded.problems);
  return withEngine(loaded.configuration, terminal, async (engine) => {
    const opened = await openConfiguredStore(loaded.configuration, terminal);
    try {
      return await workWith(opened, { loaded, terminal, engine, atOnce, port });
    } finally {
      await opened.store.close();
    }
  });
}

interface WorkOptions {
  readonly loaded: Loaded;
  readonly terminal: Terminal;
  readonly engine: PluginSource | string;
  readonly atOnce: number;
  readonly port: number | undefined;
}

const PORT_MAX = 65_535;

function parsePort(text: string | undefined): number | undefined {
  if (text === undefined || text === "0") return text === undefined ? undefined : 0;
  return parseWhole(text, "--port", PORT_MAX);
}

async function workWith(opened: OpenedStore, how: WorkOptions): Promise<ExitCode> {
  const { loaded, terminal, engine, atOnce, port } = how;
  const { configuration } = loaded;
  const { store, shown, broken } = opened;
  if (broken !== undefined) throw broken;
  if (store.jobs === undefined) throw withoutQueue(configuration, shown);
  const tenants = configuredTenants(configuration, terminal);
  const options = { ...(await gatewayOptions(loaded, terminal.environment, engine)), ...tenants };
  const log = createWorkerLog(configuration, terminal, createRedactor(options.secrets));
  const interrupted = interruption();
  const checkStore = () => store.checkWritable();
  const { openWorkerPort } = await import("../gateway/port.ts");
  const served = port === undefined ? undefined : await openWorkerPort({ port, configuration, terminal, checkStore });
  const onEvent: EmitEvent = (event) => {
    served?.onEvent(event);
    log.onEvent(event);
  };
  try {
    const worker = await createWorker({ ...options, store, onEvent }, { queue: store.jobs, atOnce });
    try {
      await log.begun({ store: shown, atOnce, url: served?.url });
      await interrupted;
    } finally {
      served?.stopping();
      await worker.stop();
    }
  } finally {
    await served?.close();
    log.flush();
  }
  return EXIT.done;
}

interface Begun {
  readonly store: string;
  readonly atOnce: number;
  readonly url: string | undefined;
}

interface WorkerLog {
  readonly onEvent: EmitEvent;
  readonly begun: (begun: Begun) => Promise<void>;
  readonly flush: () => void;
}

function createWorkerLog({ gateway: { log } }: Configuration, { out, err }: Terminal, redact: Redactor): WorkerLog {
  const lines = lineWriter(log === "json" ? out : err);
  if (log === "json") {
    const json = createLog({ write: lines.write, redact });
    return {
      onEvent: json.onEvent,
      begun: async (begun) => {
        json.say("working", { ...begun, version: version() });
        lines.flush();
      },
      flush: lines.flush,
    };
  }
  const pretty: EmitEvent = (event) => lines.write(err.fit(eventLine(event, { stream: err, redact, now: Date.now })));
  return {
    onEvent: log === "off" ? () => undefined : pretty,
    begun: ({ store, atOnce, url }) =>
      err.say(
        `Working on the compactions in ${store}, at most ${atOnce} at a time.\n${url === undefined ? "" : `Health and metrics: ${url}/healthz, ${url}/metrics\n`}`,
      ),
    flush: lines.flush,
  };
}

function withoutQueue({ gateway, redaction }: Configuration, shown: string): PrecisError {
  if (gateway.jobs === "off")
    return usageError("gateway.jobs is `off`: nothing is enqueued", "Set gateway.jobs to `worker`.");
  if (redaction.stored)
    return usageError(
      "redaction.stored is on: conversations are stored masked, and only their gateway can compact them",
      "Let the gateways do it, or set redaction.stored to false.",
    );
  return usageError(
    `${shown} is no database that gateways share, so there is nothing to work on`,
    "Name one with --store postgres://USER@HOST/DATABASE, or with gateway.store.",
  );
}
