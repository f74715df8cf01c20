/** What a conversion changed, and what it could not carry, counted and said in a sentence. */

/** Left out, and nowhere in the result. */
const LOST = {
  system_prompt: "system prompts, because every agent brings its own",
  thinking: "pieces of thinking, which are bound to the model they came from or have no place in the format",
  image: "images, each replaced by a remark",
  file: "files, each replaced by a remark",
  block: "blocks of a kind that only the original provider knows, each replaced by a remark",
  error_mark: "marks on results that say that the call failed; the text of the result is carried",
  injected_mark: "marks on messages that the agent wrote itself; they now look like messages of the user",
  record: "records beside the messages: settings, events for the screen, snapshots, usage",
  replaced_history: "messages that a compaction had already replaced, because the format holds only the live history",
} as const;

/** In the result, in another form. */
const CHANGED = {
  system_message: "system messages became messages of the user",
  renamed_call: "calls have the names that this agent gives to the same tools",
  foreign_call: "calls keep the names of tools that this agent may not have",
  free_text_call: "inputs of calls that were free text became the argument `input`",
  wrapped_arguments: "arguments that were not an object became the argument `arguments`",
  call_id: "ids of calls were changed to ones that the format takes",
  tool_name: "names of tools were changed to ones that the format takes",
  summary_as_message: "summaries of compactions became ordinary messages",
  kept_copy: "messages that a compaction had kept are repeated behind its summary",
  context_order: "compactions now have their summary first",
  merged_messages: "messages were joined with the neighbouring message of the same role",
  part_order: "replies had their parts put into the order of the format",
  joined_texts: "messages had their texts joined into one",
  trimmed_text: "texts lost white space at their ends",
  opening: "remarks were put before a first reply, because a session has to begin with a message of the user",
  result_order: "results were put into the order of their calls",
} as const;

export type LossCode = keyof typeof LOST;
export type ChangeCode = keyof typeof CHANGED;

export interface Remark {
  readonly kind: "lost" | "changed";
  readonly code: LossCode | ChangeCode;
  readonly count: number;
  readonly text: string;
}

export interface Losses {
  readonly note: (code: LossCode | ChangeCode, count?: number) => void;
  readonly remarks: () => readonly Remark[];
}

export function createLosses(): Losses {
  const counts = new Map<LossCode | ChangeCode, number>();
  return {
    note: (code, count = 1) => void (count > 0 && counts.set(code, (counts.get(code) ?? 0) + count)),
    remarks: () =>
      [...counts].map(([code, count]) => {
        const kind = code in LOST ? "lost" : "changed";
        const text = { ...LOST, ...CHANGED }[code];
        return { kind, code, count, text: `${text} (${count})` } as const;
      }),
  };
}
