/** The shape of a line without its values: lines of one shape are a table or a log, and one of them shows what all are. */
const VALUES = /(?<=[:=]\s?)(?:"[^"]*"|'[^']*'|[^\s,;"'{}()[\]]+)|\b[0-9a-f]{8,}\b|\d+(?:[.,:]\d+)*/g;
const CHARS_READ_MAX = 160;

export function shapeOf(line: string): string {
  return line.slice(0, CHARS_READ_MAX).replace(VALUES, "#");
}
