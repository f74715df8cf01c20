/** What a thread for large requests makes its gateway with, in tests: the options as data, on a history in a file. */
import type { GatewayOptions } from "../../../src/gateway/index.ts";
import type { ThreadSource } from "../../../src/gateway/large/messages.ts";
import type { ThreadOptions } from "../../../src/gateway/large/module.ts";
import { openSqliteStore } from "../../../src/store/index.ts";

/** Takes longer than anybody waits. */
const SLOW = /^(?:a+)+$/;
const text = `${"a".repeat(60)}b`;

export interface LargeData {
  readonly path: string;
  readonly options: GatewayOptions;
  /** The thread ends as soon as it starts. */
  readonly dies?: boolean;
  /** Whatever is read of this tenant takes for ever, and the thread with it. */
  readonly stuckOver?: string;
}

export function largeSource(data: LargeData): ThreadSource {
  return { module: import.meta.url, data };
}

export async function openOptions({ path, options, dies = false, stuckOver }: LargeData): Promise<ThreadOptions> {
  if (dies) throw new Error("This thread does not start.");
  const file = await openSqliteStore({ path });
  const stuck = <Call extends (tenant: string, ...rest: never[]) => unknown>(call: Call): Call =>
    ((tenant, ...rest) => {
      if (tenant === stuckOver) for (;;) SLOW.test(text);
      return call(tenant, ...rest);
    }) as Call;
  const store = { ...file, findCompaction: stuck(file.findCompaction), getState: stuck(file.getState) };
  return { options: { ...options, store }, close: file.close };
}
