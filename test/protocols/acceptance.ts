/** What each provider's door lets in, independent of our encoders: a list of complaints. */
import type { ProtocolName } from "../../src/core/protocols.ts";
import { kits } from "../support/wires.ts";
import type { WireRequest } from "../support/wires/kit.ts";

export function complaintsAbout(protocol: ProtocolName, request: WireRequest): readonly string[] {
  const complaints: string[] = [];
  kits[protocol].check(request, (text) => complaints.push(text));
  return complaints;
}
