/** The last step: the answer goes back to the client, and what it taught is learned once the client has it. */
import type { Bytes, ClientResponse, HeaderLines } from "../contract.ts";
import type { OwnAnswerBody } from "../../protocols/answers/own-answer.ts";
import { backwardHeaders } from "../transport/headers.ts";
import type { GatewayContext } from "./context.ts";
import { reportFault } from "./fault.ts";
import { learnFrom } from "./learn.ts";
import type { AnsweredRequest } from "./model-request.ts";
import type { ProviderAnswer } from "./open-answer.ts";
import { deliveredAs, treatmentLine, type RequestRecord } from "./record.ts";
import { relay } from "./relay.ts";

/** `keep` settles when what the request brought is in the store, within a bound. */
export function respond(context: GatewayContext, request: AnsweredRequest, keep: () => Promise<void>): ClientResponse {
  const { record, answer } = request;
  const whenWhole = (): void => {
    // Nothing awaits this function, so its errors have to be caught here.
    try {
      learnFrom(context, request);
    } catch (error) {
      reportFault(context, record, "internal_fault", error);
    }
  };
  return relayed(record, answer, { committed: keep, whenWhole });
}

/** A request that the gateway refuses itself. */
export function respondRefused(record: RequestRecord, response: ClientResponse): ClientResponse {
  record.status = response.status;
  record.over("turned_away");
  return response;
}

const OK = 200;

type Relayable = Pick<ProviderAnswer, "response" | "streamed"> &
  Partial<Pick<ProviderAnswer, "reader" | "goesOn">> & { readonly body: Bytes };

interface OwnResponse extends Partial<OwnAnswerBody> {
  readonly status?: number;
  readonly body: string;
}

/** A response of the gateway's own in place of its provider's; what was done is in the record. */
export function ownResponse(
  record: RequestRecord,
  { status = OK, contentType = "application/json", body }: OwnResponse,
): ClientResponse {
  const bytes = Buffer.from(body);
  return {
    status,
    headers: [
      ["content-type", contentType],
      ["content-length", String(bytes.length)],
      ["x-precis", treatmentLine(record.treatment)],
      ["x-precis-request", record.id],
    ],
    body: bytes,
  };
}

/** Answers a request here, without its provider. */
export function respondHere(record: RequestRecord, answer: OwnAnswerBody): ClientResponse {
  const response = ownResponse(record, answer);
  record.status = OK;
  record.streamed = answer.streamed;
  record.bytesOut = Buffer.byteLength(answer.body);
  record.sent();
  record.over("answered");
  return response;
}

/** The answer to a request that was forwarded without being read. */
export function respondUnread(record: RequestRecord, answer: Relayable): ClientResponse {
  return relayed(record, answer, { committed: () => Promise.resolve(), whenWhole: () => undefined });
}

function relayed(
  record: RequestRecord,
  { response: { status, headers }, streamed, body, reader, goesOn }: Relayable,
  { committed, whenWhole }: { readonly committed: () => Promise<void>; readonly whenWhole: () => void },
): ClientResponse {
  record.status = status;
  record.streamed = streamed;
  const own: HeaderLines = [
    ["x-precis", treatmentLine(record.treatment)],
    ["x-precis-request", record.id],
    ...(record.disabledEngine === undefined
      ? []
      : [["x-precis-disabled-engine", encodeURIComponent(record.disabledEngine)] as const]),
  ];
  // The client has its answer before anything is learned or reported of it.
  const over = (): void =>
    void setImmediate(() => {
      whenWhole();
      record.over(deliveredAs(record));
    });
  return {
    status,
    headers: [...backwardHeaders(headers), ...own],
    body: relay(body, {
      record,
      streamed,
      isComplete: () => goesOn !== true && reader?.state.complete === true,
      committed,
      whenWhole: over,
    }),
  };
}
