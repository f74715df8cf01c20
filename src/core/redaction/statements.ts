/**
 * Secrets that a language or a file format introduces in its own way: SQL, PHP, Terraform, files of password hashes, `.pgpass`,
 * keys of PuTTY, keys without their first line, what a shell pipes into sudo, attributes with entities. Each pattern begins
 * with a word of its format, is bounded, and is tried only in a text that has that word.
 */
import { ownLineStart } from "../digest/numbered-lines.ts";
import type { Letters } from "./letters.ts";
import { hiddenSpan, PRIVATE_KEY_MARKER, type Span } from "./mask.ts";
import { nameStrength, type NameStrength } from "./names.ts";
import { isSecretValue, looksChosen, type ValuePlace } from "./values.ts";

interface StatementRule {
  /** The text has one of them, in any case; of a rule without them nothing is known. */
  readonly words?: readonly string[];
  /** The text has one of these too. */
  readonly sign: RegExp;
  /** Groups: `name`, where there is one, and `value`. */
  readonly pattern: RegExp;
  readonly place: ValuePlace;
  /** The form is also that of something else: the value has to look like a password. */
  readonly chosen?: true;
  /** The form alone says that it is a secret. */
  readonly sure?: boolean;
}

const RULES: readonly StatementRule[] = [
  {
    // A .netrc.
    words: ["machine"],
    sign: /\bmachine\b/,
    pattern:
      /\bmachine(?:\s|\\{1,4}[nrt]){1,8}[^\s\\]{1,128}(?:\s|\\{1,4}[nrt]){1,8}(?:(?:login|account)(?:\s|\\{1,4}[nrt]){1,8}[^\s\\]{1,64}(?:\s|\\{1,4}[nrt]){1,8}){0,2}password(?:\s|\\{1,4}[nrt]){1,8}(?<value>[^\s"'\\]{4,256})/dg,
    place: "shell",
  },
  {
    words: ["login"],
    sign: /\blogin\b/,
    pattern: /\blogin[ \t]{1,4}[^\s\\]{1,64}[ \t]{1,4}password (?<value>(?!-)[^\s"'`<>{}()[\]\\,;|]{4,256})/dg,
    place: "bare",
  },
  {
    // Oracle's `user/password@host`.
    words: ["jdbc:oracle:", "sqlplus"],
    sign: /jdbc:oracle:|\bsqlplus\b/,
    pattern:
      /(?:jdbc:oracle:\w{1,8}:|\bsqlplus (?:-\w{1,8} ){0,3}\\{0,4}["']?)[\w.$#-]{1,64}\/\\{0,4}"?(?<value>[^\s"'@/\\]{4,128})(?=\\{0,4}"?@|[\s"'\\]|$)/dg,
    place: "shell",
  },
  {
    // In braces a connection string may hold any sign; those of a program hold a name.
    words: ["pwd={", "password={"],
    sign: /(?:pwd|password)=\{/i,
    pattern:
      /(?:(?<=; {0,2})|\b(?=\w{3,8}=\{[^{}\n]{4,256}(?:\};|$)))(?:pwd|password)=\{(?<value>(?!\w{0,32}(?:pass|pw|secret)\w{0,32}\})(?:[^{}\n\\]|\}\}){4,256})(?:\}|$)/dgi,
    place: "shell",
  },
  {
    words: ["<key>"],
    sign: /<key>/,
    pattern: /<key>(?<name>[\w.-]{2,64})<\/key>(?:\s|\\[nrt]){0,16}<string>(?<value>[^<>\n\\]{4,512})/dg,
    place: "quoted",
  },
  {
    words: ["chpasswd"],
    sign: /\bchpasswd\b/,
    pattern:
      /\b(?:echo|printf) \\{0,4}["']?[\w.-]{1,64}:(?<value>[^\s"'|\\]{4,128})\\{0,4}["']? ?\| ?(?:sudo )?chpasswd\b/dg,
    place: "shell",
  },
  {
    // Who asks and the password, by two options beside each other: `-U sa -P …`, `/u:ida /p:…`, `-U ida%…`, `/user:ida …`.
    words: ["-u ", "-u=", "-user", "/u:", "/user"],
    sign: /-[uU][ ="]|-user|\/u(?:ser(?:name)?)?:/,
    pattern:
      /(?<=^|[\s"'`])(?:(?:-[uU]|--?user(?:name)?)(?: |=|", ?")[\w.@\\-]{1,64}(?: |", ?")(?:-p|-P|-pw|--?pass(?:word)?)(?: |=|", ?")|-U [\w.@\\-]{1,64}%|\/u(?:ser(?:name)?)?:[\w.@\\-]{1,64} (?:\/p(?:ass(?:word)?)?:)?)\\{0,4}["']?(?<value>[^\s"'`\\|/]{8,128})/dg,
    place: "shell",
    chosen: true,
  },
  {
    words: ["htpasswd", "net use"],
    sign: /\bhtpasswd\b|\bnet user\b|\bnet use\b/,
    pattern:
      /\b(?:htpasswd (?:-\w{1,8} ){0,4}-\w{0,8}b\w{0,8} (?:-\w{1,8} ){0,4}(?:\S{1,256} )?[\w.@-]{1,64}|net user \\{0,4}"?[\w.-]{1,64}"?|net use (?:\S{1,256} ){1,2}(?=\S{1,128} \/user:))\s?\\{0,4}["']?(?<=[\s"'])(?<value>[^\s"'`\\|/]{6,128})/dg,
    place: "shell",
    chosen: true,
  },
  {
    // What a command reads that is called by a password: `… | docker login --password-stdin`, `… | passwd ida`.
    words: ["echo ", "printf "],
    sign: /\|[^\n|]{0,120}(?:passw|secret|token)/i,
    pattern:
      /\b(?:echo|printf)(?: -\w{1,3})? \\{0,4}["']?(?<value>[^\s"'|\\]{6,128})(?:\\+n[^\s"'|]{0,128})?\\{0,4}["']? ?\|(?! ?(?:e?grep|sed|awk|tee|wc)\b)[^\n|;&]{0,120}?(?:passw|secret|token)/dgi,
    place: "shell",
    chosen: true,
  },
  {
    // The words of a wallet (BIP 39): twelve to twenty-four, of three to eight letters each.
    words: ["mnemonic", "phrase", "seed", "recovery"],
    sign: /mnemonic|phrase|seed|recovery/i,
    pattern:
      /\b(?:mnemonic|(?:seed|recovery|secret|backup)[ _-]?(?:phrase|words?))\\{0,4}["']?(?: is)?\s{0,4}[:=]\s{0,4}\\{0,4}["'`]?(?<value>[a-z]{3,8}(?:[ ,]{1,2}[a-z]{3,8}){11,23})(?![\w ,])/dgi,
    place: "quoted",
    sure: true,
  },
  {
    words: ["password", "identified"],
    sign: /password|identified/i,
    pattern:
      /\b(?:PASSWORD|IDENTIFIED(?: WITH [\w'"]{1,40})? (?:BY|AS))(?: |\(| \(){1,4}\\{0,4}'(?<value>[^'\n\\]{4,256})\\{0,4}'/dgi,
    place: "quoted",
  },
  {
    // In small letters it is a phrase of prose.
    words: ["identified by"],
    sign: /IDENTIFIED BY/,
    pattern: /\bIDENTIFIED BY (?<value>(?!VALUES\b|PASSWORD\b)[^\s'"`;,()\\]{4,128})/dg,
    place: "shell",
  },
  {
    // Calls that set a variable of the environment: `os.Setenv("DB_PASSWORD", "…")`.
    sign: /\( {0,2}\\{0,4}["'][A-Z][A-Z0-9_]{2}/,
    pattern:
      /\( {0,2}\\{0,4}["'](?<name>[A-Z][A-Z0-9_]{2,63})\\{0,4}["'] {0,2}, {0,2}\\{0,4}["'](?<value>[^"'\n\\]{4,256})(?:\\{0,4}["']|$)/dg,
    place: "quoted",
  },
  {
    // A call or a command that is named by what it takes, and takes it last: `HTTPBasicAuth("ida", "…")`.
    words: ["uth(", "uth=", "uth =", "authentication(", "redentials(", "redential("],
    sign: /uth(?:entication)?(?: ?= ?)?\(|redentials?\(/,
    pattern:
      /(?<![\w-])(?:\w{0,32}(?:(?<=\.)auth|[Bb]asic_?[Aa]uth(?:entication)?|DigestAuth|NtlmAuth|PasswordAuthentication|[a-z]Credentials?)\(|auth ?= ?\()(?:\s|\\{1,4}[nrt]){0,16}\\{0,4}["'][^"'\n\\]{0,128}\\{0,4}["'] {0,2},(?:\s|\\{1,4}[nrt]){0,16}\\{0,4}["'](?<value>[^"'\n\\]{4,256})(?:\\{0,4}["']|$)/dg,
    place: "quoted",
  },
  {
    words: ["securestring", "secretstr"],
    sign: /SecureString|SecretStr/,
    pattern:
      /\b(?:ConvertTo-SecureString(?: -String)? |SecretStr(?:ing)?\()\\{0,4}["']?(?<value>[^\s"'\\()$-][^\s"'\\()]{3,256})/dg,
    place: "quoted",
  },
  {
    words: ["define("],
    sign: /define\(/,
    pattern:
      /\bdefine\( {0,2}\\{0,4}["'](?<name>\w{2,64})\\{0,4}["'] {0,2}, {0,2}\\{0,4}["'](?<value>[^"'\n\\]{4,256})\\{0,4}["']/dg,
    place: "quoted",
  },
  {
    words: ["variable "],
    sign: /variable \\{0,4}"/,
    pattern:
      /\bvariable \\{0,4}"(?<name>[\w-]{2,64})\\{0,4}" {0,4}\{[^{}]{0,1024}?\bdefault {0,20}= {0,4}\\{0,4}"(?<value>[^"\n\\]{4,512})\\{0,4}"/dg,
    place: "quoted",
  },
  {
    sign: /\$\w{1,8}\$|\{S?SHA|pbkdf2_/,
    pattern:
      /(?<value>\$(?:1|2[abxy]?|5|6|7|g?y|apr1|argon2(?:id?|d)|scrypt)\$[\w./$=,+*-]{16,256}|(?<=\{S?SHA(?:256|512)?\})[\w+/=]{16,256}|pbkdf2_sha\d{1,3}\$\d{1,9}\$[^\s"'\\]{16,256})/dg,
    place: "shell",
    sure: true,
  },
  {
    sign: /:(?:\d{2,5}|\*):[^\s:]{1,64}:[^\s:]{1,64}:/,
    pattern:
      /(?<=^|\n|\\n|["'])[^\s:"'\\]{1,128}:(?:\d{2,5}|\*):(?!\d+:)[^\s:"'\\]{1,64}:(?!\d+:)[^\s:"'\\]{1,64}:(?<value>[^\s"'\\]{4,256})/dg,
    place: "bare",
  },
  {
    words: ["private-lines:"],
    sign: /Private-Lines:/,
    pattern:
      /Private-Lines: ?\d{1,4}(?:\r?\n|\\{1,4}r?\\{0,4}n)(?<value>[A-Za-z0-9+/=]{4,128}(?:(?:\r?\n|\\{1,4}r?\\{0,4}n)[A-Za-z0-9+/=]{4,128}(?![\w-])(?!:)){0,256})/dg,
    place: "shell",
    sure: true,
  },
  {
    words: ["sudo "],
    sign: /\bsudo\b/,
    pattern:
      /\b(?:echo|printf)(?: -\w{1,4}){0,2}(?: \\{0,4}["']%s(?:\\{1,4}n)?\\{0,4}["'])? \\{0,4}["']?(?<value>[^\s"'|\\]{4,128})\\{0,4}["']? ?\| ?sudo (?:-\w{1,16} ){0,4}-\w{0,8}S/dg,
    place: "shell",
  },
  {
    words: ["sudo "],
    sign: /\bsudo\b/,
    pattern: /\bsudo (?:-\w{1,16} ){0,4}-\w{0,8}S\b[^\n|;<]{0,80}<<< ?\\{0,4}["']?(?<value>[^\s"'\\]{4,128})/dg,
    place: "shell",
  },
  {
    words: ["&quot;", "&apos;", "&#34;"],
    sign: /&(?:quot|apos|#3[49]);/,
    pattern:
      /(?<![\w-])(?<name>[\w-]{2,64})(?:&quot;)? ?[=:] ?&(?:quot|apos|#3[49]);(?<value>[^&\s<>]{4,256})&(?:quot|apos|#3[49]);/dg,
    place: "quoted",
  },
  {
    words: ['"auth'],
    sign: /"auths?\\{0,4}"/,
    pattern: /"auth\\{0,4}" ?: ?\\{0,4}"(?<value>[A-Za-z0-9+/]{8,1024}={0,2})\\{0,4}"/dg,
    place: "quoted",
  },
];

/** What `RULES` find, and the tails of private keys. */
export function findStatements(text: string, { mayHave }: Letters): readonly Span[] {
  const spans: Span[] = [];
  for (const { words, sign, pattern, place, chosen, sure = false } of RULES) {
    if (words?.some(mayHave) === false || !sign.test(text)) continue;
    for (const found of text.matchAll(pattern)) {
      if (chosen === true && !looksChosen(found.groups!["value"]!)) continue;
      const { name, value } = found.groups as { readonly name?: string; readonly value: string };
      const strength: NameStrength | undefined = name === undefined ? "password" : nameStrength(name);
      if (strength === undefined || !(sure || isSecretValue(value, strength, place))) continue;
      const [start, end] = found.indices!.groups!["value"]!;
      spans.push(hiddenSpan(start, end, "stated secret"));
    }
  }
  const inserted = mayHave("insert into") ? insertedPasswords(text) : [];
  return [...spans, ...inserted, ...(mayHave("-----end ") ? keyTails(text) : [])];
}

const INSERT =
  /\bINSERT INTO [\w.`"\\]{1,128} ?\((?<columns>[^()\n]{1,512})\)(?:\s|\\n){0,8}VALUES(?:\s|\\n){0,8}(?<rows>[^;]{0,4096})/dgi;
const ROW = /\((?<cells>[^()]{0,2048})\)/dg;
/** A text between single quotes, or anything else up to the next comma. */
const CELL = /'(?<text>[^'\n]{0,512})'|[^,']{1,512}/dg;

/** `INSERT INTO users (name, password) VALUES ('ida', '…')`: what stands in a column that is called so. */
function insertedPasswords(text: string): readonly Span[] {
  if (!/insert into/i.test(text)) return [];
  const spans: Span[] = [];
  for (const insert of text.matchAll(INSERT)) {
    const columns = insert.groups!["columns"]!.split(",").map((name) => nameStrength(name.replace(/[^\w-]/g, "")));
    if (columns.every((strength) => strength === undefined)) continue;
    const [from] = insert.indices!.groups!["rows"]!;
    for (const row of insert.groups!["rows"]!.matchAll(ROW)) {
      const base = from + row.indices!.groups!["cells"]![0];
      const cells = [...row.groups!["cells"]!.matchAll(CELL)].filter(([cell]) => cell.trim() !== "");
      for (const [at, cell] of cells.entries()) {
        const value = cell.groups!["text"];
        const strength = columns[at];
        if (value === undefined || strength === undefined || !isSecretValue(value, strength, "quoted")) continue;
        const [start, end] = cell.indices!.groups!["text"]!;
        spans.push(hiddenSpan(base + start, base + end, "stated secret"));
      }
    }
  }
  return spans;
}

const FOOTER = /-----END (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;
const TAIL_CHARS_MAX = 8_192;
/** Between lines: what joins strings too, of which a plus sign may also be in a line. */
const BREAKS = /(?:\s|\\[nr]|["',>|]|\+(?=\s)|(?<=[\s"']|\\[nr])\+)+/g;
const LINE_NUMBER = /^\d{1,7}$/;
const KEY_LINE = /^[A-Za-z0-9+/=]+$/;
const KEY_LINE_CHARS_MIN = 16;
const LAST_LINE_CHARS_MIN = 2;

/** The lines of base64 that come before the last line of a private key whose first line was cut off. */
function keyTails(text: string): readonly Span[] {
  const spans: Span[] = [];
  let done = 0;
  for (const footer of text.matchAll(FOOTER)) {
    const from = Math.max(done, footer.index - TAIL_CHARS_MAX);
    done = footer.index + footer[0].length;
    const before = text.slice(from, footer.index);
    const lines = before
      .split(BREAKS)
      .map((line) => line.slice(ownLineStart(line, 0)))
      .filter((line) => line !== "" && !LINE_NUMBER.test(line));
    let start = before.length;
    let isLast = true;
    for (const line of lines.toReversed()) {
      if (!KEY_LINE.test(line) || line.length < (isLast ? LAST_LINE_CHARS_MIN : KEY_LINE_CHARS_MIN)) break;
      start = before.lastIndexOf(line, start - 1);
      isLast = false;
    }
    if (footer.index - from - start >= KEY_LINE_CHARS_MIN)
      spans.push(hiddenSpan(from + start, footer.index + footer[0].length, "private key", PRIVATE_KEY_MARKER));
  }
  return spans;
}
