/**
 * What a protocol must supply: one definition, in one folder. The registry lists the definitions, and whatever differs
 * between protocols anywhere in the house is read from there.
 */
import type { Usage } from "../core/engines/contract.ts";
import type { MediaLimits } from "./media-limits.ts";
import type { AnswerDialect, WriteOwnAnswer, PlainAnswer } from "./answers/own-answer.ts";
import type { HiddenTools, Screen, WholeScreen } from "./answers/screen.ts";
import { type Dialect } from "./dialect.ts";
import { type Fields, parsed, countOf, fieldsOf, textOf } from "./fields.ts";
import { type MemberChanges, elementTexts } from "./json.ts";
import type { Decoded } from "./protocol.ts";
import type { Vendor, ProtocolName } from "../core/protocols.ts";

/** What a request to a path asks of a model. */
export interface RequestedAnswer {
  /**
   * `count`: how many tokens a request would be; nothing is answered, and nothing kept. `compact`: a smaller conversation in
   * place of an answer.
   */
  readonly asks: "answer" | "count" | "compact";
  /** The model, where the path names it and the body does not. */
  readonly model?: string;
  /** A short name of the route for metrics. */
  readonly label: string;
}

/** How bodies of this protocol are recognised. */
export interface ProtocolMarks {
  /** A request of this protocol, by members that no other one has, beside its list of messages. */
  readonly request: (request: Fields) => boolean;
  /** A message that no other protocol has, by its own members. */
  readonly message: (message: Fields) => boolean;
  /** Types of content blocks that only this protocol documents. */
  readonly blocks: readonly string[];
  /** A content block that only this protocol has, by its other members. */
  readonly block?: (block: Fields) => boolean;
  /** A message that is of this protocol wherever it is found, also by itself on a line of some file. */
  readonly standalone?: (message: Fields) => boolean;
  /** What other protocols' servers are not known to take either; a session of another protocol refuses it. */
  readonly certain: { readonly message: (message: Fields) => boolean; readonly blocks: readonly string[] };
}

/** How tools that the gateway answers can be offered. */
interface RecallForm {
  /** Whether hidden calls can be kept from the client, and put back when it comes again. */
  readonly isOpen: (member: (key: string) => unknown) => boolean;
  /** Forms that the client demands of the answer, which may not be able to hold a call. */
  readonly answerForms: (member: (key: string) => unknown) => readonly unknown[];
}

export interface ProtocolDefinition {
  readonly vendor: VendorDefinition;
  readonly dialect: Dialect;
  readonly usage: (response: unknown) => Usage | undefined;
  /** What a POST to a path asks; undefined for other requests. `/v1` at the front is left out. */
  readonly routes: (path: string) => RequestedAnswer | undefined;
  readonly marks: ProtocolMarks;
  readonly tools: ToolForm;
  readonly answers: AnswerDialect;
  /** A whole answer that was to be plain text; undefined for what is no answer of this protocol. */
  readonly plainAnswer: (answer: Fields) => PlainAnswer | undefined;
  /** An answer that precis gives in place of the model. */
  readonly ownAnswer: WriteOwnAnswer;
  readonly screen: (tools: HiddenTools) => Screen;
  readonly wholeScreen: (tools: HiddenTools) => WholeScreen;
  readonly recall: RecallForm;
  readonly followUp: FollowUpForm;
  /** A request that has the provider summarise the conversation in place of an answer, by its own members. */
  readonly asksSummary?: (member: (key: string) => unknown) => boolean;
  /** Where the provider keeps conversations between requests. */
  readonly threads?: ThreadForm;
  /** Whose cache markers its requests may hold without anything being known of their provider. */
  readonly markers: MarkerLayout | undefined;
  /** What its vendor takes of pictures and bytes, where that is known for the model. */
  readonly mediaLimits?: (model: string | undefined, windowTokens: number) => MediaLimits | undefined;
  /** The type of a content block that holds a user's text. */
  readonly textBlock: string;
}

export function memberOf({ layout, body }: Pick<Decoded, "layout" | "body">): (key: string) => unknown {
  return (key) => {
    const member = layout.members.findLast((one) => one.key === key);
    return member === undefined ? undefined : parsed(body.slice(member.start, member.end));
  };
}

/** For protocols whose paths never change. */
export function fixedRoutes(routes: Readonly<Record<string, RequestedAnswer>>): ProtocolDefinition["routes"] {
  const known = new Map(Object.entries(routes));
  return (path) => known.get(path);
}

