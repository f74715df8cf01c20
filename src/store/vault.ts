/**
 * What a store keeps of the contents: themselves, or with a key their ciphertext (AES-256-GCM, a fresh nonce each).
 * Encrypted are bodies, compactions, states and labels; not who, when, how much and in what order. Bodies are still found by
 * their hash, which with a key is a keyed one, so that nobody can try whether a text is there.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";

export type Content = "body" | "compaction" | "state" | "label" | "proof";

export interface Vault {
  /** Words of an encrypted text would tell it: there is no index of them. */
  readonly encrypts: boolean;
  readonly seal: (what: Content, plain: Uint8Array) => Uint8Array;
  /** Throws where it was not sealed with this key. */
  readonly open: (what: Content, sealed: Uint8Array) => Uint8Array;
  readonly sealText: (what: Content, plain: string) => string;
  readonly openText: (what: Content, sealed: string) => string;
  /** What a body with this hash is found by. */
  readonly keyed: (hash: Uint8Array) => Uint8Array;
}

export const KEY_BYTES = 32;
const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PROOF = Buffer.from("precis");

const PLAIN: Vault = {
  encrypts: false,
  seal: (_, plain) => plain,
  open: (_, sealed) => sealed,
  sealText: (_, plain) => plain,
  openText: (_, sealed) => sealed,
  keyed: (hash) => hash,
};

export function createVault(key: Uint8Array | undefined): Vault {
  if (key === undefined) return PLAIN;
  const derived = (use: string): Buffer => Buffer.from(hkdfSync("sha256", key, "", `precis ${use}`, KEY_BYTES));
  const [cipherKey, hashKey] = [derived("contents"), derived("hashes")];
  const seal: Vault["seal"] = (what, plain) => {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, cipherKey, nonce).setAAD(Buffer.from(what));
    return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  };
  const open: Vault["open"] = (what, sealed) => {
    const end = sealed.length - TAG_BYTES;
    const cipher = createDecipheriv(CIPHER, cipherKey, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(what)).setAuthTag(sealed.subarray(end));
    return Buffer.concat([cipher.update(sealed.subarray(NONCE_BYTES, end)), cipher.final()]);
  };
  return {
    encrypts: true,
    seal,
    open,
    sealText: (what, plain) => Buffer.from(seal(what, Buffer.from(plain))).toString("base64"),
    openText: (what, sealed) => Buffer.from(open(what, Buffer.from(sealed, "base64"))).toString(),
    keyed: (hash) => createHmac("sha256", hashKey).update(hash).digest(),
  };
}

/** What is kept beside the contents, so that another key is known for one. */
export function proofOf(vault: Vault): Uint8Array {
  return vault.seal("proof", PROOF);
}

export function opens(vault: Vault, proof: Uint8Array): boolean {
  try {
    return Buffer.compare(vault.open("proof", proof), PROOF) === 0;
  } catch {
    return false;
  }
}
