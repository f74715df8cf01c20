/** Hooks of an operator: commands and addresses that are called before and after a compaction, from outside the process. */
import type { Hooks } from "../contract.ts";

export interface OperatorHookSettings {
  /** Each a command line for the shell, or an http(s) address. Called before an attempt to compact, which waits for them. */
  readonly beforeCompact?: readonly string[];
  /** Called when a compaction is recorded; nothing waits for them. */
  readonly afterCompact?: readonly string[];
  /** How long each may take, in milliseconds; 10 seconds by default. */
  readonly timeoutMs?: number;
  /** What commands find in their environment; by default this process's, in either case without secrets. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** How addresses are called; by default the global `fetch`. */
  readonly fetch?: typeof fetch;
}

export const HOOK_LIMITS = Object.freeze({
  /** How long one hook may take where nothing else is set. */
  timeoutMs: 10_000,
  /** Hooks that run at the same time; further ones are not run, which is reported. */
  atOnce: 16,
  /** What a hook receives, in bytes; messages are left out of anything larger. */
  dataBytes: 32 * 1024 * 1024,
  /** What is read of a command's standard error, in characters. */
  errorChars: 2_000,
});

/** A hook that failed. It never stops a compaction. */
export interface HookFailure {
  /** One line without content: which hook, and what happened. */
  readonly message: string;
  /** The last line of a command's standard error, without secrets; may quote the conversation. */
  readonly detail?: string;
}

/** The session that a compaction belongs to. */
export interface HookSession {
  readonly tenant: string;
  readonly model: string;
  readonly onFailure: (failure: HookFailure) => void;
}

export interface OperatorHooks {
  /** The same hooks as a session calls them. They never throw. */
  readonly forSession: (session: HookSession) => Hooks;
  /** When none runs. */
  readonly settled: () => Promise<void>;
}
