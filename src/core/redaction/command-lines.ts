/** Secrets that a command line separates from their name by a space. */
import { findCookies } from "./headers.ts";
import { hiddenSpan, MARKER, type Span, valueSpan } from "./mask.ts";
import { nameStrength } from "./names.ts";
import { matchAt, type Word } from "./reading.ts";
import { isSecretValue } from "./values.ts";

/** Behind a space, or behind the end and the start of two strings of a list. */
const AFTER_OPTION = /(?: (?:<<< ?)?|\\{0,31}", ?\\{0,31}"|', ?')\\{0,31}["']?((?!-)[^\s"'`<>{}()[\]\\,;|]{4,4096})/y;
const USER_AND_PASSWORD =
  /(?: |\\{0,31}", ?\\{0,31}"|', ?')\\{0,31}["']?[\w.@-]{1,64}:([^\s"'`<>{}()[\]\\,;|]{4,512})/y;
/** `-uida:hunter2` of curl, whose name may have signs that end a word. */
const ATTACHED_USER = /[\w.@-]{1,64}:([^\s"'`<>{}()[\]\\,;|]{4,512})/y;
/** `--from-literal=name=value` of what is a secret as a whole. */
const LITERAL = /[ =]\\{0,31}["']?[\w.-]{1,128}=\\{0,31}["']?([^\s"'`<>{}()[\]\\,;|]{4,4096})/y;
const CREATES_SECRET = /\bcreate secret\b/;
const LITERALS_CHARS_MAX = 512;
const CURL = /(?:^|[\s;&|"'`(]|\\[nrt])curl[ \t](?:[^\n;&|]{0,80}[ \t])?$/;
const ATTACHED = / ?\\{0,31}["']?([^\s"'`<>{}()[\]\\,;|]{4,512})/y;
/** Programs whose `-p` is a password and not a port, a path or a project. */
const PASSWORD_PROGRAM =
  /(?:^|[\s;&|"'`(]|\\[nrt])(?:mysql\w{0,8}|mariadb(?:-\w{1,8})?|mongo\w{0,8}|7za?|sshpass|(?:docker|podman|helm registry|az|oras) login)[ \t](?:[^\n;&|]{0,80}[ \t])?$/;
/** And those with another letter for it. */
const OTHER_LETTERS = [
  ["-a", "redis-cli"],
  ["-w", "ldap\\w{3,8}"],
  ["-P", "zip|unzip"],
  ["-k", "openssl enc"],
].map(([letter, programs]) => ({
  letter,
  program: new RegExp(`(?:^|[\\s;&|"'\`(]|\\\\[nrt])(?:${programs})[ \\t](?:[^\\n;&|]{0,80}[ \\t])?$`),
}));
const PROGRAM_CHARS_MAX = 96;
const OPTION_CHARS_MAX = 66;

/** `--password hunter2`, `["--token", "…"]`, `-u ida:hunter2`, `mysql -phunter2`: `word` is the option. */
export function findOptionValue(text: string, word: Word): Span | undefined {
  const option = text.slice(word.start, Math.min(word.end, word.start + OPTION_CHARS_MAX));
  if (option === "-u" || option === "--user" || option === "--proxy-user") {
    return findPassword(text, word.end, USER_AND_PASSWORD);
  }
  if (option === "--cookie") return findCookies(text, word.end + 1);
  if (option.startsWith("--")) return findLongOption(text, word, option);
  const before = text.slice(Math.max(0, word.start - PROGRAM_CHARS_MAX), word.start);
  if (option === "-b" && CURL.test(before)) return findCookies(text, word.end);
  if (option.startsWith("-u") && CURL.test(before)) return findPassword(text, word.start + "-u".length, ATTACHED_USER);
  const asked =
    (option.startsWith("-p") && PASSWORD_PROGRAM.test(before)) ||
    OTHER_LETTERS.some(({ letter, program }) => option === letter && program.test(before));
  return asked ? findPassword(text, word.start + "-p".length, ATTACHED) : undefined;
}

function findLongOption(text: string, word: Word, option: string): Span | undefined {
  if (option === "--from-literal") {
    const before = text.slice(Math.max(0, word.start - LITERALS_CHARS_MAX), word.start);
    return CREATES_SECRET.test(before) ? findPassword(text, word.end, LITERAL) : undefined;
  }
  const strength = nameStrength(option.slice(2));
  const found = strength === undefined ? undefined : matchAt(AFTER_OPTION, text, word.end);
  if (strength === undefined || found === undefined) return undefined;
  const end = word.end + found[0].length;
  const value = found[1] as string;
  if (text.startsWith(MARKER, end) || !isSecretValue(value, strength, "bare")) return undefined;
  return valueSpan(text, { start: end - value.length, end, kind: "option", strength });
}

const SET =
  /(?:set|setx|setenv|ENV)[ \t]{1,4}(?:-\w{1,3}[ \t]{1,4}){0,3}\\{0,31}["']?([A-Za-z_]\w{2,63})\\{0,31}["']?[ \t]{1,4}(?:--[a-z]{1,12}[ \t=]{1,4})?\\{0,31}["']?([^\s"'`<>{}()[\]\\,;|]{4,4096})/y;

/** `set -x API_KEY …`, `setx`, `setenv`, `ENV` of a Dockerfile: `word` is the verb. */
export function findSetValue(text: string, word: Word): Span | undefined {
  const found = matchAt(SET, text, word.start);
  const strength = found === undefined ? undefined : nameStrength(found[1] as string);
  if (found === undefined || strength === undefined) return undefined;
  const end = word.start + found[0].length;
  const value = found[2] as string;
  const place = /^[A-Z][A-Z0-9_]+$/.test(found[1] as string) ? "shell" : "bare";
  if (text.startsWith(MARKER, end) || !isSecretValue(value, strength, place)) return undefined;
  return valueSpan(text, { start: end - value.length, end, kind: "option", strength });
}

/** What `pattern` captures at `from`, where it can be a password. */
function findPassword(text: string, from: number, pattern: RegExp): Span | undefined {
  const found = matchAt(pattern, text, from);
  if (found === undefined) return undefined;
  const end = from + found[0].length;
  const value = found[1] as string;
  if (text.startsWith(MARKER, end) || !isSecretValue(value, "password", "bare")) return undefined;
  return hiddenSpan(end - value.length, end, "option");
}
