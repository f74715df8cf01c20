/**
 * A client, what is between, and the strict provider: a session is lived turn by turn, its whole history sent each
 * time, rewritten by a runtime with a small window, and kept valid by what is known of thinking, or not.
 */
import { createHash } from "node:crypto";
import type { Compaction } from "../../../src/core/compaction/compaction.ts";
import { createChain } from "../../../src/core/transcript/links.ts";
import { createMeasure } from "../../../src/core/transcript/measure.ts";
import type { HeaderLines } from "../../../src/gateway/contract.ts";
import {
  carryThinking,
  thinkingCourse,
  thinkingRules,
  allowsCompaction,
} from "../../../src/gateway/quirks/thinking.ts";
import { createProvider, type Answer, type ScriptedRequest } from "../../../provider/src/index.ts";
import { createDecoder, protocols } from "../../../src/protocols/index.ts";
import { type Decoded } from "../../../src/protocols/protocol.ts";
import { applyEdits } from "../../../src/protocols/json.ts";
import type { BodyEdits } from "../../../src/session/markers.ts";
import { createRuntime } from "../../../src/session/runtime.ts";
import { filler } from "../../support/compacting.ts";

export type Json = Readonly<Record<string, unknown>>;
export type Mode = "enabled" | "adaptive" | "off" | "absent";

export interface Round {
  readonly calls: number;
  readonly thinks: boolean;
  readonly says: boolean;
  /** Thinking is off for this one request, in the middle of a turn. */
  readonly quiet?: boolean;
  /** What stands is not found for this one request, which goes out as it came. */
  readonly lapse?: boolean;
}

export interface UserTurn {
  readonly mode: Mode;
  /** One entry a round of the tool loop: how many calls, and what the model does before them. */
  readonly rounds: readonly Round[];
  /** The client adds a text to the results. */
  readonly reminds: boolean;
  /** The client puts a system message behind each of its messages, say with what is left of a budget. */
  readonly counts?: boolean;
  /** Size of each result, in tokens. */
  readonly resultTokens: number;
  readonly thoughtTokens: number;
}

export interface Living {
  readonly model: string;
  readonly turns: readonly UserTurn[];
  readonly contextLength?: number;
  /** What is known of thinking is used; none of it by default. */
  readonly carries?: boolean;
  readonly steers?: boolean;
  /** False: the upstream has no beta settings. */
  readonly drops?: boolean;
  /** Shown what was made, what was recorded instead, and for which conversation. */
  readonly seen?: (made: Compaction, recorded: Compaction, request: Decoded) => void;
}

export interface Lived {
  readonly requests: number;
  readonly compactions: number;
  readonly refusals: readonly string[];
  readonly untouched: number;
  readonly bodies: readonly string[];
  readonly headers: readonly HeaderLines[];
  /** Thinking blocks that the provider said it dropped. */
  readonly dropped: number;
  /** Requests without a compaction that did not begin as the one before them. */
  readonly unsteady: number;
}

export const chain = createChain((text) => createHash("sha256").update(text).digest("hex"));
export const measure = createMeasure();
const MAX_TOKENS = 3_000;

