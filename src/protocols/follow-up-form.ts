/** How a protocol takes a question behind a request, and what the protocols with flat settings share of that. */
import { countOf, fieldsOf, textOf } from "./fields.ts";
import type { MemberChanges } from "./json/edit.ts";

type Member = (key: string) => unknown;

export interface FollowUpForm {
  /** JSON text of a message that holds one text. */
  readonly element: (role: "user" | "system", text: string) => string;
  /** What the request says about thinking; `budgetTokens` where it states a budget. */
  readonly thinking: (member: Member) => { readonly asks: boolean; readonly budgetTokens?: number | undefined };
  /** What only governs how much is answered and how it is delivered, set for one plain text of that many tokens. */
  readonly changes: (member: Member, outputTokens: number) => MemberChanges;
  /** Why its requests are not answered in text, in words; undefined where they are. */
  readonly obstacle: (member: Member) => string | undefined;
  /** The path that gives the answer whole, where the path says whether it is streamed. */
  readonly wholeAnswerPath?: (path: string) => string;
}

const OUTPUT_LIMITS = ["max_tokens", "max_completion_tokens", "max_output_tokens"];
/** Valid only with a stream, more than one answer, an answer that is fetched later, and what would cut the text off. */
const LEFT_OUT = ["stream_options", "n", "background", "stop", "stop_sequences"];
const THINKING_MEMBERS = ["thinking", "reasoning", "reasoning_effort"];

export const CALL_DEMANDED = "its requests demand that a tool be called";
export const JSON_DEMANDED = "its requests demand answers in JSON";

/** For protocols whose settings are members of the request itself. `type`: what its messages say they are. */
export function flatFollowUp({ type }: { readonly type: string | undefined }): FollowUpForm {
  const lead = type === undefined ? "" : `"type":${JSON.stringify(type)},`;
  return {
    element: (role, text) => `{${lead}"role":"${role}","content":${JSON.stringify(text)}}`,
    thinking: (member) => {
      const { type: kind, budget_tokens: budget } = fieldsOf(member("thinking"));
      const asks = THINKING_MEMBERS.some((key) => member(key) !== undefined);
      return kind === "disabled" ? { asks: false, budgetTokens: 0 } : { asks, budgetTokens: countOf(budget) };
    },
    changes: (member, outputTokens) => {
      const there = (key: string): boolean => member(key) !== undefined;
      return Object.fromEntries([
        ...OUTPUT_LIMITS.filter(there).map((key) => [key, String(outputTokens)] as const),
        ...LEFT_OUT.filter(there).map((key) => [key, undefined] as const),
        ...(there("stream") ? [["stream", "false"] as const] : []),
      ]);
    },
    obstacle,
  };
}

function obstacle(member: Member): string | undefined {
  if (isForced(member("tool_choice"))) return CALL_DEMANDED;
  const stated = [
    member("response_format"),
    fieldsOf(member("text"))["format"],
    member("output_format"),
    fieldsOf(member("output_config"))["format"],
  ];
  const types = stated.map((format) => textOf(fieldsOf(format)["type"]));
  return types.some((one) => one !== undefined && one !== "text") ? JSON_DEMANDED : undefined;
}

const FREE_CHOICES: ReadonlySet<string> = new Set(["auto", "none"]);

/** `allowed_tools` (OpenAI) says by its mode whether one must be called. */
function isForced(choice: unknown): boolean {
  const { type, mode, allowed_tools: allowed } = fieldsOf(choice);
  const said = textOf(choice) ?? textOf(mode) ?? textOf(fieldsOf(allowed)["mode"]) ?? textOf(type);
  return said !== undefined && !FREE_CHOICES.has(said);
}
