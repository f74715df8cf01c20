/**
 * Secrets to plant, put together at run time from pieces so that no scanner of repositories takes this file for a
 * leak: a shape is a way to write a secret, a context a place where one is found.
 */

/** A deterministic body of `length` characters of `alphabet`; every one holds letters and digits. */
function body(alphabet: string, length: number, seed: number): string {
  let state = seed * 2_654_435_761 + 12_345;
  const characters = Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return alphabet[Math.floor((state / 2 ** 32) * alphabet.length)] as string;
  });
  return `${characters.slice(0, -3).join("")}7b3`;
}

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const ALNUM = `${LOWER}${LOWER.toUpperCase()}0123456789`;
const HEX = "0123456789abcdef";
const BASE64URL = `${ALNUM}_-`;
const BASE64 = `${ALNUM}+/`;

const alnum = (length: number, seed = length): string => body(ALNUM, length, seed);
const hex = (length: number, seed = length): string => body(HEX, length, seed);
const url = (length: number, seed = length): string => body(BASE64URL, length, seed);
const upper = (length: number): string => alnum(length).toUpperCase();

function jwt(seed: number): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  return [
    encode({ alg: "HS256", typ: "JWT" }),
    encode({ sub: `user-${seed}`, iat: 1_700_000_000 }),
    url(43, seed),
  ].join(".");
}

/** Tokens that are recognised by themselves, wherever they are. */
export const TOKENS: Readonly<Record<string, string>> = {
  OpenAI: `sk${"-"}${alnum(48)}`,
  "OpenAI, project": `sk${"-"}proj-${url(64)}`,
  Anthropic: `sk${"-"}ant-api03-${url(93)}`,
  OpenRouter: `sk${"-"}or-v1-${hex(64)}`,
  "GitHub, classic": `gh${"p_"}${alnum(36)}`,
  "GitHub, OAuth": `gh${"o_"}${alnum(36, 2)}`,
  "GitHub, server": `gh${"s_"}${alnum(36, 3)}`,
  "GitHub, refresh": `gh${"r_"}${alnum(76)}`,
  "GitHub, fine-grained": `github${"_pat_"}${alnum(22)}_${alnum(59)}`,
  GitLab: `gl${"pat-"}${url(20)}`,
  "Slack, bot": `xo${"xb-"}482159037164-7351908264471-${alnum(24)}`,
  "Slack, app": `xa${"pp-"}1-A012BCD34-6351908264471-${hex(64)}`,
  "Google API": `AI${"za"}Sy${url(33)}`,
  "Google OAuth": `ya${"29."}${url(80)}`,
  "Hugging Face": `h${"f_"}${alnum(34)}`,
  PyPI: `py${"pi-"}AgEIcHlwaS5vcmc${url(60)}`,
  npm: `np${"m_"}${alnum(36, 5)}`,
  "AWS key id": `AK${"IA"}${upper(16)}`,
  "AWS temporary key id": `AS${"IA"}${upper(16)}`,
  SendGrid: `S${"G."}${url(22)}.${url(43)}`,
  "Stripe, live": `sk_${"live_"}${alnum(24)}`,
  "Stripe, restricted": `rk_${"live_"}${alnum(26)}`,
  "Stripe, webhook": `whs${"ec_"}${alnum(32)}`,
  DigitalOcean: `do${"p_v1_"}${hex(64)}`,
  Shopify: `shp${"at_"}${hex(32)}`,
  Docker: `dck${"r_pat_"}${url(27)}`,
  Groq: `gs${"k_"}${alnum(52)}`,
  Databricks: `da${"pi"}${hex(32)}`,
  Vault: `hv${"s."}${url(90)}`,
  Twilio: `S${"K"}${hex(32)}`,
  Linear: `lin${"_api_"}${alnum(40)}`,
  xAI: `xa${"i-"}${alnum(80)}`,
  Perplexity: `pp${"lx-"}${alnum(48, 6)}`,
  NVIDIA: `nva${"pi-"}${url(64, 11)}`,
  LangSmith: `ls${"v2_pt_"}${hex(32, 12)}_${hex(10, 13)}`,
  Pinecone: `pc${"sk_"}${alnum(60, 14)}`,
  Replicate: `r${"8_"}${alnum(37, 15)}`,
  "Google API, new": `A${"Q."}Ab8${url(47, 16)}`,
  "GitLab, pipeline": `gl${"ptt-"}${hex(40, 17)}`,
  "Slack, browser": `xo${"xc-"}48215903716-73519082644-73519082645-${hex(64, 18)}`,
  Atlassian: `AT${"ATT3"}xFfGF0${url(170, 19)}`,
  RubyGems: `ruby${"gems_"}${hex(48, 20)}`,
  NuGet: `oy${"2"}${alnum(43, 21).toLowerCase()}`,
  CircleCI: `CC${"IPAT_"}${alnum(22, 22)}_${hex(40, 23)}`,
  Sourcegraph: `sg${"p_"}${hex(16, 24)}_${hex(40, 25)}`,
  SonarQube: `sq${"p_"}${hex(40, 26)}`,
  Supabase: `sb${"p_"}${hex(40, 27)}`,
  PlanetScale: `psc${"ale_pw_"}${alnum(43, 28)}`,
  Vercel: `vc${"p_"}${alnum(56, 29)}`,
  Cloudflare: `cf${"ut_"}${alnum(40, 30)}${hex(8, 31)}`,
  Tailscale: `tsk${"ey-auth-"}k${alnum(11, 32)}CNTRL-${alnum(32, 33)}`,
  "New Relic": `NR${"AK-"}${alnum(27, 34).toUpperCase()}`,
  Grafana: `gl${"sa_"}${alnum(32, 35)}_${hex(8, 36)}`,
  Doppler: `dp.${"pt."}${alnum(43, 37)}`,
  "1Password, service": `ops${"_eyJ"}${alnum(120, 38)}`,
  Age: `AGE-SECRET${"-KEY-1"}${alnum(58, 39).toUpperCase()}`,
  Figma: `fi${"gd_"}${url(40, 41)}`,
  Notion: `nt${"n_"}12345678901${alnum(35, 42)}`,
  Postman: `PM${"AK-"}${hex(24, 43)}-${hex(34, 44)}`,
  Brevo: `xkey${"sib-"}${hex(64, 45)}-${alnum(16, 46)}`,
  Mailgun: `ke${"y-"}${hex(32, 47)}`,
  Resend: `r${"e_"}${alnum(8, 48)}_${alnum(24, 49)}`,
  Square: `sq0${"csp-"}${url(43, 50)}`,
  Razorpay: `rzp${"_live_"}${alnum(14, 51)}`,
  Pulumi: `pu${"l-"}${hex(40, 52)}`,
  Sentry: `sn${"tryu_"}${hex(64, 53)}`,
  "JSON web token": jwt(1),
  "Discord bot": `M${alnum(23)}.${url(6, 9)}.${url(38)}`,
};