export async function live(living: Living): Promise<Lived> {
  const { model, turns, contextLength = 9_000, carries = false, steers = false, drops = true } = living;
  const plan = turns.flatMap(({ rounds, ...turn }) => [
    ...rounds.map((round) => ({ ...turn, ...round })),
    { ...turn, calls: 0, thinks: rounds.length === 0, says: true },
  ]);
  let step = 0;
  let request: Decoded | undefined;
  let head = { compactions: -1, text: "" };
  const provider = createProvider({ script: (asked) => answerOf(plan[step]!, step, asked) });
  const runtime = createRuntime({
    settings: { contextLength, threshold: 0.5, note: "handoff" },
    ...(carries
      ? {
          amend: (made, original) => {
            const recorded = carryThinking(made, original, { chain, measure });
            living.seen?.(made, recorded, request!);
            return recorded;
          },
        }
      : {}),
  });
  const decoder = createDecoder(protocols["anthropic-messages"]);
  const rules = thinkingRules({ drops });
  const lived = { requests: 0, compactions: 0, untouched: 0, dropped: 0, unsteady: 0 };
  const refusals: string[] = [];
  const bodies: string[] = [];
  const headersSent: HeaderLines[] = [];
  runtime.on("compacted", () => void lived.compactions++);

  const messages: Json[] = [];
  const client: HeaderLines = [
    ["x-api-key", "k"],
    ["anthropic-version", "2023-06-01"],
    ["Anthropic-Beta", "some-beta-2026-01-01"],
  ];
  for (const [index, turn] of turns.entries()) {
    messages.push({
      role: "user",
      content: [{ type: "text", text: `Request ${index}: go on. ${filler(40, `ask${index}`)}` }],
    });
    const count = (): void => {
      if (turn.counts === true) messages.push({ role: "system", content: `${1_000 - messages.length} left` });
    };
    count();
    for (let round = 0; ; round++) {
      const lapse = plan[step]!.lapse === true && lived.compactions > 0;
      const text = bodyOf(model, modeOf(plan[step]!), messages);
      request = decoder.decode(text);
      const may = !steers || allowsCompaction(request, rules);
      const sent = lapse
        ? request.transcript
        : (await (may ? runtime.prepare(request.transcript) : runtime.standing(request.transcript))).transcript;
      const spliced = protocols["anthropic-messages"].splice(request, sent);
      if (!lapse) {
        const said = messagesIn(spliced);
        if (head.compactions === lived.compactions && !said.startsWith(head.text)) lived.unsteady++;
        head = { compactions: lived.compactions, text: said };
      }
      const course = steers
        ? thinkingCourse({ request, sent, rules, stood: lived.compactions > 0 })
        : ({ kind: "nothing" } as const);
      const out =
        course.kind === "send"
          ? {
              text: edited(protocols["anthropic-messages"].splice(request, course.transcript), course.bodyEdits),
              headers: course.editHeaders(client),
            }
          : { text: course.kind === "untouched" ? text : spliced, headers: client };
      if (course.kind === "untouched") lived.untouched++;
      lived.requests++;
      bodies.push(out.text);
      headersSent.push(out.headers);
      const response = await provider.fetch(
        new Request("http://provider/v1/messages", {
          method: "POST",
          headers: [["content-type", "application/json"], ...out.headers] as [string, string][],
          body: out.text,
        }),
      );
      const answer = (await response.json()) as Json;
      if (response.status !== 200) {
        refusals.push(String((answer["error"] as Json)["message"]));
        return { ...lived, refusals, bodies, headers: headersSent };
      }
      const transformed = (answer["input_transformations"] ?? []) as readonly unknown[];
      lived.dropped += transformed.length;
      step++;
      const content = answer["content"] as readonly Json[];
      messages.push({ role: "assistant", content });
      const calls = content.filter(({ type }) => type === "tool_use");
      if (calls.length === 0) break;
      messages.push({
        role: "user",
        content: [
          ...calls.map(({ id }, at) => ({
            type: "tool_result",
            tool_use_id: id,
            content: filler(turn.resultTokens, `result${index}x${round}x${at}`),
          })),
          ...(turn.reminds ? [{ type: "text", text: "<system-reminder>Stay on course.</system-reminder>" }] : []),
        ],
      });
      count();
    }
  }
  return { ...lived, refusals, bodies, headers: headersSent };
}

/** The text of a body's messages, without the bracket that ends them. */
function messagesIn(body: string): string {
  return body.slice(body.indexOf('"messages":'), body.lastIndexOf("]"));
}

interface Step extends Round {
  readonly mode: Mode;
  readonly thoughtTokens: number;
}

function modeOf({ mode, quiet = false }: Step): Mode {
  return quiet ? "off" : mode;
}

/** Where thinking is enabled, a model thinks at the beginning of its turn, whatever it does later. */
function answerOf(one: Step, step: number, { body }: ScriptedRequest): Answer {
  const { calls, thinks, says, thoughtTokens } = one;
  const mode = modeOf(one);
  const last = (body["messages"] as readonly Json[]).findLast(({ role }) => role !== "system")!["content"];
  const opens = !(Array.isArray(last) && (last as readonly Json[]).some(({ type }) => type === "tool_result"));
  const thinking = mode !== "off" && ((mode === "enabled" && opens) || thinks);
  return {
    ...(thinking ? { thinking: filler(thoughtTokens, `thought${step}`) } : {}),
    ...(says ? { text: `Step ${step} is done.` } : {}),
    calls: Array.from({ length: calls }, (_, at) => ({ name: "read", arguments: { page: step, at } })),
  };
}

function bodyOf(model: string, mode: Mode, messages: readonly Json[]): string {
  const thinking =
    mode === "absent"
      ? {}
      : {
          thinking:
            mode === "enabled"
              ? { type: "enabled", budget_tokens: 1_024 }
              : { type: mode === "off" ? "disabled" : mode },
        };
  return JSON.stringify({
    model,
    max_tokens: MAX_TOKENS,
    system: "Be brief.",
    tools: [{ name: "read", input_schema: { type: "object" } }],
    ...thinking,
    messages,
    metadata: { big: 1 },
  });
}

function edited(body: string, edits: BodyEdits | undefined): string {
  return applyEdits(body, edits?.(protocols["anthropic-messages"].decode(body)) ?? []);
}
