/** What requests took, as their providers reported it, and plain data by name. */
import type { UsageEntry, UsageTotals } from "../store.ts";
import type { TenantData } from "./tenant-data.ts";

export function findUsage({ usages }: TenantData, links: readonly string[]): UsageEntry | undefined {
  const newest = new Map(usages.map((usage) => [usage.link, usage]));
  const link = links.findLast((one) => newest.has(one));
  return link === undefined ? undefined : newest.get(link);
}

export function listUsage({ usages }: TenantData, links: readonly string[]): readonly UsageEntry[] {
  const wanted = new Set(links);
  return usages.filter(({ link }) => wanted.has(link));
}

export function totalUsage({ usages }: TenantData, since: number): UsageTotals {
  const total = { requests: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0 };
  for (const { input, output, cacheRead, cacheWrite, costUsd = 0, at } of usages) {
    if (at < since) continue;
    total.requests++;
    total.input += input;
    total.output += output;
    total.cacheRead += cacheRead;
    total.cacheWrite += cacheWrite;
    total.costUsd += costUsd;
  }
  return total;
}

export function putState({ states }: TenantData, root: string, { state, now }: { state: unknown; now: number }): void {
  states.set(root, { text: JSON.stringify(state), updatedAt: now });
}

export function getState({ states }: TenantData, root: string): unknown {
  const state = states.get(root);
  return state === undefined ? undefined : (JSON.parse(state.text) as unknown);
}
