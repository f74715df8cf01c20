/** Secrets that a format, a table or a sentence introduces in its own way, alone and as JSON; and what only looks like one. */
import { describe, expect, it } from "vitest";
import { redact } from "../../../src/core/redaction/redact.ts";

/** Put together here, so that no scanner of repositories takes this file for a leak. */
const chosen = (seed: number): string => `Vq${seed}${"tRzp"}${"Kw8"}m${seed * 7}`;
const base64 = (length: number): string => "MIIb3Jhd2luZ0tleQx7Zk9vR2tUd1pXeU1sQ0".repeat(9).slice(0, length);
const S = chosen(3);
const PEM_END = `-----END RSA ${"PRIVATE"} KEY-----`;

const PLANTED: readonly (readonly [kind: string, secret: string, text: string])[] = [
  ["kubeconfig", base64(120), `users:\n- name: ida\n  user:\n    client-key-data: ${base64(120)}`],
  [
    "Kubernetes Secret, data first",
    "b3JjaGFyZHZhbHVl",
    "apiVersion: v1\ndata:\n  greeting: b3JjaGFyZHZhbHVl\nkind: Secret\n",
  ],
  [
    "Kubernetes Secret, stringData",
    "orchard value",
    "kind: Secret\nstringData:\n  motto: orchard value\ntype: Opaque".replace("orchard value", "orchardvalue"),
  ],
  ["docker auth", "aWRhOnJpdmVyYmFuaw", '{"auths":{"registry.example":{"auth":"aWRhOnJpdmVyYmFuaw=="}}}'],
  ["YAML block", S, `db:\n  password: |\n    ${S}\n  port: 5432`],
  ["YAML folded", S, `api_key: >-\n  ${S}\nname: shop`],
  ["SQL, password", S, `ALTER ROLE ida WITH LOGIN PASSWORD '${S}';`],
  ["SQL, identified by, bare", S, `CREATE USER ida IDENTIFIED BY ${S} DEFAULT TABLESPACE users;`],
  ["call that sets a variable", S, `os.Setenv("DB_PASSWORD", "${S}")`],
  ["table of psql", S, ` id | api_token\n----+----------\n  1 | ${S}\n(1 row)`],
  ["table of mysql", S, `+----+----------+\n| id | password |\n+----+----------+\n|  1 | ${S} |\n+----+----------+`],
  ["SQL, identified by", S, `CREATE USER 'ida'@'%' IDENTIFIED BY '${S}';`],
  ["SQL, insert", S, `INSERT INTO users (name, password, age) VALUES ('ida', '${S}', 30), ('bo', '${S}', 31);`],
  ["PHP", S, `define('DB_PASSWORD', '${S}');`],
  ["Terraform", S, `variable "db_password" {\n  type    = string\n  default = "${S}"\n}`],
  ["shadow", "Zx8rT1yQeWmN2bVc", `ida:$6$saltsalt$${"Zx8rT1yQeWmN2bVc".repeat(5)}:19800:0:99999:7:::`],
  ["htpasswd", "Hf8nQz3RtYw6PmKdJ", `ida:$apr1$9Xk2pLqa$${"Hf8nQz3RtYw6PmKdJ"}1`],
  [".pgpass", S, `db.example.com:5432:shop:ida:${S}\n`],
  ["PEM without its first line", base64(64), `${base64(64)}\n${base64(64)}\n${base64(20)}\n${PEM_END}`],
  [
    "PuTTY",
    base64(64),
    `PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 2\n${base64(64)}\n${base64(40)}\nPrivate-MAC: 0a`,
  ],
  ["sudo -S", S, `echo ${S} | sudo -S systemctl restart web`],
  ["sudo -S from a string", S, `sudo -S apt update <<< "${S}"`],
  ["entities", S, `<input password=&quot;${S}&quot;>`],
  ["Markdown table", S, `| user | password |\n| --- | --- |\n| ida | ${S} |\n| bo | ${S} |`],
  ["CSV", S, `name,password,age\nida,${S},30\nbo,${S},31\n`],
  ["TSV", S, `name\tpassword\nida\t${S}\n`],
  ["code of OAuth", "SplxlOBeZQQYbYS6WxSbIA", "https://app.example/cb?code=SplxlOBeZQQYbYS6WxSbIA&state=x"],
  [
    "code in a form",
    "SplxlOBeZQQYbYS6WxSbIA",
    "grant_type=authorization_code&code=SplxlOBeZQQYbYS6WxSbIA&redirect_uri=x",
  ],
  [
    "signature of an address",
    "wKbmrYvtnGFNRLNEFOHcQyShDjZaaa",
    "https://files.example/a?signature=wKbmrYvtnGFNRLNEFOHcQyShDjZaaa",
  ],
  ["plain key", "meadowvalue", '{"apiKey": "meadowvalue"}'],
  ["plain token", "hillsidevalue", '{"access_token": "hillsidevalue"}'],
  ["plain credential", "our-team-value-nine", "Authorization: Bearer our-team-value-nine"],
  ["short plain key", "wordvalue", '{"apiKey": "wordvalue"}'],
  ["short credential", "abc123", "Authorization: Bearer abc123"],
  ["credential that says what it is", "y-secret", "Authorization: Bearer my-secret-token"],
  ["salt", "orchard7value", "ENCRYPTION_SALT=orchard7value"],
  ["English", S, `The password for the staging server is ${S}, please use it.`],
  ["German", S, `Das Passwort lautet ${S}.`],
  ["German, for something", S, `Das Kennwort für den Server ist ${S}.`],
  ["French", S, `Voici le mot de passe : ${S}`],
  ["Spanish", S, `La contraseña del servidor es ${S}`],
  ["Portuguese", S, `A senha do banco é ${S}.`],
  ["Russian", S, `пароль: ${S}`],
  ["Chinese", S, `密码：${S}`],
  ["Japanese", S, `パスワードは${S}です`],
  ["Korean", S, `비밀번호는 ${S}`],
  ["Chinese, for something", S, `数据库的密码是${S}`],
  ["Japanese, for something", S, `サーバーのパスワードは${S}です`],
  ["Russian, for something", S, `Пароль от сервера: ${S}`],
  ["Italian", S, `La password per lo staging è ${S}`],
  ["Swedish", S, `Lösenordet är ${S}`],
  ["Danish", S, `Adgangskoden er ${S}`],
  ["Finnish", S, `Salasana on ${S}`],
  ["Czech", S, `Heslo k serveru je ${S}`],
  ["Polish, declined", S, `Hasłem jest ${S}`],
  ["Romanian", S, `Parola este ${S}`],
  ["Turkish", S, `Sunucunun şifresi: ${S}`],
  ["Greek", S, `Ο κωδικός είναι ${S}`],
  ["Vietnamese", S, `Mật khẩu là ${S}`],
  ["Thai", S, `รหัสผ่านคือ ${S}`],
  ["Indonesian", S, `Kata sandinya adalah ${S}`],
  ["Arabic", S, `كلمة المرور هي ${S}`],
  ["Hebrew", S, `הסיסמה היא ${S}`],
  ["Hindi", S, `पासवर्ड है ${S}`],
  ["beside its word", "Kq7vXr29TbWm", "Log in with the password Kq7vXr29TbWm please"],
  ["beside its word, Russian", "Kq7vXr29TbWm", "Используй пароль Kq7vXr29TbWm для входа"],
  ["field in Spanish", S, `{"contraseña": "${S}"}`],
  ["field in Russian", S, `{"пароль": "${S}"}`],
  ["field in French", S, `mot_de_passe: ${S}`],
  ["mongo", S, `mongo -u admin -p ${S} db`],
  ["7z", S, `7z x -p${S} a.7z`],
  ["zip", S, `zip -P ${S} a.zip b`],
  ["openssl", S, `openssl enc -aes256 -k ${S} -in f`],
  ["ldapsearch", S, `ldapsearch -D cn=admin -w ${S}`],
  ["chpasswd", S, `echo "ida:${S}" | sudo chpasswd`],
  ["plist", S, `<key>password</key>\n<string>${S}</string>`],
];