/** Where a token may are. */
export const PLACES: Readonly<Record<string, (token: string) => string>> = {
  prose: (token) => `Use ${token}, it expires on Friday.`,
  "end of a sentence": (token) => `The one that works is ${token}.`,
  "environment file": (token) => `DEBUG=1\nSERVICE_TOKEN=${token}\nPORT=80\n`,
  JSON: (token) => JSON.stringify({ id: 4, value: token, next: null }),
  "JSON in JSON": (token) => JSON.stringify({ arguments: JSON.stringify({ text: `line\n${token}\nline` }) }),
  YAML: (token) => `service:\n  credentials:\n    - ${token}\n`,
  URL: (token) => `https://api.example.org/v1/items?id=3&access=${token}&page=2`,
  "encoded URL": (token) => `next=https%3A%2F%2Fa.example%2F%3Fx%3D${token}`,
  header: (token) => `> GET /me HTTP/1.1\n> Authorization: Bearer ${token}\n> Accept: */*`,
  code: (token) => `const client = createClient({ auth: "${token}" }); // see docs`,
  "coloured log": (token) => `\u001b[33mwarn\u001b[39m leaked \u001b[1m${token}\u001b[22m`,
  "name of a file": (token) => `see ./backups/old-${token}.txt`,
  "Chinese prose": (token) => `请使用${token}，不要提交。`,
};

