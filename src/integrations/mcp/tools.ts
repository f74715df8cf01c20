/** The tools as they are declared to an agent, and each call from its arguments to a bounded text. */
import { z } from "zod";
import type { EngineTool, ToolAnswer } from "../../core/engines/contract.ts";
import { PrecisError } from "../../core/errors.ts";
import { oneLine } from "../../core/digest/cut.ts";
import { written, type Answer } from "../../core/recall/pages.ts";
import { type ToolContext, MCP_LIMITS, type McpLimits } from "./contract.ts";
import type { FoundOriginal } from "../../session/history.ts";
import { compact, drop, pin, restore, unpin } from "./changes.ts";
import { describe, timeline } from "./describe.ts";
import { expand } from "./expand.ts";
import { findSession, findPlace } from "./scope.ts";
import { fieldsOf } from "../../protocols/fields.ts";

const RANGE_CHARS_MAX = 40;
const MESSAGE_NUMBER_MAX = 10_000_000;
const BUDGET_CHARS_MAX = 30;
const OFFSET_MAX = 1_000_000_000;

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly writes: boolean;
  /** Worth its place in every request of an agent that otherwise looks tools up before it has them. */
  readonly always: boolean;
  readonly input: z.ZodObject;
  /** Milliseconds that a call may take, where not as long as most. */
  readonly ms?: number;
  readonly call: (context: ToolContext, given: unknown, signal: AbortSignal) => Promise<string>;
}

interface Declaration {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: "object" };
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly openWorldHint: boolean;
  };
}

interface Tools {
  readonly declarations: readonly Declaration[];
  readonly call: (name: string, given: unknown, signal: AbortSignal) => Promise<string>;
  readonly msOf: (name: string) => number | undefined;
}

/** Claude Code's name for it. */
const ALWAYS_LOADED = { "anthropic/alwaysLoad": true };

export async function createTools(context: ToolContext): Promise<Tools> {
  const offered = listTools(context.limits).filter(({ writes }) => context.allowWrites || !writes);
  const engine = await createEngineTools(context, new Set(offered.map(({ name }) => name)));
  const own = offered.map(({ name, description, writes, always, input }) => ({
    name,
    description,
    inputSchema: z.toJSONSchema(input, { io: "input" }) as Declaration["inputSchema"],
    annotations: { readOnlyHint: !writes, destructiveHint: false, openWorldHint: false },
    ...(always ? { _meta: ALWAYS_LOADED } : {}),
  }));
  return {
    declarations: [...own, ...engine.tools.map(engineDeclaration)],
    msOf: (name) => offered.find((one) => one.name === name)?.ms,
    call: async (name, given, signal) => {
      const found = offered.find((one) => one.name === name);
      if (engine.tools.some((one) => one.name === name)) return engine.call(name, given);
      if (found === undefined)
        throw new PrecisError("there is no such tool", {
          code: "unknown_tool",
          hint: `There are ${[...offered, ...engine.tools].map((one) => one.name).join(", ")}.`,
        });
      return found.call(context, given, signal);
    },
  };
}

function engineDeclaration({ name, description, parameters }: EngineTool): Declaration {
  return {
    name,
    description,
    inputSchema: parameters as Declaration["inputSchema"],
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  };
}

function listTools(limits: McpLimits): readonly Tool[] {
  const { id, session, from, messages, role, outline, offset, words, hits, tokens } = readArguments(limits);
  return [
    tool("search", {
      description:
        "Finds words in everything that was said or read in earlier conversation, including what was removed when it was shortened: each match with the lines around it. Use it first when an exact value, path, error or decision is missing.",
      input: z.strictObject({ words, session, hits, tokens }),
      run: search,
      always: true,
    }),
    tool("describe", {
      description:
        "Describes a session or a recall id (such as r1a2b3c4d5): its time, size and neighbours. Without an id: lists everything.",
      input: z.strictObject({ id, tokens }),
      run: describe,
    }),
    tool("expand", {
      description:
        "Returns the original behind a recall id, or messages of it or of a session by their numbers, word for word; with `outline` one line each. The end of the answer says how to continue reading.",
      input: z.strictObject({ id, messages, role, outline, offset, tokens }),
      run: (own, given, { tokensMax }) => expand(own, given, tokensMax),
    }),
    tool("timeline", {
      description:
        "Lists a session's turns in order: what was asked, when, how much work it was, and where it was compacted.",
      input: z.strictObject({ id, from, tokens }),
      run: timeline,
    }),
    ...writingTools(limits),
  ];
}

