/** What a vendor would say of the form of a request: of its roles, content, ids and tools, by the rules of `precis provider`. */
import { fieldsOf } from "../protocols/fields.ts";
import type { ProtocolName } from "../protocols/index.ts";
import { definitions } from "../protocols/registry.ts";
import { wires } from "../provider/wires.ts";
import type { Input } from "./input.ts";

/** What the vendor of the protocol says of the form of a request or its messages; nothing where it takes it. */
export function refusalOf(
  { decoded }: Pick<Input, "decoded">,
  protocol: ProtocolName,
  windowTokens: number,
): string | undefined {
  if (decoded === undefined) return undefined;
  const { shape, bodyBytesMax = Infinity, tooLarge } = wires[protocol];
  const body: unknown = JSON.parse(decoded.body);
  const request = Array.isArray(body) ? { [definitions[protocol].dialect.listKey]: body } : fieldsOf(body);
  const refusal = Buffer.byteLength(decoded.body) > bodyBytesMax ? tooLarge : shape(request, windowTokens);
  return refusal?.message;
}
