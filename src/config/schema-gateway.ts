/** The settings of `precis serve`: where it listens, where it forwards, what it keeps, and the limits a person may want. */
import { z } from "zod";
import { VENDORS } from "../core/protocols.ts";
import { DEFAULTS } from "./defaults.ts";

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

/** A name and a password before the host: they would be sent on, and shown wherever the address is. */
function hasCredentials(url: string): boolean {
  return /^[a-z]+:\/\/[^/?#]*@/i.test(url);
}

function seconds(standard: number) {
  return z.number().min(0.1).max(WAIT_SECONDS_MAX).default(standard);
}

function megabytes(standard: number) {
  return z.int().min(1).max(BODY_MB_MAX).default(standard);
}

const limitsSection = z
  .strictObject({
    body_mb: megabytes(gateway.limits.body_mb).meta({
      description: "Larger request bodies are refused with a 413.",
      examples: [64],
    }),
    answer_seconds: seconds(gateway.limits.answer_seconds).meta({
      description: "Maximum time until a provider begins its answer, and between two parts of it.",
      examples: [600],
    }),
    store_mb: z
      .int()
      .min(1)
      .nullable()
      .default(gateway.limits.store_mb)
      .meta({
        description:
          "Maximum size of the store's file. Before it is full, the least recently used conversations are deleted; `null` means no limit.",
        examples: [2_048],
      }),
    drain_seconds: seconds(gateway.limits.drain_seconds).meta({
      description: "How long answers in progress may continue when the gateway is stopped.",
      examples: [10],
    }),
  })
  .prefault({})
  .meta({ description: "Limits of the gateway; docs/gateway.md lists more." });

export const gatewaySection = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .default(gateway.host)
      .meta({
        description: "The address to listen on. One that other machines can reach needs `token_env`.",
        examples: ["127.0.0.1"],
      }),
    port: z
      .int()
      .min(0)
      .max(PORT_MAX)
      .default(gateway.port)
      .meta({ description: "The port to listen on; 0 for any free one.", examples: [4020] }),
    upstreams: z
      .record(z.string().regex(UPSTREAM_NAME), upstream)
      .default(gateway.upstreams)
      .meta({
        description:
          "Where requests are sent, by a name of your choice: `url`; `protocol` (`openai`, `anthropic` or `google`) if it serves only that vendor's routes; and `caching` (`native`, `openrouter`, `openai`, or `off`) if its address does not tell which cache markers it accepts.",
        examples: [{ local: { url: "http://127.0.0.1:8080" } }],
        "x-expects": "a mapping of names to addresses",
      }),
    store: z
      .string()
      .min(1)
      .refine((address) => !STORE_PASSWORD.test(address), "an address without a password")
      .nullable()
      .default(gateway.store)
      .meta({
        description:
          "What keeps conversations: a file, `memory` to keep nothing on disk, or `postgres://USER@HOST/DATABASE` (its password in `PGPASSWORD` or `~/.pgpass`). By default `precis/history.db` in your data folder (`$XDG_DATA_HOME` or `~/.local/share`; on Windows `%LOCALAPPDATA%`).",
        examples: ["memory", "postgres://precis@db.example.com/precis"],
        "x-expects": "a file, `memory`, or a `postgres://` address without a password, or `null`",
      }),
    store_key_env: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
      .nullable()
      .default(gateway.store_key_env)
      .meta({
        description:
          "The environment variable with a key of 32 bytes, as base64 or hexadecimal, with which a new store is encrypted (docs/store.md).",
        examples: ["PRECIS_STORE_KEY"],
      }),
    retention_days: z
      .int()
      .min(1)
      .max(RETENTION_DAYS_MAX)
      .nullable()
      .default(gateway.retention_days)
      .meta({
        description: "Conversations that were not used for this many days are deleted; `null` keeps them forever.",
        examples: [30],
      }),
    jobs: z.enum(["gateway", "worker", "off"]).default(gateway.jobs).meta({
      description:
        "Who makes compactions in the background, if the store is a PostgreSQL database. `gateway`: the gateways, from a shared queue; `worker`: only `precis worker`; `off`: each gateway its own.",
    }),
    tenant: z
      .string()
      .regex(/^[A-Za-z0-9_.@-]{1,64}$/)
      .default(gateway.tenant)
      .meta({
        description:
          "Who shares compactions. `auto`: one tenant on this machine, and one for each API key if other machines can connect; `per_key`: one for each API key; any other name: one tenant for all.",
        examples: ["per_key"],
        "x-expects": "`auto`, `per_key` or a name",
      }),
    tenants_file: z
      .string()
      .min(1)
      .nullable()
      .default(gateway.tenants_file)
      .meta({
        description: "A YAML file with the tenants, the SHA-256 of their keys, and their limits (docs/tenants.md).",
        examples: ["/etc/precis/tenants.yaml"],
      }),
    chat_commands: z
      .string()
      .regex(COMMAND_PREFIX)
      .nullable()
      .default(gateway.chat_commands)
      .meta({
        description:
          "The word that opens a command in the conversation, for example `/precis` for `/precis compact` (docs/gateway.md).",
        examples: ["/precis"],
        "x-expects": "one word such as `/precis`, or `null`",
      }),
    on_fault: z.enum(["pass", "refuse"]).default(gateway.on_fault).meta({
      description: "What happens to a request if precis itself fails: it is forwarded unchanged, or refused.",
    }),
    log: z.enum(["pretty", "json", "off"]).default(gateway.log).meta({
      description: "One line per request: for people on standard error, or as JSON on standard output.",
    }),
    allowed_hosts: z
      .array(z.string().regex(HOST))
      .readonly()
      .default(gateway.allowed_hosts)
      .meta({
        description:
          "Additional host names of the gateway, and sites whose pages may call it. Others are refused. If other machines can connect, every name is accepted until some are listed.",
        examples: [["precis.example.com", "localhost:3000"]],
      }),
    token_env: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
      .nullable()
      .default(gateway.token_env)
      .meta({
        description:
          "The environment variable with your own token for metrics, API and dashboard, instead of the one that `precis token` prints.",
        examples: ["PRECIS_TOKEN"],
      }),
    limits: limitsSection,
  })
  .prefault({})
  .meta({ description: "The gateway that `precis serve` runs." });
