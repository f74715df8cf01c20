/** A certificate that no authority signed, for servers of tests: its key never leaves the process that made it. */
import { generateKeyPairSync, sign } from "node:crypto";

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const DAY_MS = 86_400_000;
/** What X.509 calls them. */
const [ECDSA_WITH_SHA256, COMMON_NAME, ALTERNATIVE_NAMES, BASIC_CONSTRAINTS] = [
  "1.2.840.10045.4.3.2",
  "2.5.4.3",
  "2.5.29.17",
  "2.5.29.19",
] as const;

/** For `name`, from a day ago until `days` from now. */
export function certificateFor(name: string, days = 1): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(objectId(ECDSA_WITH_SHA256));
  const subject = sequence(set(sequence(objectId(COMMON_NAME), utf8(name))));
  const extensions = [
    sequence(objectId(ALTERNATIVE_NAMES), octets(sequence(tagged(0x82, Buffer.from(name))))),
    sequence(objectId(BASIC_CONSTRAINTS), octets(sequence(tagged(0x01, Buffer.from([0xff]))))),
  ];
  const body = sequence(
    tagged(0xa0, integer(2)),
    integer(1),
    algorithm,
    subject,
    sequence(time(Date.now() - DAY_MS), time(Date.now() + days * DAY_MS)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(...extensions)),
  );
  const signature = sign("sha256", body, privateKey);
  const der = sequence(body, algorithm, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = der
    .toString("base64")
    .match(/.{1,64}/g)!
    .join("\n");
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts));
const set = (...parts: readonly Buffer[]): Buffer => tagged(0x31, Buffer.concat(parts));
const octets = (content: Buffer): Buffer => tagged(0x04, content);
const utf8 = (text: string): Buffer => tagged(0x0c, Buffer.from(text));
const integer = (value: number): Buffer => tagged(0x02, Buffer.from([value]));

function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[-:T]|\..*/g, "");
  return tagged(0x18, Buffer.from(`${digits}Z`));
}

function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(sevenBits)]));
}

function sevenBits(value: number): number[] {
  const digits = [value & 0x7f];
  for (let left = value >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}
