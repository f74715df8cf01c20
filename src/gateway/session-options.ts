/** What every session of a gateway is made with, whoever makes it: a request, or an operator. */
import { statedCompaction, type Registry } from "../models/registry/registry.ts";
import type { ModelPolicy, RuntimeOptions } from "../session/contract.ts";

export interface SessionSettings {
  readonly engine?: NonNullable<RuntimeOptions["engine"]>;
  /** The window and what an answer reserves follow from each request. */
  readonly settings?: NonNullable<RuntimeOptions["settings"]>;
  /** Says of single models how their conversations are compacted, beside what is known of them. */
  readonly registry?: Registry;
  /** Models that write handoffs while nobody waits; without one code writes them. */
  readonly writers?: NonNullable<RuntimeOptions["writers"]>;
  readonly secrets?: NonNullable<RuntimeOptions["secrets"]>;
  readonly redactOutgoing?: boolean;
  /** Tool results above this many tokens are digested as they arrive; 0 leaves them. */
  readonly ingestLimitTokens?: number;
  /** Whether models may start a compaction themselves, with a tool that the gateway answers. */
  readonly compactTool?: NonNullable<RuntimeOptions["compactTool"]>;
  readonly roomTool?: NonNullable<RuntimeOptions["roomTool"]>;
  /** Reads files of an agent on this machine again, as `readFilesIn` of `precis` does. */
  readonly readFile?: NonNullable<RuntimeOptions["readFile"]>;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** Undefined where the registry says nothing of the model. */
export function policyOf(registry: Registry, model: string): ModelPolicy | undefined {
  const { threshold: share, ...rest } = statedCompaction(registry, model) ?? {};
  return share === undefined ? rest : { ...rest, sessionThreshold: { share } };
}

/** The note goes where it costs no cache, unless the settings say otherwise. */
export function sessionOptions(given: SessionSettings) {
  const { engine, settings, writers, secrets, redactOutgoing, ingestLimitTokens, compactTool, readFile, now } = given;
  const { registry, roomTool } = given;
  return {
    settings: { note: "handoff" as const, ...settings },
    ...(engine === undefined ? {} : { engine }),
    ...(registry === undefined ? {} : { perModel: (model: string) => policyOf(registry, model) }),
    ...(writers === undefined ? {} : { writers }),
    ...(secrets === undefined ? {} : { secrets }),
    ...(redactOutgoing === undefined ? {} : { redactOutgoing }),
    ...(ingestLimitTokens === undefined ? {} : { ingestLimitTokens }),
    ...(compactTool === undefined ? {} : { compactTool }),
    ...(roomTool === undefined ? {} : { roomTool }),
    ...(readFile === undefined ? {} : { readFile }),
    ...(now === undefined ? {} : { now }),
  };
}
