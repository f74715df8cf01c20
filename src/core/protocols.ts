/** The wire protocols and whose they are, by name. What a name means is said in src/protocols, one folder each. */
const PROTOCOLS = {
  "openai-chat": "openai",
  "openai-responses": "openai",
  "anthropic-messages": "anthropic",
  "google-gemini": "google",
} as const;

export type ProtocolName = keyof typeof PROTOCOLS;
export type Vendor = (typeof PROTOCOLS)[ProtocolName];

export const PROTOCOL_NAMES = Object.freeze(Object.keys(PROTOCOLS)) as readonly ProtocolName[];
export const VENDORS: readonly Vendor[] = Object.freeze([...new Set(Object.values(PROTOCOLS))]);

export function byProtocol<Value>(valueOf: (name: ProtocolName) => Value): Readonly<Record<ProtocolName, Value>> {
  const entries = PROTOCOL_NAMES.map((name) => [name, valueOf(name)] as const);
  return Object.freeze(Object.fromEntries(entries)) as Readonly<Record<ProtocolName, Value>>;
}
