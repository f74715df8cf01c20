/** Passwords that a sentence gives, in the languages that people write most: "Das Passwort lautet …", "密码：…", "the password for staging is …". */
import { hiddenSpan, MARKER, type Span } from "./mask.ts";
import { hasRandomPart, isSecretValue } from "./values.ts";

/** What a password is called, by language: stems, as many languages add endings. Some write no spaces. */
const PASSWORD_WORDS =
  "password|passwort|kennwort|mot[ _-]de[ _-]passe|contraseña|clave|senha|palavra-passe|парол|密码|密碼|口令|パスワード|비밀번호|암호|hasł|wachtwoord|lösenord|şifre|parol|hesl|salasana|adgangskode|passord|jelsz|mật khẩu|kata sandi|รหัสผ่าน|κωδικ|كلمة المرور|رمز عبور|סיסמ|पासवर्ड|密钥|密鑰|api-schlüssel|apiキー|токен";
const UNSPACED = /[\p{sc=Han}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Hebrew}]/u;
const IS =
  "(?:is|was|ist|lautet|war|heißt|est|es|é|è|era|to|jest|je|är|er|on|este|là|adalah|είναι|هي|هو|היא|है|คือ|это|:|：|=|は|是|为|為|은|는|—|–|-)";
const VALUE = "\\\\{0,4}[\"'«„“`「『]?(?<value>[^\\s\"'`<>{}()\\[\\]\\\\,;«»„“”「」『』。，、]{6,512})";
const [unspaced, spaced] = ["true", "false"].map((is) =>
  PASSWORD_WORDS.split("|")
    .filter((word) => String(UNSPACED.test(word)) === is)
    .join("|"),
);
const WORD = `(?:(?<![\\p{L}\\p{N}_-])(?:${spaced})|${unspaced})\\p{L}{0,4}`;
/** A few words may say which one it is: "for staging", "für den Server". */
const ANNOUNCED = new RegExp(
  `${WORD}(?:(?: [\\p{L}\\p{N}._-]{1,24}){0,5}(?: ${IS}|[:：])|\\\\{0,4}["'\`]?[ ]?(?:[:：=はが是為为은는]|คือ))[ ]{0,2}(?:set to |now |gleich )?${VALUE}`,
  "dgiu",
);
/** "Log in with the password …": nothing between them says so. */
const BESIDE = new RegExp(`${WORD} ?${VALUE}`, "dgiu");
const PASSWORD_SIGN = new RegExp(PASSWORD_WORDS, "i");

export function findAnnouncedPasswords(text: string): readonly Span[] {
  if (!PASSWORD_SIGN.test(text)) return [];
  return [...announced(text, ANNOUNCED, () => true), ...announced(text, BESIDE, hasRandomPart)];
}

function announced(text: string, pattern: RegExp, isMeant: (value: string) => boolean): readonly Span[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const value = match.groups!["value"]!.replace(/[.:!?]{1,4}$/, "");
    const [start] = match.indices!.groups!["value"]!;
    const end = start + value.length;
    // What a program or a file assigns is for other rules.
    if (/^password["'`]? ?[:=]/i.test(match[0]) || !isMeant(value)) return [];
    const plain =
      !/\d/.test(value) || value.includes(MARKER) || text.startsWith(MARKER, end) || /[(]/.test(text.charAt(end));
    return plain || !isSecretValue(value, "password", "bare") ? [] : [hiddenSpan(start, end, "spoken secret")];
  });
}
