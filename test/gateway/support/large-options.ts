/** What a thread for large requests makes its gateway with, in tests: the options as data, on a history in a file. */
import type { GatewayOptions } from "../../../src/gateway/index.ts";
import type { ThreadSource } from "../../../src/gateway/large/messages.ts";
import type { ThreadOptions } from "../../../src/gateway/large/module.ts";
import { openSqliteStore } from "../../../src/store/index.ts";

export interface LargeData {
  readonly path: string;
  readonly options: GatewayOptions;
  /** The thread ends as soon as it starts. */
  readonly dies?: boolean;
}

export function largeSource(data: LargeData): ThreadSource {
  return { module: import.meta.url, data };
}

export async function openOptions({ path, options, dies = false }: LargeData): Promise<ThreadOptions> {
  if (dies) throw new Error("This thread does not start.");
  const store = await openSqliteStore({ path });
  return { options: { ...options, store }, close: store.close };
}
