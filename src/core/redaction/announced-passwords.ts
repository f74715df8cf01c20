/** Passwords that a sentence gives, in the languages that people write most: "Das Passwort lautet …", "密码：…", "the password for staging is …". */
import type { Letters } from "./letters.ts";
import { hiddenSpan, MARKER, type Span } from "./mask.ts";
import { isSecretValue, looksChosenInProse } from "./values.ts";

/** What a password is called, by language: stems, as many languages add endings. Some write no spaces. */
const PASSWORD_WORDS =
  "password|passphrase|passcode|passwort|kennwort|mot[ _-]de[ _-]passe|contraseña|clave|senha|palavra-passe|парол|密码|密碼|口令|パスワード|暗証番号|合い?言葉|비밀번호|암호|hasł|wachtwoord|lösenord|şifre|parol|hesl|salasana|adgangskode|passord|jelsz|mật khẩu|kata sandi|รหัสผ่าน|κωδικ|كلمة المرور|رمز عبور|סיסמ|पासवर्ड|密钥|密鑰|api-schlüssel|apiキー|токен";
const UNSPACED = /[\p{sc=Han}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Hebrew}]/u;
const IS =
  "(?:is|was|ist|lautet|war|heißt|est|es|é|è|era|to|jest|je|är|er|on|este|là|adalah|είναι|هي|هو|היא|है|คือ|это|:|：|=|は|是|为|為|은|는|—|–|-)";
/** A word for a key of any kind that says of what, and a name in place of a password: "la clave primaria es id_factura_2026". */
const KEY_OF = new RegExp(`^(?:clave|密[钥鑰]|токен)\\p{L}{0,4} (?!${IS}[ :])`, "iu");
const IDENTIFIER = /^\p{Ll}+\d{0,4}(?:_(?:\p{Ll}+\d{0,4}|\d{1,4}))+$/u;
/** A user may come before it, and a line may end behind the announcement of a value that is alone on the next one. */
const USER = "(?:[\\p{L}\\p{N}.@_-]{2,64}(?: / |[:/]))?";
const GAP =
  '(?:[ ]{0,2}|[ \\t]{0,4}(?:\\r?\\n|\\\\{1,4}n){1,2}[ \\t]{0,8}(?=[^\\s"\\\\]{6,512}[ \\t]{0,8}(?:[\\r\\n"\\\\]|$)))';
/** "… is DB_PASSWORD=…": the name stays. */
const SET = "(?:[A-Z][A-Z0-9_]{1,63}=)?";
const VALUE = "(?:\\\\{0,4}[\"'«„“`「『])?(?<value>[^\\s\"'`<>{}()\\[\\]\\\\,;«»„“”「」『』。，、]{6,512})";
const [unspaced, spaced] = ["true", "false"].map((is) =>
  PASSWORD_WORDS.split("|")
    .filter((word) => String(UNSPACED.test(word)) === is)
    .join("|"),
);
const WORD = `(?:(?<![\\p{L}\\p{N}_-])(?:${spaced})|${unspaced})\\p{L}{0,4}`;
/** A few words may say which one it is: "for staging", "für den Server". */
const ANNOUNCED = new RegExp(
  `${WORD}(?:(?: [\\p{L}\\p{N}._-]{1,24}){0,5}(?: ${IS}|[:：])|\\\\{0,4}["'\`]?[ ]?(?:[:：=はが是為为은는]|คือ))${GAP}(?:set to |now |gleich )?${USER}${SET}${VALUE}`,
  "dgiu",
);
/** "Log in with the password …": nothing between them says so. */
const BESIDE = new RegExp(`${WORD} ?${VALUE}`, "dgiu");
/** "Log in with admin / …": the name of a user comes before. */
const LOGIN = new RegExp(
  `(?<![\\p{L}\\p{N}_-])(?:(?:log(?:ged)? ?in|sign ?in|anmelden)(?: \\p{L}{2,12}){0,2} (?:with|as|using|mit|als)|(?:login|creds?|credentials|zugangsdaten)(?: \\p{L}{2,12}){0,3}:) \\\\{0,4}["'\`]?[\\p{L}\\p{N}.@_-]{2,64} / ${VALUE}`,
  "dgiu",
);
const LOGIN_SIGN = /[\w.@-] \/ ["'`]?\S{0,62}\d/;
const LOGIN_WORDS = ["login", "log in", "logged", "sign in", "signin", "anmelden", "cred", "zugangsdaten"];
const PASSWORD_SIGN = new RegExp(PASSWORD_WORDS, "i");
/** The letters that each word has in any case. */
const PLAIN_WORDS = PASSWORD_WORDS.split("|")
  .filter((word) => !/[^ -~]/.test(word))
  .map((word) => word.replace(/\[.*/, ""));

export function findAnnouncedPasswords(text: string, { mayHave, hasWide }: Letters): readonly Span[] {
  const logins = LOGIN_WORDS.some(mayHave) && LOGIN_SIGN.test(text) ? announced(text, LOGIN, () => true) : [];
  if (!(hasWide || PLAIN_WORDS.some(mayHave)) || !PASSWORD_SIGN.test(text)) return logins;
  return [...logins, ...announced(text, ANNOUNCED, () => true), ...announced(text, BESIDE, looksChosenInProse)];
}

function announced(text: string, pattern: RegExp, isMeant: (value: string) => boolean): readonly Span[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const value = withoutSentence(match.groups!["value"]!.replace(/[.:!?]{1,4}$/, ""));
    const [start] = match.indices!.groups!["value"]!;
    const end = start + value.length;
    // What a program or a file assigns is for other rules.
    if (/^password["'`]? ?[:=]/i.test(match[0]) || !isMeant(value)) return [];
    if (KEY_OF.test(match[0]) && IDENTIFIER.test(value)) return [];
    const plain =
      !/\p{Nd}/u.test(value) || value.includes(MARKER) || text.startsWith(MARKER, end) || /[(]/.test(text.charAt(end));
    return plain || !isSecretValue(value, "password", "bare") ? [] : [hiddenSpan(start, end, "spoken secret")];
  });
}

/** Where no space ends a value of the same script, the sentence goes on behind its last digit; and what begins with one is a figure. */
function withoutSentence(value: string): string {
  if (!UNSPACED.test(value)) return value;
  return /^\p{Nd}/u.test(value) ? "" : value.replace(/(?<=\p{Nd})[^\p{Nd}]{1,64}$/u, "");
}