function writingTools(limits: McpLimits): readonly Tool[] {
  const { id, focus, budget, fact, range, neededRange, pinId } = readArguments(limits);
  return [
    tool("compact", {
      description:
        "Compacts a session now, so that its next request is shorter. Only when a person asks for it, or at the end of a phase of the work.",
      input: z.strictObject({ id, focus, budget, messages: range }),
      run: compact,
      writes: true,
      ms: limits.compactMs,
    }),
    tool("drop", {
      description:
        "Drops messages of a session by their numbers, so that they are not sent any more: whole exchanges, or single results. `expand` still has them, `restore` brings them back. Only when a person asks for it.",
      input: z.strictObject({ id, messages: neededRange }),
      run: drop,
      writes: true,
    }),
    tool("pin", {
      description:
        "Pins messages by their numbers, or a fact: no later compaction of the session summarises such a message, and every handoff states the fact. Only when a person asks for it, or for what must never be lost.",
      input: z.strictObject({ id, messages: range, fact }),
      run: pin,
      writes: true,
    }),
    tool("unpin", {
      description: "Removes a pin of a session by the pin's id, which `pin` and `describe` show.",
      input: z.strictObject({ id, pin: pinId }),
      run: unpin,
      writes: true,
    }),
    tool("restore", {
      description:
        "Undoes the newest compaction of a session: from its next request on it is longer again. Only when a person asks for it.",
      input: z.strictObject({ id }),
      run: restore,
      writes: true,
    }),
  ];
}

function readArguments(limits: McpLimits) {
  const { answerTokensMin, answerTokensMax, answerTokens, hitsMax, idChars, wordsChars } = limits;
  const idText = z.string().min(1).max(idChars);
  const number = z.int().min(1).max(MESSAGE_NUMBER_MAX).optional();
  return {
    id: idText
      .optional()
      .describe("A recall id, or a session's id or the beginning of it; the most recently used session by default."),
    session: idText.optional().describe("Only in this session."),
    from: number.describe("A message's number, from 1."),
    messages: z
      .string()
      .max(RANGE_CHARS_MAX)
      .optional()
      .describe("Message numbers as shown in hits: 99, 99-131 or 12,99-131; for a session the last one by default."),
    role: z.enum(["system", "user", "assistant", "tool"]).optional().describe("Only messages of this role."),
    outline: z.boolean().optional().describe("One line a message instead of its text."),
    offset: z
      .int()
      .min(0)
      .max(OFFSET_MAX)
      .optional()
      .describe("The character to continue from, as the last answer said."),
    words: z.string().min(1).max(wordsChars).describe("Passages with all of them come first, then those with most."),
    hits: z.int().min(1).max(hitsMax).optional().describe(`Maximum number of matches; ${limits.hits} by default.`),
    tokens: z
      .int()
      .min(answerTokensMin)
      .max(answerTokensMax)
      .optional()
      .describe(`Maximum size of the answer; ${answerTokens} by default.`),
    fact: z.string().min(1).max(limits.factChars).optional().describe("One sentence, kept word for word."),
    range: z.string().max(RANGE_CHARS_MAX).optional().describe("Message numbers as shown in hits: 99 or 99-131."),
    neededRange: z.string().min(1).max(RANGE_CHARS_MAX).describe("Message numbers as shown in hits: 99 or 99-131."),
    pinId: idText.describe("The pin's id, such as p1a2b3c."),
    focus: z
      .string()
      .min(1)
      .max(limits.focusChars)
      .optional()
      .describe("The topic that gets most of the handoff, such as what is to be done next."),
    budget: z
      .string()
      .max(BUDGET_CHARS_MAX)
      .optional()
      .describe("Size of the result: tokens such as 16k, or a share of the session such as 20%."),
  };
}

interface CallBounds {
  readonly tokensMax: number;
  readonly signal: AbortSignal;
}

interface ToolOptions<Input extends z.ZodObject> {
  readonly description: string;
  readonly input: Input;
  readonly run: (context: ToolContext, given: z.infer<Input>, bounds: CallBounds) => Promise<Answer>;
  readonly ms?: number;
  readonly writes?: boolean;
  readonly always?: boolean;
}

function tool<Input extends z.ZodObject>(name: string, options: ToolOptions<Input>): Tool {
  const { description, input, run, writes = false, always = false, ms } = options;
  return {
    name,
    description,
    writes,
    always,
    input,
    ...(ms === undefined ? {} : { ms }),
    call: async (context, given, signal) => {
      const read = input.safeParse(given ?? {});
      if (!read.success) throw badArguments(read.error);
      const { tokens } = read.data as { readonly tokens?: number };
      const tokensMax = tokens ?? context.limits.answerTokens;
      return written(await run(context, read.data, { tokensMax, signal }), tokensMax);
    },
  };
}

const PROBLEMS_SHOWN_MAX = 3;
const PROBLEM_CHARS_MAX = 160;

