/** The settings of `precis serve`: where it listens, where it forwards, what it keeps, and the limits a person may want. */
import { z } from "zod";
import { VENDORS } from "../core/protocols.ts";
import { DEFAULTS } from "./defaults.ts";
import { section, setting, VARIABLE } from "./schema-models.ts";

const { gateway } = DEFAULTS;

const PORT_MAX = 65_535;
const BODY_MB_MAX = 1_024;
/** Node's timers go no further than 24 days; an hour is longer than any provider keeps silent. */
const WAIT_SECONDS_MAX = 3_600;

const RETENTION_DAYS_MAX = 36_500;

/** Names are in paths and in metrics. */
const UPSTREAM_NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/;

/** One word, so that nothing of it is escaped in JSON but a slash. */
const COMMAND_PREFIX = /^[/!.@#%+~$&=]?[A-Za-z0-9][A-Za-z0-9_:-]{1,30}$/;

/** A host with or without a port, as it is in a Host header. */
const HOST = /^(?:[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,252})|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

const upstream = z.strictObject({
  url: z
    .url({ protocol: /^https?$/ })
    .refine((url) => !hasCredentials(url) && !/[?#]/.test(url), "an address without credentials, query or fragment"),
  protocol: z.enum(VENDORS).optional(),
  caching: z.enum(["auto", "native", "openrouter", "openai", "off"]).optional(),
});

export const UPSTREAM_FIELDS: readonly string[] = Object.keys(upstream.shape);

/** Of the address of a database; it would be shown wherever the address is. */
export const STORE_PASSWORD = /^postgres(?:ql)?:(?:\/\/[^/@]*:[^/]*@|.*[?&]password=)/;

const STORE = z
  .string()
  .min(1)
  .refine((address) => !STORE_PASSWORD.test(address), "an address without a password");

/** A name and a password before the host: they would be sent on, and shown wherever the address is. */
function hasCredentials(url: string): boolean {
  return /^[a-z]+:\/\/[^/?#]*@/i.test(url);
}

const SECONDS = z.number().min(0.1).max(WAIT_SECONDS_MAX);

const limitsSection = section("Limits of the gateway; docs/gateway.md lists more.", {
  body_mb: setting(z.int().min(1).max(BODY_MB_MAX), gateway.limits.body_mb, {
    description: "Larger request bodies are refused with a 413.",
    examples: [64],
  }),
  answer_seconds: setting(SECONDS, gateway.limits.answer_seconds, {
    description: "Maximum time until a provider begins its answer, and between two parts of it.",
    examples: [600],
  }),
  store_mb: setting(z.int().min(1).nullable(), gateway.limits.store_mb, {
    description:
      "Maximum size of the store's file. Before it is full, the least recently used conversations are deleted; `null` means no limit.",
    examples: [2_048],
  }),
  drain_seconds: setting(SECONDS, gateway.limits.drain_seconds, {
    description: "How long answers in progress may continue when the gateway is stopped.",
    examples: [10],
  }),
});

export const gatewaySection = section("The gateway that `precis serve` runs.", {
  host: setting(z.string().min(1), gateway.host, {
    description: "The address to listen on. One that other machines can reach needs `token_env`.",
    examples: ["127.0.0.1"],
  }),
  port: setting(z.int().min(0).max(PORT_MAX), gateway.port, {
    description: "The port to listen on; 0 for any free one.",
    examples: [4020],
  }),
  upstreams: setting(z.record(z.string().regex(UPSTREAM_NAME), upstream), gateway.upstreams, {
    description:
      "Where requests are sent, by a name of your choice: `url`; `protocol` (`openai`, `anthropic` or `google`) if it serves only that vendor's routes; and `caching` (`native`, `openrouter`, `openai`, or `off`) if its address does not tell which cache markers it accepts.",
    examples: [{ local: { url: "http://127.0.0.1:8080" } }],
    "x-expects": "a mapping of names to addresses",
  }),
  store: setting(STORE.nullable(), gateway.store, {
    description:
      "What keeps conversations: a file, `memory` to keep nothing on disk, or `postgres://USER@HOST/DATABASE` (its password in `PGPASSWORD` or `~/.pgpass`). By default `precis/history.db` in your data folder (`$XDG_DATA_HOME` or `~/.local/share`; on Windows `%LOCALAPPDATA%`).",
    examples: ["memory", "postgres://precis@db.example.com/precis"],
    "x-expects": "a file, `memory`, or a `postgres://` address without a password, or `null`",
  }),
  store_key_env: setting(VARIABLE, gateway.store_key_env, {
    description:
      "The environment variable with a key of 32 bytes, as base64 or hexadecimal, with which a new store is encrypted (docs/store.md).",
    examples: ["PRECIS_STORE_KEY"],
  }),
  retention_days: setting(z.int().min(1).max(RETENTION_DAYS_MAX).nullable(), gateway.retention_days, {
    description: "Conversations that were not used for this many days are deleted; `null` keeps them forever.",
    examples: [30],
  }),
  jobs: setting(z.enum(["gateway", "worker", "off"]), gateway.jobs, {
    description:
      "Who makes compactions in the background, if the store is a PostgreSQL database. `gateway`: the gateways, from a shared queue; `worker`: only `precis worker`; `off`: each gateway its own.",
  }),
  tenant: setting(z.string().regex(/^[A-Za-z0-9_.@-]{1,64}$/), gateway.tenant, {
    description:
      "Who shares compactions. `auto`: one tenant on this machine, and one for each API key if other machines can connect; `per_key`: one for each API key; any other name: one tenant for all.",
    examples: ["per_key"],
    "x-expects": "`auto`, `per_key` or a name",
  }),
  tenants_file: setting(z.string().min(1).nullable(), gateway.tenants_file, {
    description: "A YAML file with the tenants, the SHA-256 of their keys, and their limits (docs/tenants.md).",
    examples: ["/etc/precis/tenants.yaml"],
  }),
  chat_commands: setting(z.string().regex(COMMAND_PREFIX).nullable(), gateway.chat_commands, {
    description:
      "The word that opens a command in the conversation, for example `/precis` for `/precis compact` (docs/gateway.md).",
    examples: ["/precis"],
    "x-expects": "one word such as `/precis`, or `null`",
  }),
  on_fault: setting(z.enum(["pass", "refuse"]), gateway.on_fault, {
    description: "What happens to a request if precis itself fails: it is forwarded unchanged, or refused.",
  }),
  log: setting(z.enum(["pretty", "json", "off"]), gateway.log, {
    description: "One line per request: for people on standard error, or as JSON on standard output.",
  }),
  allowed_hosts: setting(z.array(z.string().regex(HOST)).readonly(), gateway.allowed_hosts, {
    description:
      "Additional host names of the gateway, and sites whose pages may call it. Others are refused. If other machines can connect, every name is accepted until some are listed.",
    examples: [["precis.example.com", "localhost:3000"]],
  }),
  token_env: setting(VARIABLE, gateway.token_env, {
    description:
      "The environment variable with your own token for metrics, API and dashboard, instead of the one that `precis token` prints.",
    examples: ["PRECIS_TOKEN"],
  }),
  limits: limitsSection,
});
