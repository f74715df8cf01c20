/** Passwords that a sentence gives, in the languages that people write most: "Das Passwort lautet …", "密码：…", "the password for staging is …". */
import { hiddenSpan, MARKER, type Span } from "./mask.ts";
import { isSecretValue } from "./values.ts";

/** What the word for a password is, by language; with the verbs and signs that may come before what it is. */
const WORDS =
  "password|passwort|kennwort|mot de passe|contraseña|clave|senha|palavra-passe|парол[ья]|пароля|密码|密碼|口令|パスワード|비밀번호|암호|hasło|wachtwoord|lösenord|şifre|parola";
const IS = "(?:is|was|ist|lautet|war|heißt|est|es|é|era|to|jest|это|:|：|=|は|是|为|為|은|는|—|–|-)";
/** A few words may say which one it is: "for staging", "für den Server". */
const ANNOUNCED = new RegExp(
  `(?<![\\p{L}\\p{N}_-])(?:${WORDS})(?:(?: [\\p{L}\\p{N}._-]{1,24}){0,5} ${IS}|[ ]?[:：=は是为為은는])[ ]{0,2}(?:set to |now |gleich )?["'«„“\`「『]?(?<value>[^\\s"'\`<>{}()\\[\\]\\\\,;«»„“”「」『』。，、]{6,512})`,
  "dgiu",
);
const SIGN = new RegExp(WORDS, "i");

export function findAnnouncedPasswords(text: string): readonly Span[] {
  if (!SIGN.test(text)) return [];
  return [...text.matchAll(ANNOUNCED)].flatMap((found) => {
    const value = found.groups!["value"]!.replace(/[.:!?]{1,4}$/, "");
    const [start] = found.indices!.groups!["value"]!;
    const end = start + value.length;
    // What a program or a file assigns is for other rules.
    if (/^password ?[:=]/i.test(found[0])) return [];
    const plain =
      !/\d/.test(value) || value.includes(MARKER) || text.startsWith(MARKER, end) || /[(]/.test(text.charAt(end));
    return plain || !isSecretValue(value, "password", "bare") ? [] : [hiddenSpan(start, end, "spoken secret")];
  });
}
