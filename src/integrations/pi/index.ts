/**
 * The entry `precis/pi`: an extension of pi that writes its compactions, with no model, and gives the model a tool that reads
 * what they removed. `precis run pi` loads it too, and then it sends pi's requests to the gateway instead.
 */
import "../../platform/refuse-old-node.ts";
import { createRuntime } from "../../session/checked-runtime.ts";
import type { Runtime, RuntimeOptions } from "../../session/contract.ts";
import { answerCall, declaredTools } from "../framework/conversation.ts";
import { handoffFor } from "../hosts/handoff.ts";
import { piMessages, type PiMessage } from "../hosts/pi-messages.ts";
import { createRecentMap } from "../../store/recent-map.ts";

/** Of pi's `ExtensionAPI`, what is used here. */
export interface PiExtensions {
  on(
    event: "session_before_compact",
    handler: (event: BeforeCompact, context: PiContext) => Promise<Compacted>,
  ): unknown;
  registerTool(tool: PiTool): void;
  registerProvider(name: string, settings: { readonly baseUrl: string }): void;
}

interface Entry {
  readonly type: string;
  readonly id: string;
  readonly message?: PiMessage;
}

interface BeforeCompact {
  readonly preparation: { readonly tokensBefore: number };
  readonly branchEntries: readonly Entry[];
  readonly customInstructions?: string | undefined;
  readonly signal: AbortSignal;
}

interface PiContext {
  readonly model?: { readonly id: string; readonly contextWindow: number; readonly maxTokens: number } | undefined;
  readonly sessionManager: { getSessionId(): string; getBranch(): readonly Entry[] };
}

type Compacted =
  | {
      readonly compaction: {
        readonly summary: string;
        readonly firstKeptEntryId: string | null;
        readonly tokensBefore: number;
      };
    }
  | undefined;

interface PiTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: unknown;
  /** Called with the call's id, its arguments, a signal, a function for updates, and the context. */
  execute(...call: ToolCall): Promise<{ content: { type: "text"; text: string }[]; details: undefined }>;
}

type ToolCall = readonly [string, unknown, AbortSignal | undefined, unknown, PiContext];

const SESSIONS_MAX = 16;
/** Set by `precis run pi`. */
const GATEWAY_VARIABLE = "PRECIS_PI_GATEWAY";

/** With options of one's own, for an extension file of one's own: `export default createExtension({ … })`. */
export function createExtension(options: Omit<RuntimeOptions, "state"> = {}): (pi: PiExtensions) => void {
  const sessions = createRecentMap<PiSession>({ entries: SESSIONS_MAX });
  const sessionOf = ({ sessionManager, model }: PiContext): PiSession => {
    const id = sessionManager.getSessionId();
    const known = sessions.get(id) ?? createPiSession(options);
    sessions.set(id, known);
    if (model !== undefined && options.settings?.contextLength === undefined) known.useModel(model);
    return known;
  };
  return (pi) => {
    pi.on("session_before_compact", (event, context) => sessionOf(context).compact(event));
    for (const { name, description, parameters } of declaredTools(createRuntime(options), options))
      pi.registerTool({
        name,
        label: name,
        description,
        parameters: { type: "object", properties: {}, ...parameters },
        execute: async (...[, input, , , context]) => {
          const session = sessionOf(context);
          await session.restore(context.sessionManager.getBranch());
          return {
            content: [{ type: "text", text: await answerCall(session.runtime, name, input) }],
            details: undefined,
          };
        },
      });
  };
}

/** What pi loads. */
export default function precis(pi: PiExtensions): void {
  const gateway = process.env[GATEWAY_VARIABLE];
  if (gateway === undefined) return createExtension()(pi);
  // The gateway compacts then, and pi's own compaction is never due.
  pi.registerProvider("anthropic", { baseUrl: gateway });
  pi.registerProvider("openai", { baseUrl: `${gateway}/v1` });
  pi.registerProvider("google", { baseUrl: `${gateway}/v1beta` });
}

interface PiSession {
  readonly runtime: Runtime;
  readonly useModel: (model: NonNullable<PiContext["model"]>) => void;
  readonly compact: (event: BeforeCompact) => Promise<Compacted>;
  /** Makes the compactions of an earlier process again, so that what they removed can be recalled. */
  readonly restore: (entries: readonly Entry[]) => Promise<void>;
}

function createPiSession(options: Omit<RuntimeOptions, "state">): PiSession {
  const runtime = createRuntime({ ...options, settings: { note: "handoff", protectFirstN: 0, ...options.settings } });
  const made = new Set<number>();
  const handoff = async (entries: readonly Entry[], request: Parameters<typeof handoffFor>[3]) => {
    const shown = entries.filter(({ message }) => message !== undefined && isShown(message));
    const done = await handoffFor(
      runtime,
      piMessages,
      shown.map(({ message }) => message!),
      { ...request, secrets: options.secrets },
    );
    if (done === undefined) return undefined;
    made.add(entries.filter(isCompaction).length);
    return { ...done, firstKeptEntryId: shown[done.firstKept]?.id };
  };
  return {
    runtime,
    useModel: ({ id, contextWindow, maxTokens }) =>
      runtime.modelChanged({
        model: id,
        contextLength: contextWindow,
        maxOutputTokens: Math.min(maxTokens, contextWindow >> 1),
      }),
    compact: async ({ branchEntries, customInstructions: focus, signal, preparation: { tokensBefore } }) => {
      const done = await handoff(branchEntries, { signal, ...(focus === undefined ? {} : { focus }) });
      if (done === undefined) return undefined;
      // For pi, null means that nothing is kept.
      const { summary, firstKeptEntryId = null } = done;
      return { compaction: { summary, firstKeptEntryId, tokensBefore } };
    },
    restore: async (entries) => {
      const before = entries.flatMap((entry, at) => (isCompaction(entry) ? [at] : []));
      for (const [count, at] of before.entries()) if (!made.has(count)) await handoff(entries.slice(0, at), {});
    },
  };
}

function isCompaction({ type }: Entry): boolean {
  return type === "compaction";
}

/** Attempts that failed are not sent again. */
function isShown(message: PiMessage): boolean {
  const { stopReason } = message as { readonly stopReason?: unknown };
  return stopReason !== "error" && stopReason !== "aborted" && piMessages.read(message).length > 0;
}
