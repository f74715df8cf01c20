/**
 * The operator's hooks as a session calls them. All of one moment run at the same time, each within its time limit; one
 * that fails is reported and stops nothing.
 */
import { createRedactor, type Redactor } from "../../core/redaction/redactor.ts";
import type { RedactOptions } from "../../core/redaction/redact.ts";
import type { Hooks } from "../contract.ts";
import {
  HOOK_LIMITS,
  type HookFailure,
  type HookSession,
  type OperatorHooks,
  type OperatorHookSettings,
} from "./contract.ts";
import { afterText, beforeText, type HookHeading } from "./payload.ts";
import { runHook, type HookFault } from "./run-hook.ts";

interface Running {
  readonly settings: OperatorHookSettings;
  readonly redact: Redactor;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly active: Set<Promise<unknown>>;
}

/** Undefined where no hook is set. */
export function createOperatorHooks(
  settings: OperatorHookSettings | undefined,
  secrets?: RedactOptions,
): OperatorHooks | undefined {
  const { beforeCompact = [], afterCompact = [], environment = process.env } = settings ?? {};
  if (settings === undefined || beforeCompact.length + afterCompact.length === 0) return undefined;
  const redact = createRedactor(secrets);
  const active = new Set<Promise<unknown>>();
  const running: Running = { settings, redact, active, environment: withoutSecrets(environment, redact) };
  return {
    forSession: (session) => hooksOf(running, session),
    settled: async () => {
      while (active.size > 0) await Promise.all(active);
    },
  };
}

function hooksOf(running: Running, session: HookSession): Hooks {
  const { beforeCompact = [], afterCompact = [] } = running.settings;
  const { redact } = running;
  const { tenant, model } = session;
  const heading = (event: HookHeading["event"]): HookHeading => ({ event, tenant, model });
  return {
    ...(beforeCompact.length === 0
      ? {}
      : {
          beforeCompact: (messages) =>
            runAll(running, session, "before_compact", () => beforeText(heading("before_compact"), messages, redact)),
        }),
    ...(afterCompact.length === 0
      ? {}
      : {
          afterCompact: (compaction, change) => {
            const data = (): string => afterText(heading("after_compact"), { compaction, change }, redact);
            void runAll(running, session, "after_compact", data);
          },
        }),
  };
}

async function runAll(
  running: Running,
  { onFailure }: HookSession,
  event: HookHeading["event"],
  dataOf: () => string,
): Promise<void> {
  const { settings, active, environment, redact } = running;
  const hooks = (event === "before_compact" ? settings.beforeCompact : settings.afterCompact) ?? [];
  const { timeoutMs = HOOK_LIMITS.timeoutMs, fetch: call = fetch } = settings;
  const report = (at: number, fault: HookFault): void =>
    onFailure(failureOf(hooks.length === 1 ? `hooks.${event}` : `hooks.${event}[${at}]`, fault, redact));
  let data: string;
  try {
    data = dataOf();
  } catch {
    return hooks.forEach((_, at) =>
      report(at, { because: "was not run: what it is told could not be written as JSON" }),
    );
  }
  const runs = hooks.map(async (hook, at) => {
    if (active.size >= HOOK_LIMITS.atOnce)
      return report(at, { because: `was not run: ${HOOK_LIMITS.atOnce} hooks are running, which is the limit` });
    const run = runHook({ hook, data, timeoutMs, environment, fetch: call });
    active.add(run);
    const fault = await run.finally(() => active.delete(run));
    if (fault !== undefined) report(at, fault);
  });
  await Promise.all(runs);
}

function failureOf(name: string, { because, errorText = "" }: HookFault, redact: Redactor): HookFailure {
  const detail = redact(errorText).trimEnd().split("\n").at(-1)?.trim() ?? "";
  return { message: `the hook ${name} ${because}`, ...(detail === "" ? {} : { detail }) };
}

/** A variable whose name or value looks like a secret is not handed on. */
function withoutSecrets(
  environment: Readonly<Record<string, string | undefined>>,
  redact: Redactor,
): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => redact(`${name}=${value}`) === `${name}=${value}`),
  );
}
