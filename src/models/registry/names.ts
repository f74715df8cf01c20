/**
 * One model has many names: `claude-opus-4-5-20251101`, `anthropic/claude-opus-4.5:free`,
 * `us.anthropic.claude-opus-4-5-v1:0`. A name is brought to its bare form, and the longest known name that begins it is
 * meant, unless it goes on with what makes it another model.
 */

/** A longer name is not a model's. */
const NAME_CHARS_MAX = 200;

/** Regions and vendors as Bedrock writes them before a name. */
const DOTTED_PREFIX =
  /^(?:[a-z]{2,6}\.)?(?:anthropic|openai|meta|mistral|deepseek|google|qwen|zai|moonshotai|minimax)\./;

/** Lower case; without router, vendor, variant (`:free`), version (`@20251101`) and window (`[1m]`); dots as dashes. */
export function bareName(name: string): string {
  const lower = name.slice(0, NAME_CHARS_MAX).toLowerCase();
  const last = lower.slice(lower.lastIndexOf("/") + 1).replace(DOTTED_PREFIX, "");
  return last.split(/[:@[]/, 1)[0]!.trim().replaceAll(".", "-");
}

/** What follows a known name in the name of another model: a version's number, or the word of a size or a kind. */
const ANOTHER_MODEL =
  /^-(?:\d{1,2}(?!\d)|(?:mini|nano|micro|lite|small|medium|large|pro|max|ultra|flash|fast|turbo|image|audio|tts|live|realtime|embedding|transcribe)\b)/;

/** The entry with the longest name that `name` begins with; keys are bare names. */
export function longestMatch<Entry>(name: string, entries: ReadonlyMap<string, Entry>): Entry | undefined {
  const bare = bareName(name);
  for (let end = bare.length; end > 0; end = bare.lastIndexOf("-", end - 1)) {
    const entry = entries.get(bare.slice(0, end));
    if (entry !== undefined && !ANOTHER_MODEL.test(bare.slice(end))) return entry;
  }
  return undefined;
}
