/** Lines that a tool printed with their numbers in front: `   12→`, `  12\t`, `12:`, `12 | `. */

const NUMBER = /^\s{0,8}(\d{1,7})(?:→|\t|: ?|\| ?)/;

export function withoutLineNumber(line: string): string {
  const match = NUMBER.exec(line);
  return match === null ? line : line.slice(match[0].length);
}

export function lineNumberOf(line: string): number | undefined {
  const match = NUMBER.exec(line);
  return match === null ? undefined : Number(match[1]);
}