const password = `tr0ub4dor${"&"}3x`;
const generated = alnum(40, 77);
const pem = (label: string): string =>
  [
    `-----BEGIN ${label}-----`,
    ...Array.from({ length: 6 }, (_, line) => body(BASE64, 64, line + 40)),
    `${body(BASE64, 30, 90)}==`,
    `-----END ${label}-----`,
  ].join("\n");
const rsa = pem(`RSA PRIVATE${" KEY"}`);

/** Texts that hold a secret only their surroundings give away: what must vanish, and the text. */
export const NAMED: readonly (readonly [name: string, secret: string, text: string])[] = [
  ["JSON, passphrase", "correct horse battery", '{"user":"ida","passphrase":"correct horse battery staple"}'],
  ["code, password with spaces", "tr0ub4dor zebra", 'login("ida", password="tr0ub4dor zebra 3x")'],
  ["environment, password with spaces", "my dog has fleas", 'DB_PASSWORD="my dog has fleas"'],
  ["list of settings, YAML", password, `- name: DB_PASSWORD\n  value: ${password}\n`],
  ["list of settings, JSON", generated, JSON.stringify([{ name: "API_KEY", value: generated }])],
  ["settings, XML", generated, `<add key="ApiKey" value="${generated}" />`],
  [
    "JSON in JSON in JSON",
    generated,
    JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ api_key: generated }) }) }),
  ],
  ["form, first field", generated, `code=${generated}&grant_type=authorization_code`],
  ["form, of several parts", password, `Content-Disposition: form-data; name="password"\r\n\r\n${password}\r\n--x--`],
  ["form, part on one line", password, `Content-Disposition: form-data; name="password" ${password} --x--`],
  ["data source of Go", password.replace("&", "%"), `ida:${password.replace("&", "%")}@tcp(127.0.0.1:3306)/shop`],
  ["shell, fish", generated, `set -gx API_TOKEN ${generated}`],
  ["shell, Windows", generated, `setx OPENAI_API_KEY "${generated}"`],
  ["Dockerfile, spaced", generated, `ENV API_KEY ${generated}`],
  ["option, docker", "hunter2x", "docker login -u ida -p hunter2x registry.example"],
  ["option, redis", "hunter2x", "redis-cli -h cache -a hunter2x ping"],
  ["AWS secret alone", "wJalrXUtnFEMIK7MDENGbPxRfiCY/2PLEKEYa1b2", "wJalrXUtnFEMIK7MDENGbPxRfiCY/2PLEKEYa1b2"],
  ["announced in prose", generated, `please use this token ${generated} for the staging API`],
  ["announced, credentials", generated, `the credentials he sent were: ${generated}`],
  ["mnemonic", "zebra", 'mnemonic: "legal winner thank year wave sausage zebra useful legal winner thank yellow"'],
  ["telephone, spaced", "415 555 0123", "call me on +1 415 555 0123 tomorrow"],
  ["telephone, dashes", "415-555-0123", "Phone: +1-415-555-0123"],
  ["telephone, brackets", "415) 555-0123", "Phone: +1 (415) 555-0123"],
  ["telephone, trunk prefix", "30 901820", "Tel. +49 (0)30 901820 oder per Mail"],
  ["telephone, points", "1.23.45.67.89", "tél. +33.1.23.45.67.89"],
  ["telephone, pairs", "6 12 34 56 78", "Appelez le +33 6 12 34 56 78."],
  ["environment, plain", password, `DB_PASSWORD=${password}`],
  ["environment, exported", generated, `export OPENAI_API_KEY=${generated}\n`],
  ["environment, quoted", password, `MYSQL_ROOT_PASSWORD="${password}"`],
  ["environment, numbered", generated, `SLACK_TOKEN_2=${generated}`],
  ["environment, joined name", password, `PGPASSWORD=${password} psql -h db`],
  ["environment, secret", generated, `SECRET_KEY_BASE=${generated}`],
  ["environment, credential", generated, `AZURE_CREDENTIAL=${generated}`],
  ["environment, word", "correcthorsebattery", "ADMIN_PASSWD=correcthorsebattery"],
  ["Dockerfile", generated, `ENV API_KEY=${generated}`],
  ["compose file", "swordfish", "    environment:\n      POSTGRES_PASSWORD: swordfish\n"],
  ["JSON, camel case", generated, JSON.stringify({ apiKey: generated })],
  ["JSON, snake case", generated, JSON.stringify({ access_token: generated, expires_in: 3600 })],
  ["JSON, password", password, JSON.stringify({ user: "ida", password })],
  ["JSON, word", "letmeinplease", '{"password":"letmeinplease"}'],
  ["JSON in JSON", generated, JSON.stringify({ body: JSON.stringify({ refresh_token: generated }) })],
  ["JSON, spaced", generated, `{\n  "client_secret" : "${generated}"\n}`],
  ["JSON, cut off", generated, `{"id": 1, "clientSecret": "${generated}`],
  ["YAML, plain", password, `database:\n  password: ${password}\n  port: 5432`],
  ["YAML, quoted", password, `smtp:\n  passwd: '${password}'`],
  ["YAML, key", generated, `signing-key: ${generated}`],
  ["INI", password, `[mail]\npwd = ${password}`],
  ["properties", password, `spring.datasource.password=${password}`],
  ["TOML", generated, `auth_token = "${generated}"`],
  ["code, constant", generated, `const apiSecret = "${generated}";`],
  ["code, typed", password, `password: str = "${password}"`],
  ["code, typed, TypeScript", generated, `private readonly accessToken: string = '${generated}';`],
  ["code, Go", password, `dbPassword := "${password}"`],
  ["code, PHP", password, `'password' => '${password}',`],
  ["code, keyword argument", password, `connect(user="ida", password="${password}")`],
  ["option", password, `mysqldump --user root --password ${password} shop`],
  ["option, joined", generated, `cli login --token=${generated}`],
  ["option, list", generated, `["deploy", "--api-key", "${generated}"]`],
  ["Authorization, Bearer", generated, `Authorization: Bearer ${generated}`],
  ["Authorization, Basic", "aWRhOnRyMHViNGRvcg==", "Authorization: Basic aWRhOnRyMHViNGRvcg=="],
  ["Authorization, token", generated, `authorization: token ${generated}`],
  ["Authorization, raw", generated, `Authorization: ${generated}`],
  ["Authorization, JSON", generated, JSON.stringify({ headers: { Authorization: `Bearer ${generated}` } })],
  ["Authorization, curl", generated, `curl -H 'Authorization: Bearer ${generated}' https://x.example`],
  ["Bearer alone", generated, `headers.set("auth", "Bearer ${generated}")`],
  ["header, API key", generated, `X-Api-Key: ${generated}`],
  ["header, auth token", generated, `x-auth-token: ${generated}`],
  ["cookie", generated, `Cookie: theme=dark; sessionid=${generated}`],
  ["cookie, first of two", generated, `Cookie: sid=${generated}; theme=dark`],
  ["cookie, set", generated, `Set-Cookie: session=${generated}; Path=/; HttpOnly; Secure`],
  ["Telegram, URL", generated.slice(0, 35), `https://api.telegram.org/bot123456789:${generated.slice(0, 35)}/getMe`],
  ["Telegram, alone", generated.slice(0, 35), `the bot is 987654321:${generated.slice(0, 35)}`],
  ["PEM, RSA", rsa.slice(40, 200), rsa],
  ["PEM, unlabelled", body(BASE64, 64, 41), pem(`PRIVATE${" KEY"}`)],
  [
    "PEM, OpenSSH, indented",
    body(BASE64, 64, 42),
    `key: |\n  ${pem(`OPENSSH PRIVATE${" KEY"}`).replaceAll("\n", "\n  ")}\n`,
  ],
  ["PEM, cut off", body(BASE64, 64, 43), `${pem(`EC PRIVATE${" KEY"}`).slice(0, 330)}\n\nand then prose goes on`],
  [
    "PEM, in JSON",
    body(BASE64, 64, 44),
    JSON.stringify({ type: "service_account", private_key: rsa, client_email: "a@b.example" }),
  ],
  [
    "PEM, encrypted",
    body(BASE64, 64, 45),
    rsa.replace("-----\n", "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00FF\n\n"),
  ],
  ["PostgreSQL", password, `postgres://ida:${password}@db.example:5432/shop`],
  ["MySQL", "s3cret", "DATABASE_URL=mysql://root:s3cret@127.0.0.1/app"],
  ["MongoDB", password, `mongodb+srv://app:${password}@cluster0.example.net/?retryWrites=true`],
  ["Redis without a user", "hunter2hunter2", "redis://:hunter2hunter2@cache:6379/0"],
  ["AMQP", password, `amqp://guest:${password}@mq.example//`],
  ["JDBC", password, `jdbc:postgresql://db/shop?user=ida&password=${password}`],
  ["ADO", password, `Server=db;Database=shop;User Id=ida;Password=${password};`],
  [
    "Azure storage",
    `${generated}${generated}==`,
    `DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=${generated}${generated}==;`,
  ],
  ["URL, user and password", password, `git clone https://ida:${password}@git.example/shop.git`],
  ["URL, token as user", generated, `https://${generated}@git.example/shop.git`],
  ["query, access token", generated, `GET /me?access_token=${generated}&fields=id`],
  ["query, code", alnum(30), `/callback?code=${alnum(30)}&state=3`],
  ["query, signature", hex(64), `https://s3.example/o?X-Amz-Signature=${hex(64)}`],
  ["query, key", alnum(32, 8), `https://maps.example/js?v=3&key=${alnum(32, 8)}`],
  ["form", generated, `grant_type=authorization_code&client_id=shop&client_secret=${generated}&code=${alnum(30)}`],
  ["form, password", password.replace("&", "-"), `username=ida&password=${password.replace("&", "-")}&remember=1`],
  ["AWS secret", body(BASE64, 40, 3), `aws_secret_access_key = ${body(BASE64, 40, 3)}`],
  ["AWS secret, JSON", body(BASE64, 40, 4), JSON.stringify({ SecretAccessKey: body(BASE64, 40, 4) })],
  ["npm configuration", hex(36), `//registry.example.org/:_authToken=${hex(36)}`],
  ["Slack webhook", alnum(24), `https://hooks.slack.com/services/T0123ABCD/B0123ABCD/${alnum(24)}`],
  ["Discord webhook", url(68), `https://discord.com/api/webhooks/987654321098765432/${url(68)}`],
  ["XML element", password.replace("&", "%"), `<server><password>${password.replace("&", "%")}</password></server>`],
  ["option, curl", "hunter2x", "curl -u ida:hunter2x https://x.example"],
  ["option, mysql", "hunter2x", "mysql -u root -phunter2x shop"],
  ["option, sshpass", "hunter2x", "sshpass -p 'hunter2x' ssh ida@host"],
  [".netrc", "hunter2x", "machine git.example login ida password hunter2x"],
  ["Authorization, PHP", "aWRhOnRyMHViNGRvcg==", "'Authorization' => 'Basic aWRhOnRyMHViNGRvcg=='"],
  ["Google client", alnum(28), `the client uses GOC${"SPX-"}${alnum(28)} today`],
  ["Google refresh", url(60), `got 1/${"/0"}${url(60)} back`],
  [
    "AWS secret, no long part",
    "wJa1rXUtnF/K7MDENG/bPxRfiCYzzAM",
    "aws_secret_access_key=wJa1rXUtnF/K7MDENG/bPxRfiCYzzAM",
  ],
  ["AWS temporary, JSON in JSON", generated, JSON.stringify({ text: JSON.stringify({ SessionToken: generated }) })],
  ["private key in hexadecimal", hex(64, 9), `PRIVATE_KEY=0x${hex(64, 9)}`],
  ["spoken password", "hunter2", "The password is hunter2, do not tell anyone."],
  ["spoken key", generated, `my api key is ${generated}`],
  ["labelled in prose", generated, `API key: ${generated}`],
  ["labelled password", "hunter22", "user: ida\npassword: hunter22\n"],
  ["mention", "123456789012345678", "thanks <@123456789012345678>!"],
  ["mention of a role", "223456789012345678", "ping <@&223456789012345678>"],
  ["telephone", "14155550123", "call me on +14155550123 tomorrow"],
  ["telephone, JSON", "4915123456789", '{"from":"+4915123456789"}'],
];
