/**
 * What one tenant may spend on summaries in a day (UTC). Above it no model is asked for it, and code writes its handoffs. The
 * processes on one store share the sums: each keeps its own part, next to the parts of the others.
 */
import { randomUUID } from "node:crypto";
import type { SharedBudget } from "../../session/events.ts";
import type { HistoryStore } from "../../store/store.ts";
import type { EmitEvent } from "../contract.ts";
import type { TenantLimitSettings } from "./directory.ts";

export interface TenantSpend {
  readonly budgetOf: (tenant: string) => SharedBudget;
}

export interface TenantSpendParts {
  readonly store: Pick<HistoryStore, "getState" | "putState">;
  readonly limitsOf: (tenant: string) => TenantLimitSettings;
  readonly onEvent: EmitEvent;
  readonly now: () => number;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
const TENANTS_MAX = 10_000;
/** What other processes have spent is read this often. */
const REFRESH_MS = 10_000;
/** Processes whose parts of a day are kept apart; of more, the oldest are one. */
const PROCESSES_MAX = 256;
const JOINED = "earlier";

/** By process, in US dollars. */
type Parts = Readonly<Record<string, number>>;

interface Account {
  day: number;
  own: number;
  others: Parts;
  readAt: number;
  isUsedUp: boolean;
  writing: Promise<void>;
}

export function createTenantSpend({ store, limitsOf, onEvent, now }: TenantSpendParts): TenantSpend {
  const process = randomUUID();
  const accounts = new Map<string, Account>();
  const accountOf = (tenant: string): Account => {
    const day = Math.floor(now() / DAY_MS);
    const known = accounts.get(tenant);
    const account =
      known?.day === day
        ? known
        : { day, own: 0, others: {}, readAt: -Infinity, isUsedUp: false, writing: Promise.resolve() };
    accounts.delete(tenant);
    accounts.set(tenant, account);
    if (accounts.size > TENANTS_MAX) accounts.delete(accounts.keys().next().value!);
    return account;
  };
  const refresh = async (tenant: string, account: Account): Promise<void> => {
    account.readAt = now();
    const { [process]: _, ...others } = parseParts(await store.getState(tenant, stateName(account)));
    account.others = others;
  };
  const write = async (tenant: string, account: Account): Promise<void> => {
    await refresh(tenant, account);
    await store.putState(tenant, stateName(account), { ...bounded(account.others), [process]: account.own });
  };
  const withheld = (tenant: string): string | undefined => {
    const { summariesUsdPerDay: limit = Infinity } = limitsOf(tenant);
    if (limit === Infinity) return undefined;
    const account = accountOf(tenant);
    if (now() - account.readAt >= REFRESH_MS) void refresh(tenant, account).catch(() => undefined);
    const spent = account.own + sum(account.others);
    if (spent < limit) return void (account.isUsedUp = false);
    const because = `the tenant has spent $${spent.toFixed(2)} on summaries today; its limit is $${limit.toFixed(2)}`;
    if (!account.isUsedUp) onEvent({ kind: "notice", code: "tenant_limit", tenant, message: because });
    account.isUsedUp = true;
    return because;
  };
  return {
    budgetOf: (tenant) => ({
      withheld: () => withheld(tenant),
      spent: (costUsd) => {
        if (costUsd <= 0 || limitsOf(tenant).summariesUsdPerDay === undefined) return;
        const account = accountOf(tenant);
        account.own += costUsd;
        // What cannot be written now is written with what is spent next.
        account.writing = account.writing.then(() => write(tenant, account)).catch(() => undefined);
      },
    }),
  };
}

function stateName({ day }: Account): string {
  return `spent ${new Date(day * DAY_MS).toISOString().slice(0, 10)}`;
}

function bounded(parts: Parts): Parts {
  const all = Object.entries(parts);
  const joined = all.slice(0, Math.max(0, all.length - PROCESSES_MAX));
  if (joined.length === 0) return parts;
  const rest = all.filter(([name]) => name !== JOINED).slice(joined.length);
  return { [JOINED]: sum(parts) - sum(Object.fromEntries(rest)), ...Object.fromEntries(rest) };
}

function sum(parts: Parts): number {
  return Object.values(parts).reduce((total, one) => total + one, 0);
}

function parseParts(state: unknown): Parts {
  const entries = Object.entries((state ?? {}) as Readonly<Record<string, unknown>>);
  return Object.fromEntries(entries.filter((entry): entry is [string, number] => typeof entry[1] === "number"));
}
