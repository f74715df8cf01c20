/** The exception that ended a program, by its own line: what is printed around it is the way to where it was raised. */

const TRACEBACK = "Traceback (most recent call last):";
const LINE_CHARS_MAX = 400;
const EXCEPTION = /^[A-Za-z_][\w.]*(?::\s.*|:?\s*)$/;
/** What Node ends with when nothing caught an exception. */
const NODE_END = /\n\s*Node\.js v\d+\.\d+\.\d+\s*$/;
const NODE_EXCEPTION = /^(?:Uncaught )?[A-Za-z_]\w*(?:Error|Exception)\b/;
const END_CHARS = 60;

/** `errors` are the lines that report errors. */
export function exceptionIn(text: string, errors: readonly string[]): string | undefined {
  const opening = text.lastIndexOf(TRACEBACK);
  if (opening >= 0) return raisedBelow(text, opening);
  return NODE_END.test(text.slice(-END_CHARS)) ? errors.find((error) => NODE_EXCEPTION.test(error)) : undefined;
}

/** Python indents the way; the exception stands below it, indented as the heading is. */
function raisedBelow(text: string, opening: number): string | undefined {
  const before = text.slice(text.lastIndexOf("\n", opening) + 1, opening);
  const indent = before.trim() === "" ? before.length : 0;
  for (let newline = text.indexOf("\n", opening); newline >= 0; newline = text.indexOf("\n", newline + 1)) {
    const start = newline + 1 + indent;
    if (start >= text.length || /\s/.test(text[start]!)) continue;
    const line = text
      .slice(start, start + LINE_CHARS_MAX)
      .split("\n", 1)[0]!
      .trimEnd();
    return EXCEPTION.test(line) ? line : undefined;
  }
  return undefined;
}