interface VendorError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export interface VendorDefinition {
  readonly name: Vendor;
  /** Where its requests go unless something else is configured. */
  readonly url: string;
  /** OpenTelemetry's name for it (`gen_ai.provider.name`). */
  readonly telemetryName: string;
  /** Whether a request is meant for it. `header` gives the value of a header, which is named in lower case. */
  readonly isAddressed: (path: string, header: (name: string) => string | undefined) => boolean;
  readonly errorBody: (error: VendorError) => Fields;
}

export const SERVER_ERROR_STATUS_MIN = 500;

/** What a request has to do with one. */
export type ThreadUse =
  /** It brings the whole conversation, and its answer's id names what the provider keeps. */
  | { readonly kind: "create" }
  /** It brings what is new since the answer of that id. */
  | { readonly kind: "continue"; readonly previousId: string };

/** An error as clients of the protocol know it. */
export interface ThreadRefusal {
  readonly status: number;
  readonly body: string;
}

export interface ThreadForm {
  /** Undefined for a request that is whole and asks for nothing to be kept. */
  readonly useOf: (member: (key: string) => unknown) => ThreadUse | undefined;
  /** The client sends the whole conversation again, and a new thread begins. */
  readonly notFound: (previousId: string) => ThreadRefusal;
  /** The client sends whole conversations from now on. */
  readonly unsupported: () => ThreadRefusal;
}

/**
 * Whose markers: Anthropic's own on its own blocks; the same on Chat messages, as OpenRouter takes them; OpenAI's
 * breakpoints, which know no lifetime of their own.
 */
export type MarkerLayout = "native" | "openrouter" | "openai";

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

export interface Declaration {
  readonly name: string;
  readonly description: string | undefined;
  readonly schema: unknown;
  readonly strict: unknown;
}

/** How a protocol declares tools. */
export interface ToolForm {
  /** Whether a tool is declared in this protocol's form. */
  readonly isOwn: (tool: Fields) => boolean;
  /** The declarations that one element of `tools` holds. */
  readonly read: (tool: Fields) => readonly Declaration[];
  /** Elements of `tools` that hold these declarations. */
  readonly write: (declarations: readonly Declaration[]) => readonly unknown[];
  /** The JSON text of `tools` with one more declaration at its end; everything else keeps its bytes. */
  readonly append: (tools: string, declaration: Declaration) => string;
}

interface NamedForm {
  readonly name: ProtocolName;
  readonly tools: ToolForm;
}

/** The JSON text of `tools` in the target protocol. */
export function toolTranslator(forms: readonly NamedForm[]): (tools: string, target: ProtocolName) => string {
  return (tools, target) => {
    const elements = elementTexts(tools).map((text) => ({ text, tool: fieldsOf(JSON.parse(text)) }));
    const homes = elements.map(({ tool }) => forms.find((form) => form.tools.isOwn(tool)) ?? forms[0]!);
    const own = elements.filter((_, at) => homes[at]!.name === target).map(({ text }) => text);
    const foreign = elements.flatMap(({ tool }, at) => (homes[at]!.name === target ? [] : homes[at]!.tools.read(tool)));
    const { write } = forms.find(({ name }) => name === target)!.tools;
    const written = foreign.length === 0 ? [] : write(foreign).map((tool) => JSON.stringify(tool));
    return `[${[...own, ...written].join(",")}]`;
  };
}

export function declarationsIn(tool: Fields, schemaKeys: readonly string[]): readonly Declaration[] {
  const name = textOf(tool["name"]);
  const schema = schemaKeys.map((key) => tool[key]).find((one) => one !== undefined);
  if (name === undefined || schema === undefined) return [];
  return [{ name, description: textOf(tool["description"]), schema, strict: tool["strict"] }];
}

/** What most protocols share: each element of `tools` is one tool, and another one goes behind the last. */
export function oneToolEach(
  form: Pick<ToolForm, "isOwn" | "read"> & { readonly tool: (declaration: Declaration) => unknown },
): ToolForm {
  return {
    isOwn: form.isOwn,
    read: form.read,
    write: (declarations) => declarations.map(form.tool),
    append: (tools, declaration) => {
      const end = tools.lastIndexOf("]");
      const separator = elementTexts(tools).length === 0 ? "" : ",";
      return `${tools.slice(0, end)}${separator}${JSON.stringify(form.tool(declaration))}${tools.slice(end)}`;
    },
  };
}

/** Name and description, where there is one. */
export function described({ name, description }: Declaration): Fields {
  return description === undefined ? { name } : { name, description };
}

export function strictness({ strict }: Declaration): Fields {
  return strict === undefined ? {} : { strict };
}
