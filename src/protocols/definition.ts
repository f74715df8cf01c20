/**
 * What a protocol must supply: one definition, in one folder. The registry lists the definitions, and whatever differs
 * between protocols anywhere in the house is read from there.
 */
import type { Usage } from "../core/engines/contract.ts";
import type { CachePrompt } from "./caching/prefix-cache.ts";
import type { Measure } from "../core/transcript/measure.ts";
import type { MediaLimits } from "./media-limits.ts";
import type { AnswerDialect } from "./answers/signal.ts";
import type { WriteOwnAnswer } from "./answers/own-answer.ts";
import type { PlainAnswer } from "./answers/plain.ts";
import type { HiddenTools, Screen, WholeScreen } from "./answers/screen.ts";
import type { MarkerLayout } from "./caching/layout.ts";
import type { Dialect, Fields } from "./dialect.ts";
import { parsed } from "./fields.ts";
import type { FollowUpForm } from "./follow-up-form.ts";
import type { Decoded } from "./protocol.ts";
import type { ThreadForm } from "./threads.ts";
import type { ToolForm } from "./tools.ts";
import type { VendorDefinition } from "./vendor.ts";

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
export interface RecallForm {
  /** Whether hidden calls can be kept from the client, and put back when it comes again. */
  readonly isOpen: (member: (key: string) => unknown) => boolean;
  /** Forms that the client demands of the answer, which may not be able to hold a call. */
  readonly answerForms: (member: (key: string) => unknown) => readonly unknown[];
}

export interface ProtocolDefinition {
  readonly vendor: VendorDefinition;
  /** How its requests are read and written. */
  readonly dialect: Dialect;
  readonly usage: (response: unknown) => Usage | undefined;
  /** What a POST to a path asks; undefined for other requests. `/v1` at the front is left out. */
  readonly routes: (path: string) => RequestedAnswer | undefined;
  readonly marks: ProtocolMarks;
  readonly tools: ToolForm;
  /** How its answers are understood while they are relayed. */
  readonly answers: AnswerDialect;
  /** A whole answer that was to be plain text; undefined for what is no answer of this protocol. */
  readonly plainAnswer: (answer: Fields) => PlainAnswer | undefined;
  /** An answer that precis gives in place of the model. */
  readonly ownAnswer: WriteOwnAnswer;
  /** For a streamed answer. */
  readonly screen: (tools: HiddenTools) => Screen;
  readonly wholeScreen: (tools: HiddenTools) => WholeScreen;
  readonly recall: RecallForm;
  readonly followUp: FollowUpForm;
  /** A request that has the provider summarise the conversation in place of an answer, by its own members. */
  readonly asksSummary?: (member: (key: string) => unknown) => boolean;
  /** Where the provider keeps conversations between requests. */
  readonly threads?: ThreadForm;
  /** A request as the prompt-cache model takes it; `text` weighs a text in tokens. */
  readonly cachePrompt: (request: Fields, text: Measure["text"]) => CachePrompt;
  /** Whose cache markers its requests may hold without anything being known of their provider. */
  readonly markers: MarkerLayout | undefined;
  /** What its vendor takes of pictures and bytes, where that is known for the model. */
  readonly mediaLimits?: (model: string | undefined, windowTokens: number) => MediaLimits | undefined;
  /** The type of a content block that holds a user's text. */
  readonly textBlock: string;
}

/** The parsed value of one of a request's own members. */
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
