/** Arguments of calls, for hosts that keep them as values. Those that a compaction shortened may be no JSON any more. */
export function parsedArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}
