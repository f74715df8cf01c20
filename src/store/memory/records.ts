/** Compaction records: the first of a link is in effect until it is undone. */
import { COMPACTION_SCHEMA_VERSION, type Compaction } from "../../core/compaction/compaction.ts";
import type { CompactionEntry, ActiveCompaction } from "../store.ts";
import type { RecordsOfLink, TenantData } from "./tenant-data.ts";

export function put({ records }: TenantData, compaction: Compaction, now: number): Compaction {
  const { covers, schemaVersion } = compaction;
  const ofLink = records.get(covers) ?? { all: [], undone: 0, usedAt: now };
  records.set(covers, ofLink);
  const first = standing(ofLink, schemaVersion);
  if (first !== undefined) return first;
  ofLink.all.push({ compaction, createdAt: now });
  return compaction;
}

export function latestRecordFor({ records }: TenantData, links: readonly string[], now: number): ActiveCompaction {
  let undone = false;
  let found: Compaction | undefined;
  for (let at = links.length - 1; at >= 0 && records.size > 0; at--) {
    const ofLink = records.get(links[at]!);
    if (ofLink === undefined) continue;
    // What is below the one that is found is in use too: its originals are still named.
    ofLink.usedAt = now;
    if (found !== undefined) continue;
    found = standing(ofLink, COMPACTION_SCHEMA_VERSION);
    if (found === undefined && ofLink.undone > 0) undone = true;
  }
  return found === undefined ? { undone } : { compaction: found, undone };
}

export function listRecords({ records }: TenantData, links: readonly string[]): readonly CompactionEntry[] {
  return links.flatMap((link) => {
    const { all = [], undone = 0 } = records.get(link) ?? {};
    return all
      .map((one, at): CompactionEntry => ({ ...one, undone: at < undone }))
      .filter(({ compaction }) => compaction.schemaVersion === COMPACTION_SCHEMA_VERSION);
  });
}

export function undo({ records }: TenantData, link: string): void {
  const ofLink = records.get(link);
  if (ofLink !== undefined) ofLink.undone = ofLink.all.length;
}

function standing({ all, undone }: RecordsOfLink, schemaVersion: number): Compaction | undefined {
  return all.slice(undone).find(({ compaction }) => compaction.schemaVersion === schemaVersion)?.compaction;
}