describe.each(PLANTED)("%s", (_, secret, text) => {
  it.each([
    ["alone", text],
    ["in prose", `This is what there is:\n\n${text}\n\nWhat is missing?`],
  ])("is masked %s", (_place, where) => {
    const safe = redact(where);
    for (let at = 0; at + 6 <= secret.length; at++) expect(safe.text).not.toContain(secret.slice(at, at + 6));
    expect(redact(safe.text)).toEqual({ text: safe.text, count: 0, kinds: [] });
  });

  it("is masked in a string of JSON, which stays one", () => {
    const safe = redact(JSON.stringify({ content: text, next: null })).text;
    for (let at = 0; at + 6 <= secret.length; at++) expect(safe).not.toContain(secret.slice(at, at + 6));
    expect(JSON.parse(safe)).toHaveProperty("next");
  });
});

it.each([
  "Take DB_PASSWORD=from the vault before the shift.",
  "We have 49 boxes: order +49 170 0000 units of paper.",
  "The password for staging is in the vault.",
  "Authorization: Bearer your-token",
  "Authorization: Bearer access_token",
  "✓ says that the passphrase 'correct horse battery staple' is weak",
  "Das Passwort ist zu kurz.",
  "La contraseña es obligatoria.",
  "密码是必填项。",
  "Set the password Argon2id hashes and the token Base64Url reads.",
  "La parole est à 2 orateurs.",
  "unzip -P fails; zip -r a.zip src/app2/x1.ts",
  "ALTER TABLE users ADD COLUMN password text;",
  "| field | type | password |\n| --- | --- | --- |\n| a | string | required |",
  "kind: ConfigMap\ndata:\n  greeting: hello-world-2024",
  "description: |\n  Two lines of text\n  about release 2024a1",
  "src/a.ts:120:5:error: expected 3 arguments",
  "echo done | sudo tee /etc/motd",
  "✓ says that the passphrase 'correct horse' is too short",
  'variable "region" {\n  default = "eu-central-1"\n}',
])("left alone: %s", (text) => {
  expect(redact(text)).toEqual({ text, count: 0, kinds: [] });
});
