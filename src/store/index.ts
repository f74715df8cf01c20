/** `precis/store`: histories in memory and in an SQLite file, behind one interface. */
import "../platform/refuse-old-node.ts";
export { createMemoryStore } from "./memory.ts";
export { openStore, type OpenOptions } from "./open.ts";
export { openSqliteStore, type SqliteOptions, type SqliteStore } from "./sqlite.ts";
export type {
  Appended,
  ChainAppend,
  ClockOptions,
  CompactionEntry,
  HistoryStore,
  Holdings,
  MessageHit,
  Original,
  Retention,
  SearchHit,
  SessionEntry,
  SessionsQuery,
  ActiveCompaction,
  Store,
  StoredMessage,
  TenantEntry,
  UsageEntry,
  UsageTotals,
} from "./store.ts";
export type { QueueLimits } from "./gate.ts";