function badArguments({ issues }: z.ZodError): PrecisError {
  const said = issues.slice(0, PROBLEMS_SHOWN_MAX).map(({ path, message }) => {
    const place = path.length === 0 ? "" : `${path.join(".")}: `;
    return `${place}${message}`.slice(0, PROBLEM_CHARS_MAX);
  });
  return new PrecisError(`the arguments are not valid: ${said.join("; ")}`, {
    code: "bad_arguments",
    hint: "See the tool's input schema.",
  });
}

export function withLimits(given: Partial<McpLimits> = {}): McpLimits {
  return { ...MCP_LIMITS, ...given };
}

interface SearchArguments {
  readonly words: string;
  readonly session?: string | undefined;
  readonly hits?: number | undefined;
}

const LABEL_CHARS_MAX = 100;

/** `search`: words to the places that hold them, each with the lines around it, so that one call often is enough. */
async function search(context: ToolContext, { words, session, hits }: SearchArguments): Promise<Answer> {
  const { archive, tenant, limits } = context;
  // One session is all that may be seen, or the one that was asked for.
  const only =
    session === undefined && context.session === undefined ? undefined : (await findSession(context, session)).id;
  const scope = only === undefined ? {} : { session: only };
  const found = await archive.search({ tenant, words, limit: hits ?? limits.hits, ...scope });
  const name = JSON.stringify(oneLine(words, LABEL_CHARS_MAX));
  if (found.length === 0)
    return { head: `Nothing contains ${name}. Try fewer or other words.`, body: [], rest: () => "" };
  const body = found.map((hit) => `── ${chooseTitle(hit)}${withoutWords(hit)}\n${hit.text}`);
  return {
    head: "",
    body,
    rest: (shown) => {
      const left = body.length - shown;
      return left === 0 ? "" : `(${left} more did not fit: ask for more tokens, or use other words)`;
    },
  };
}

function chooseTitle(hit: FoundOriginal): string {
  const message = hit.number === undefined ? "" : `, message ${hit.number}, ${hit.role}`;
  if (hit.kind === "message")
    return `session ${hit.session}${message}${hit.recall === undefined ? "" : `, in ${hit.recall}`}`;
  return message === "" ? `${hit.id} (${oneLine(hit.label, LABEL_CHARS_MAX)})` : `${hit.id}${message}`;
}

function withoutWords({ missing }: FoundOriginal): string {
  return missing.length === 0 ? "" : `, without ${missing.join(", ")}`;
}

const SESSION = {
  type: "string",
  description: "The session to look into, by its id or the beginning of it; the most recently used one by default.",
};
/** Of a call's time, what a model may take to answer a question. */
const MODEL_SHARE = 0.6;

/** The tools of the configured engine, for an agent: those that the gateway offers to its model, with the session as one argument more. */
async function createEngineTools(context: ToolContext, taken: ReadonlySet<string>) {
  const tools = (await declared(context)).filter(({ name }) => !taken.has(name));
  return { tools: tools.map(withSession), call: (name: string, given: unknown) => call(context, name, given) };
}

/** A plugin says what it has with its first decision, and the newest session's compaction remembers it. */
async function declared(context: ToolContext): Promise<readonly EngineTool[]> {
  const { archive, store, tenant, session } = context;
  const atStart = (await archive.engineTools(undefined)).tools();
  if (atStart.length > 0) return atStart;
  const id = session ?? (await store.listSessions(tenant, { limit: 1 }))[0]?.id;
  return id === undefined ? [] : (await archive.engineTools({ tenant, id })).tools();
}

function withSession({ parameters, ...rest }: EngineTool): EngineTool {
  const properties = { ...fieldsOf(parameters["properties"]), session: SESSION };
  return { ...rest, parameters: { ...parameters, properties } };
}

async function call(context: ToolContext, name: string, given: unknown): Promise<string> {
  const { archive, tenant, limits, session: only } = context;
  const { session, ...own } = fieldsOf(given);
  const { id } = await findSession(context, typeof session === "string" && session !== "" ? session : undefined);
  const reads = async (original: string): Promise<boolean> => (await findPlace(context, original)) !== undefined;
  const { callTool } = await archive.engineTools({ tenant, id }, only === undefined ? {} : { reads });
  const bounds = {
    tokensMax: limits.answerTokensMax,
    waitMs: limits.callMs / 2,
    modelWaitMs: limits.callMs * MODEL_SHARE,
  };
  return requireAnswer(await callTool({ name, arguments: JSON.stringify(own) }, bounds));
}

function requireAnswer({ text, isError }: ToolAnswer): string {
  if (isError !== true) return text;
  throw new PrecisError(text.replace(/\.$/, ""), {
    code: "not_answered",
    hint: "`search` and `expand` reach every session.",
  });
}
