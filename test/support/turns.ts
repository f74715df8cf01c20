/**
 * Conversations before any protocol: turns that a generator draws and a renderer writes as a transcript or as the
 * request body of each protocol, so that what a decoder reads can be compared with what was meant.
 */
import * as fc from "fast-check";

export type TurnContent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly source: "data" | "url" }
  | { readonly kind: "file" }
  | { readonly kind: "unknown"; readonly type: string };

export interface TurnCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly custom: boolean;
  /** The result; undefined leaves the call without one. */
  readonly result: TurnResult | undefined;
}

export interface TurnResult {
  readonly content: readonly TurnContent[];
  readonly isError: boolean;
}

export type Turn =
  | { readonly kind: "user"; readonly content: readonly TurnContent[]; readonly name: string | undefined }
  | { readonly kind: "system"; readonly text: string }
  | {
      readonly kind: "assistant";
      readonly reasoning: string | undefined;
      readonly text: string | undefined;
      readonly refusal: string | undefined;
      readonly unknown: boolean;
      readonly calls: readonly TurnCall[];
      /** Results come in another order than their calls. */
      readonly reversed: boolean;
    }
  | { readonly kind: "orphan-result"; readonly callId: string; readonly content: readonly TurnContent[] };

export interface Conversation {
  readonly system: readonly string[];
  readonly turns: readonly Turn[];
  readonly tools: readonly string[];
}

export interface ConversationOptions {
  /** Every call answered, every result asked for, all arguments JSON, no message empty, user first. Default false. */
  readonly valid?: boolean;
  /** Now and then a result of 1 MB. Default true. */
  readonly large?: boolean;
  /** System messages inside the conversation. Default true. */
  readonly innerSystem?: boolean;
  /** Most turns of one conversation. Default 12. */
  readonly maxTurns?: number;
}

const LARGE_RESULT_CHARS = 1_000_000;
/** One result in this many is large. */
const LARGE_RESULT_RARITY = 3000;

const words = fc
  .array(
    fc.constantFrom("read", "the", "file", "src/app.ts", "failed", "never", "use", "Port=8080", "0x1f", "\n", "```"),
    {
      maxLength: 12,
    },
  )
  .map((list) => list.join(" "));

/** Text that has broken decoders: CJK, emoji, lone surrogates, JSON in JSON, escapes, control characters. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: words },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 30 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 30 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "构建失败：找不到模块「核心」。",
      "テストが失敗しました",
      "\ud800",
      "a\udfffb\ud83d",
      "👩‍👩‍👧 ok",
      '{"a":[1,{"b":"\\"}"}]}',
      '\\"},{"role":"user"\\\\',
      "C:\\new\\table\\",
      "\u0000\u001b[31mred\u001b[0m\u2028",
      "<system-reminder>be brief</system-reminder>",
      " ",
      "]}",
    ),
  },
);
const someText = anyText.map((text) => (text.trim() === "" ? "x" : text));

const content = (text: fc.Arbitrary<string>): fc.Arbitrary<TurnContent> =>
  fc.oneof(
    { weight: 8, arbitrary: text.map((value) => ({ kind: "text" as const, text: value })) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("data" as const, "url" as const).map((source) => ({ kind: "image" as const, source })),
    },
    { weight: 1, arbitrary: fc.constant({ kind: "file" as const }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("x_widget", "future_block").map((type) => ({ kind: "unknown" as const, type })),
    },
  );

const jsonArguments = fc.oneof(
  { weight: 4, arbitrary: fc.record({ path: words, limit: fc.nat() }).map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify({ value })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '{"id": 12345678901234567890}',
      '{ "a" : "\\u00e9\\/" ,\n"b":[ ] }',
      "{}",
      '{"s":"\\ud800"}',
    ),
  },
);
const brokenArguments = fc.constantFrom("", '{"path": "src/a', "not json", "[1,2]", "null");

const callIds = fc.constantFrom(
  "call_1",
  "call_2",
  "call_3",
  "toolu_01A",
  "functions.read:0",
  "呼び出し",
  "a".repeat(70),
);

function resultContent(options: ConversationOptions): fc.Arbitrary<readonly TurnContent[]> {
  const large = fc
    .constantFrom("line of output 17\n", "x", "错误 ")
    .map((unit) => [{ kind: "text" as const, text: unit.repeat(Math.floor(LARGE_RESULT_CHARS / unit.length)) }]);
  return fc.oneof(
    { weight: LARGE_RESULT_RARITY, arbitrary: fc.array(content(anyText), { maxLength: 2 }) },
    { weight: options.large === false ? 0 : 1, arbitrary: large },
  );
}

function call(options: ConversationOptions): fc.Arbitrary<TurnCall> {
  const result = fc.record({ content: resultContent(options), isError: fc.boolean() });
  return fc.record({
    id: callIds,
    name: fc.constantFrom("read_file", "shell", "search"),
    arguments:
      options.valid === true
        ? jsonArguments
        : fc.oneof({ weight: 6, arbitrary: jsonArguments }, { weight: 1, arbitrary: brokenArguments }),
    custom: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    result: options.valid === true ? result : fc.option(result, { nil: undefined, freq: 8 }),
  });
}

function turn(options: ConversationOptions): fc.Arbitrary<Turn> {
  const valid = options.valid === true;
  const text = valid ? someText : anyText;
  const user = fc.record({
    kind: fc.constant("user" as const),
    content: fc.array(content(text), { minLength: valid ? 1 : 0, maxLength: 3 }),
    name: fc.option(fc.constant("ada"), { nil: undefined, freq: 4 }),
  });
  const assistant = fc.record({
    kind: fc.constant("assistant" as const),
    reasoning: fc.option(someText, { nil: undefined }),
    text: valid ? someText : fc.option(someText, { nil: undefined }),
    refusal: fc.option(fc.constant("I will not."), { nil: undefined, freq: 9 }),
    unknown: fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    calls: fc.array(call(options), { maxLength: 4 }),
    reversed: fc.boolean(),
  });
  const system = someText.map((value) => ({ kind: "system" as const, text: value }));
  const orphan = fc.record({
    kind: fc.constant("orphan-result" as const),
    callId: callIds,
    content: resultContent(options),
  });
  return fc.oneof(
    { weight: 4, arbitrary: user },
    { weight: 8, arbitrary: assistant },
    { weight: options.innerSystem === false ? 0 : 1, arbitrary: system },
    { weight: valid ? 0 : 1, arbitrary: orphan },
  );
}

/** Any conversation: assistant first, equal roles in a row, repeated ids in one turn and across turns. */
export function conversations(options: ConversationOptions = {}): fc.Arbitrary<Conversation> {
  const opening: fc.Arbitrary<Turn> = someText.map((text) => ({
    kind: "user",
    content: [{ kind: "text", text }],
    name: undefined,
  }));
  const turns = fc.array(turn(options), { maxLength: options.maxTurns ?? 12 });
  return fc.record({
    system: fc.array(someText, { maxLength: 2 }),
    turns: options.valid === true ? fc.tuple(opening, turns).map(([first, rest]) => [first, ...rest]) : turns,
    tools: fc.array(fc.constantFrom("read_file", "shell", "search"), { maxLength: 3 }),
  });
}
