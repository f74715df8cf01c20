/**
 * The operator's hooks as a session calls them. All of one moment run at the same time, each within its time limit; one
 * that fails is reported and stops nothing.
 */
import { createRedactor, type Redactor, redactJson } from "../../core/redaction/redactor.ts";
import type { RedactOptions } from "../../core/redaction/redact.ts";
import type { Hooks, Change } from "../contract.ts";
import type { Compaction } from "../../core/compaction/compaction.ts";
import { redactMessage } from "../../core/passes/redact-messages.ts";
import type { MediaSource, Message, Part } from "../../core/transcript/message.ts";
import { spawn, type ChildProcess } from "node:child_process";
import { startTimeLimit, unlessAborted } from "../time-limit.ts";

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
    forSession: (session) => makeHooks(running, session),
    settled: async () => {
      while (active.size > 0) await Promise.all(active);
    },
  };
}

function makeHooks(running: Running, session: HookSession): Hooks {
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
    onFailure(describeFailure(hooks.length === 1 ? `hooks.${event}` : `hooks.${event}[${at}]`, fault, redact));
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

function describeFailure(name: string, { because, errorText = "" }: HookFault, redact: Redactor): HookFailure {
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

/** Common to all that hooks receive. */
interface HookHeading {
  readonly event: "before_compact" | "after_compact";
  readonly tenant: string;
  readonly model: string;
}

function beforeText(heading: HookHeading, messages: readonly Message[], redact: Redactor): string {
  const plainHeading = { ...heading, model: redact(heading.model) };
  return withinLimit(
    () => ({ ...plainHeading, messages: messages.map((message) => plainMessage(message, redact)) }),
    () => ({ ...plainHeading, messages: [], messagesLeftOut: messages.length }),
  );
}

/** The state of the engine is left out, which is nobody else's, and so are originals: `precis recall` has these. */
function afterText(
  heading: HookHeading,
  { compaction, change }: { readonly compaction: Compaction; readonly change: Change },
  redact: Redactor,
): string {
  const { schemaVersion, after, covered, covers, system, map, evicted, report } = compaction;
  const plain = (messages: readonly Message[]): readonly object[] =>
    messages.map((message) => plainMessage(message, redact));
  const head = {
    ...heading,
    model: redact(heading.model),
    ...change,
    noLongerVisible: change.noLongerVisible.map((one) => ({ ...one, target: redact(one.target) })),
  };
  const common = {
    schemaVersion,
    covered,
    covers,
    evicted: evicted.map(({ original: _, ...one }) => ({ ...one, label: redact(one.label) })),
    report: JSON.parse(redactJson(JSON.stringify(report), redact)) as unknown,
  };
  return withinLimit(
    () => ({
      ...head,
      compaction: { ...common, map, after: plain(after), ...(system === undefined ? {} : { system: plain(system) }) },
    }),
    () => ({ ...head, compaction: { ...common, after: [] }, messagesLeftOut: after.length }),
  );
}

function withinLimit(whole: () => object, smaller: () => object): string {
  const text = JSON.stringify(whole());
  return Buffer.byteLength(text) <= HOOK_LIMITS.dataBytes ? text : JSON.stringify(smaller());
}

function plainMessage(message: Message, redact: Redactor): object {
  const { role, parts, origin, name } = redactMessage(message, redact);
  return {
    role,
    ...(name === undefined ? {} : { name: redact(name) }),
    ...(origin === undefined ? {} : { origin }),
    parts: parts.flatMap((part) => plainPart(part, redact)),
  };
}

/** Thinking is never edited, so thinking that holds a secret is left out. */
function plainPart({ at: _, ...part }: Part, redact: Redactor): readonly object[] {
  switch (part.kind) {
    case "reasoning":
      return redact(part.text) === part.text ? [part] : [];
    case "opaque":
      return [{ ...part, raw: redactJson(part.raw, redact) }];
    case "image":
    case "file":
      return [{ ...part, source: plainSource(part.source, redact) }];
    case "tool-result":
      return [{ ...part, content: part.content.flatMap((one) => plainPart(one, redact)) }];
    default:
      return [part];
  }
}

function plainSource(source: MediaSource, redact: Redactor): object {
  if (source.type === "data") return { type: source.type, mediaType: source.mediaType, chars: source.data.length };
  return source.type === "url" ? { type: source.type, url: redact(source.url) } : source;
}

/** One hook run once: a command that gets the data on its standard input, or an address that gets it as the body of a POST. */
interface HookRun {
  /** A command line, or an http(s) address. */
  readonly hook: string;
  readonly data: string;
  readonly timeoutMs: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly fetch: typeof fetch;
}

interface HookFault {
  /** Continues a sentence that begins with the hook. */
  readonly because: string;
  /** What a command wrote to its standard error at last. */
  readonly errorText?: string;
}

/** Undefined where it went well; never rejects. */
async function runHook(run: HookRun): Promise<HookFault | undefined> {
  const limit = startTimeLimit(run.timeoutMs);
  try {
    return await (/^https?:\/\//i.test(run.hook) ? posted(run, limit.signal) : executed(run, limit.signal));
  } finally {
    limit.clear();
  }
}

function tookTooLong(timeoutMs: number): HookFault {
  return { because: `took longer than ${timeoutMs / 1_000} seconds (hooks.timeout_seconds) and was stopped` };
}

/** A redirection is not followed: the data goes where the operator said, and nowhere else. */
async function posted(run: HookRun, signal: AbortSignal): Promise<HookFault | undefined> {
  const headers = { "content-type": "application/json" };
  try {
    const response = await run.fetch(run.hook, {
      method: "POST",
      headers,
      body: run.data,
      redirect: "manual",
      signal,
    });
    await response.body?.cancel();
    return response.ok ? undefined : { because: `answered with status ${response.status}` };
  } catch {
    return signal.aborted ? tookTooLong(run.timeoutMs) : { because: "could not be reached" };
  }
}

/** How long the rest of a command's standard error is waited for once the command has ended. */
const ERROR_TEXT_WAIT_MS = 200;
const CAN_GROUP = process.platform !== "win32";

async function executed(
  { hook, data, timeoutMs, environment }: HookRun,
  signal: AbortSignal,
): Promise<HookFault | undefined> {
  // A group of its own, so that what the shell started ends with it.
  const child = spawn(hook, {
    shell: true,
    detached: CAN_GROUP,
    windowsHide: true,
    env: { ...environment },
    stdio: ["pipe", "ignore", "pipe"],
  });
  let errorText = "";
  child.stderr.setEncoding("utf8");
  child.stderr.on("data", (text: string) => (errorText = (errorText + text).slice(-HOOK_LIMITS.errorChars)));
  child.stderr.on("error", () => undefined);
  const ended = new Promise<HookFault | undefined>((done) => {
    child.on("error", () => done({ because: "could not be started" }));
    const end = (code: number | null, by: NodeJS.Signals | null): void =>
      done(code === 0 ? undefined : { because: describeEnd(code, by), errorText });
    child.on("close", end);
    // What it left running in the background may hold its standard error open.
    child.on("exit", (code, by) => setTimeout(() => end(code, by), ERROR_TEXT_WAIT_MS));
  });
  // A hook need not read what it is told.
  child.stdin.on("error", () => undefined);
  child.stdin.end(data);
  const fault = await unlessAborted(signal, ended, () => tookTooLong(timeoutMs));
  if (signal.aborted) kill(child);
  child.stderr.destroy();
  child.stdin.destroy();
  return fault;
}

function describeEnd(code: number | null, by: NodeJS.Signals | null): string {
  return code === null ? `was ended by ${by ?? "a signal"}` : `exited with code ${code}`;
}

function kill(child: ChildProcess): void {
  try {
    if (CAN_GROUP && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    else child.kill("SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

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

const HOOK_LIMITS = Object.freeze({
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
