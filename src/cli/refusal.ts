/** What a vendor would say of the form of a request: of its roles, content, ids and tools, by the rules of the strict provider. */
import { returnsReasoning } from "../models/registry/registry.ts";
import { fieldsOf, textOf } from "../protocols/fields.ts";
import type { ProtocolName } from "../protocols/index.ts";
import { definitions } from "../protocols/registry.ts";
import { checkForm } from "../protocols/request-form/form.ts";
import type { Input } from "./input.ts";

/** What the vendor of the protocol says of the form of a request or its messages; nothing where it takes it. */
export function refusalOf(
  { decoded }: Pick<Input, "decoded">,
  protocol: ProtocolName,
  windowTokens: number,
): string | undefined {
  if (decoded === undefined) return undefined;
  const body: unknown = JSON.parse(decoded.body);
  const request = Array.isArray(body) ? { [definitions[protocol].dialect.listKey]: body } : fieldsOf(body);
  return checkForm[protocol](request, {
    bytes: Buffer.byteLength(decoded.body),
    windowTokens,
    returnsReasoning: returnsReasoning(textOf(request["model"]) ?? ""),
  })?.message;
}
