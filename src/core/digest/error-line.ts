/** Whether a line of output reports an error, and which error it is, whatever the place it was reported for. */

/** At the start of a line. (Apart from those that may be anywhere, because a pattern that is anchored as a whole is fast.) */
const OPENING = new RegExp(
  [
    String.raw`^.{0,60}(?:^|[\s[|])(?:ERROR|FATAL|CRITICAL)(?:[\s\]|:]|$)`, // build tools, loggers
    String.raw`^\s+\d+:\d+\s+error\s`, // eslint
    String.raw`^E\s{2,}(?:[\w.]+(?:Error|Exception)\b|assert\b|Failed\b)`, // pytest
    String.raw`^(?:panic|fatal|FATAL ERROR): `, // go, git, node
    String.raw`^(?:\[[\w:./-]+\] )?(?:vet: )?[\w./@-]+\.(?:go:\d+(?::\d+)?|\w{1,5}:\d+:\d+): (?!note|info|warning)`, // go, linters, with or without a task's name in front
    String.raw`^ {1,3}[×✖] (?!.*\d\s?m?s$)\S|^ {1,3}x [\w@/-]+\(\S+\): `, // biome, oxlint
    String.raw`^[Ee]rror (?:when|while|during|from) [^:\n]{1,200}: \S`, // kubectl
    String.raw`^make(?:\[\d+\])?: \*\*\*`, // make
    String.raw`^npm (?:ERR!|error) (?:code |\d{3} )`, // npm
  ].join("|"),
);
const ANYWHERE = new RegExp(
  [
    String.raw`(?:[Ee]rror|ERROR|[Ee]xception)(?:\s?\[[\w-]+\]|\s[A-Z]+\d+)?:\s?\S`, // error: …, TypeError: …, error TS2304: …, error[E0308]: …
    String.raw`panicked at |undefined reference to|ld returned \d`, // rust, linkers
    String.raw`command not found|No such file or directory|Permission denied|is not recognized as|Segmentation fault|core dumped`, // shells
  ].join("|"),
);
/** Lines of source, comments, and tallies of nothing. */
const NO_REPORT = /[{;,(]\s*$|^\s*(?:>\s*)?\d+ +[|│]|^\s*(?:\/\/|\*|#(?! error))|\b(?:0|no) (?:errors?|failures?)\b/i;

/** pytest says an error twice: below the test, and after its name. */
const REPORTER = /^E {2,}|^(?:FAILED|ERROR) \S+ - /;
const PLACE = /^(?:\[[\w:./-]+\] )?\s*(?:[^\s:()]{1,300}[:(]\d+(?:[:,]\d+)?\)?:?\s*-?\s*|\d+:\d+\s+)/;
/** Times, durations and addresses. */
const PASSING = /\d{4}-\d\d-\d\d[T ][\d:.,]+Z?|\d\d:\d\d:\d\d(?:[.,]\d+)?|0x[0-9a-f]+|(?<!\d)\d+(?:\.\d+)?m?s\b/gi;

export function isErrorLine(line: string): boolean {
  return (ANYWHERE.test(line) || OPENING.test(line)) && !NO_REPORT.test(line);
}

/** Equal for two lines that report the same error at different places or times. */
export function errorKey(line: string): string {
  return line.replace(REPORTER, "").replace(PLACE, "").replace(PASSING, "#").trim();
}
