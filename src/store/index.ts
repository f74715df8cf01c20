/** `precis/store`: histories in memory, in an SQLite file and in a PostgreSQL database, behind one interface. */
import "../platform/refuse-old-node.ts";
export { createMemoryStore } from "./memory.ts";
export { openStore, type OpenOptions } from "./open.ts";
export { openSqliteStore, type SqliteOptions } from "./sqlite.ts";
export type {
  Appended,
  ChainAppend,
  ClockOptions,
  CompactionEntry,
  HistoryStore,
  Holdings,
  Job,
  JobQueue,
  JobWork,
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
} from "./store.ts";
export type { QueueLimits } from "./gate.ts";
