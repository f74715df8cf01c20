/**
 * Two routes with which another proxy, such as LiteLLM, has conversations shortened here and sends them to the provider itself:
 * `POST /v1/compress` takes messages and answers with as many, `GET /v1/retrieve/HASH` answers with what a marker stands for,
 * or with the places that hold a query's words in all the hashes that it names.
 */
import { hash as digestBytes } from "node:crypto";
import { createRedactor } from "../core/redaction/redactor.ts";
import { createMeasure } from "../core/transcript/measure.ts";
import { PrecisError } from "../core/errors.ts";
import { ENGINE_DEFAULTS } from "../core/engines/settings.ts";
import { countOf, fieldsOf, isFields, parsed, textOf, type Fields } from "../protocols/fields.ts";
import { answerRecall } from "../session/recall/answer.ts";
import { protocols } from "../protocols/index.ts";
import { createRuntime } from "../session/runtime.ts";
import { createMemoryStore } from "../store/memory.ts";
import type { Original, Store } from "../store/store.ts";
import type { ClientRequest, ClientResponse } from "./contract.ts";
import { RECALL_LIMITS } from "./recall/tool.ts";
import type { GatewayContext } from "./request/context.ts";
import type { RequestRecord } from "./request/record.ts";
import { respondHere, respondRefused } from "./request/respond.ts";
import { pathOf } from "./request/routes.ts";
import type { Owner } from "./tenants/owner.ts";
import { tenantStoreFull } from "./tenants/rates.ts";
import { answerInThread } from "./request/receive.ts";
import { isLarge } from "./large/large-requests.ts";
import { receiveBody } from "./transport/request-body.ts";
import { refuse, type Refusal } from "./transport/refusals.ts";
import { describeCall } from "../core/digest/call.ts";
import { digestResult } from "../core/digest/digest.ts";
import { recallId, type Hash } from "../core/transcript/links.ts";

const COMPRESS_PATH = /^(?:\/v1)?\/compress$/;
const COMPACT_PATH = /^(?:\/v1)?\/compact$/;
const RETRIEVE_PATH = /^(?:\/v1)?\/retrieve\/([^/]+)$/;
const MARKER_HEX_DIGITS = 24;

const MARKER_HASH = new RegExp(`^[0-9a-f]{${MARKER_HEX_DIGITS}}$`);
/** Of recall ids, as they are now and as they were before. */
const RECALL_HEX_DIGITS = [16, 9];
/** Hashes that one request may name, with commas between them. */
const MARKERS_MAX = 64;
/** Of the threshold: rows are shortened to this, so that the next ones do not have them shortened again. */
const TARGET_SHARE = 0.5;
const FOUND_TOKENS_MAX = 2_000;

type CompressRoute = { readonly asks: "compress" | "compact" } | { readonly asks: "retrieve"; readonly marker: string };

export function compressRouteOf({
  method,
  target,
}: Pick<ClientRequest, "method" | "target">): CompressRoute | undefined {
  const path = pathOf(target);
  if (method === "POST" && COMPRESS_PATH.test(path)) return { asks: "compress" };
  if (method === "POST" && COMPACT_PATH.test(path)) return { asks: "compact" };
  const marker = method === "GET" ? RETRIEVE_PATH.exec(path)?.[1] : undefined;
  return marker === undefined ? undefined : { asks: "retrieve", marker };
}

interface CompressRequest {
  readonly client: ClientRequest;
  readonly record: RequestRecord;
  readonly tenant: string;
}

export async function answerCompressRoute(
  context: GatewayContext,
  route: CompressRoute,
  { client, record, owner: { tenant, isolated } }: Omit<CompressRequest, "tenant"> & { readonly owner: Owner },
): Promise<ClientResponse> {
  const request = { client, record, tenant };
  const { limits } = context;
  if (isolated) return refused(request, NO_CREDENTIAL);
  if (route.asks === "retrieve") return retrieve(context, request, route.marker);
  const body = await receiveBody(client, limits, context.unfolding(tenant, client.signal));
  if ("refused" in body) return respondRefused(record, body.refused);
  record.bytesIn = body.raw.length;
  const response = isLarge(body.plain, limits) ? await answerInThread(context, request, body) : "none";
  if (response !== "none") return typeof response === "string" ? refused(request, TOO_BUSY) : response;
  const given = fieldsOf(parsed(body.text));
  const { messages } = given;
  if (!Array.isArray(messages) || !messages.every(isFields)) return refused(request, NO_MESSAGES);
  if (messages.length > limits.readMessages) return refused(request, TOO_MANY_MESSAGES);
  const asTheyCame = (): ClientResponse => {
    record.treatment = { kind: "untouched", because: "tenant_store_full" };
    return json(request, { messages, compacted: false, because: "tenant_store_full", ccr_hashes: [], hashes: [] });
  };
  if (context.storeQuota.isFull(tenant)) return asTheyCame();
  record.model = textOf(given["model"]) ?? "";
  await context.models.recalled(tenant, record.model);
  try {
    return await (route.asks === "compress" ? compress(context, request, messages) : compact(context, request, given));
  } catch (error) {
    if (error instanceof PrecisError && error.code === "tenant_store_full") return asTheyCame();
    throw error;
  }
}

async function compress(
  context: GatewayContext,
  request: CompressRequest,
  messages: readonly Fields[],
): Promise<ClientResponse> {
  const { record, tenant } = request;
  const short = shortenedFor(context, request, messages);
  const isChanged = short.originals.length > 0;
  if (isChanged) await putOriginals(context, tenant, short.originals);
  const tokens = { before: short.before, after: short.after };
  record.treatment = isChanged ? { kind: "rewritten", fresh: false, tokens } : { kind: "unchanged" };
  return json(request, {
    messages: short.rows,
    tokens_before: short.before,
    tokens_after: short.after,
    compression_ratio: short.before === 0 ? 1 : short.after / short.before,
    ccr_hashes: short.hashes,
  });
}

/** Counted for the tenant. @throws PrecisError `tenant_store_full`. */
async function putOriginals(
  { store, storeQuota }: GatewayContext,
  tenant: string,
  originals: readonly Original[],
): Promise<void> {
  if (!storeQuota.takes(tenant, originals)) throw tenantStoreFull();
  await store.putOriginals(tenant, originals);
  storeQuota.added(tenant, countChars(originals));
}

function countChars(originals: readonly Original[]): number {
  return originals.reduce((sum, { text }) => sum + text.length, 0);
}

/** A whole conversation of Chat Completions, compacted now; `context_length` is its model's window where that is not known here. */
async function compact(context: GatewayContext, request: CompressRequest, given: Fields): Promise<ClientResponse> {
  const { record, tenant, client } = request;
  const { window, factor } = context.models.of(tenant, record.model);
  const contextLength = countOf(given["context_length"]) || window.tokens;
  const added: Original[] = [];
  const keep: Store["putOriginals"] = async (owner, originals) => {
    for (const each of originals) added.push(each);
    await putOriginals(context, owner, originals);
  };
  const store = { ...createMemoryStore(), putOriginals: keep };
  const settings = { ...context.runtime.settings, contextLength };
  const runtime = createRuntime({ ...context.runtime, settings, store, tenant, model: record.model, factor });
  const decoded = protocols["openai-chat"].decode(JSON.stringify({ messages: given["messages"] }));
  const focus = textOf(given["focus"]) ?? "";
  const outcome = await runtime.compact(decoded.transcript, {
    reason: "explicit",
    signal: client.signal,
    ...(focus === "" ? {} : { focus }),
  });
  const isChanged = outcome.kind === "compacted" && context.mode !== "observe";
  const { before = 0, after = before } = outcome.kind === "compacted" ? outcome.compaction.report.tokens : {};
  record.treatment = isChanged ? { kind: "rewritten", fresh: true, tokens: { before, after } } : { kind: "unchanged" };
  const body = fieldsOf(
    parsed(isChanged ? protocols["openai-chat"].splice(decoded, outcome.transcript) : decoded.body),
  );
  return json(request, {
    messages: body["messages"],
    compacted: isChanged,
    ...(outcome.kind === "compacted" ? { tokens_before: before, tokens_after: after } : { because: outcome.because }),
    hashes: isChanged ? added.map((original) => markerHash(original, sha256)) : [],
  });
}

function shortenedFor(
  context: GatewayContext,
  { record, tenant }: CompressRequest,
  rows: readonly Fields[],
): ShortenedRows {
  const { window, factor } = context.models.of(tenant, record.model);
  const { threshold } = { ...ENGINE_DEFAULTS, ...context.runtime.settings };
  const measure = createMeasure();
  const thresholdTokens = context.mode === "rewrite" ? window.tokens * threshold : Infinity;
  return shortenRows(
    rows,
    { thresholdTokens, targetTokens: thresholdTokens * TARGET_SHARE },
    { tokens: (text) => Math.ceil(measure.text(text) * factor), hash: sha256 },
  );
}

function sha256(text: string): string {
  return digestBytes("sha256", text);
}

async function retrieve(context: GatewayContext, request: CompressRequest, marker: string): Promise<ClientResponse> {
  const markers = marker.split(",").slice(0, MARKERS_MAX);
  const stored = await Promise.all(markers.map((one) => findOriginal(context, request, one)));
  const originals = stored.filter((original) => original !== undefined);
  const [first] = originals;
  if (first === undefined) return refused(request, NO_SUCH_HASH);
  const isLong = countChars(originals) >= context.limits.largeBodyBytes;
  const response = isLong ? await answerInThread(context, request, { raw: NO_BODY, plain: NO_BODY }) : "none";
  if (response !== "none") return typeof response === "string" ? refused(request, TOO_BUSY) : response;
  const redact = createRedactor(context.runtime.secrets);
  const parameters = new URLSearchParams(request.client.target.split("?")[1]);
  const query = parameters.get("query")?.trim() ?? "";
  const found = query === "" ? undefined : await findPlaces(originals, query, redact);
  if (found === undefined && parameters.get("only") === "found") return refused(request, NOTHING_FOUND);
  return json(request, { hash: marker, original_content: found ?? redact(first.text) });
}

/** Under its whole hash: the recall id alone would be too short to keep a stranger from guessing it. */
async function findOriginal(
  { store }: GatewayContext,
  { tenant }: CompressRequest,
  marker: string,
): Promise<Original | undefined> {
  if (!MARKER_HASH.test(marker)) return undefined;
  for (const digits of RECALL_HEX_DIGITS) {
    const original = await store.getOriginal(tenant, `r${marker.slice(0, digits)}`);
    if (original !== undefined && markerHash(original, sha256) === marker) return original;
  }
  return undefined;
}

/** The best places of all of them that hold the words of a query; undefined where there are none, so that the whole is answered with. */
async function findPlaces(
  originals: readonly Original[],
  query: string,
  redact: (text: string) => string,
): Promise<string | undefined> {
  const byId = new Map(originals.map((original) => [original.id, original]));
  const source = { original: async (id: string) => byId.get(id), ids: [...byId.keys()], redact, limits: RECALL_LIMITS };
  try {
    return await answerRecall(source, { query }, FOUND_TOKENS_MAX);
  } catch (error) {
    if (error instanceof PrecisError && error.code === "nothing_found") return undefined;
    throw error;
  }
}

function json({ record }: CompressRequest, value: unknown): ClientResponse {
  return respondHere(record, { contentType: "application/json", body: JSON.stringify(value), streamed: false });
}

function refused({ client, record }: CompressRequest, refusal: Refusal): ClientResponse {
  return respondRefused(record, refuse(client, refusal));
}

const NO_CREDENTIAL: Refusal = {
  status: 401,
  code: "credential_needed",
  message: "precis: the request has no credential, so there is no tenant to keep what is removed for.",
  hint: "Set `api_key` of the guardrail to any secret of yours; it tells tenants apart.",
};

const NO_MESSAGES: Refusal = {
  status: 400,
  code: "body_without_messages",
  message: "precis: the body is no JSON object with `messages`, each of them an object.",
  hint: "Send `{ model, messages }` with the messages of Chat Completions.",
};

const NO_BODY: Buffer = Buffer.alloc(0);

const TOO_BUSY: Refusal = {
  status: 503,
  code: "gateway_busy",
  message: "precis: the request is large, and there was no time or memory to work on it.",
  hint: "Send the request again in a moment, or a smaller one.",
};

const TOO_MANY_MESSAGES: Refusal = {
  status: 413,
  code: "request_too_large",
  message: "precis: the body has more messages than precis reads.",
  hint: "Send the newest messages only.",
};

const NOTHING_FOUND: Refusal = {
  status: 404,
  code: "nothing_found",
  message: "precis: the original does not hold these words.",
  hint: "Try fewer or other words, or leave out `only=found` for the whole.",
};

const NO_SUCH_HASH: Refusal = {
  status: 404,
  code: "unknown_hash",
  message: "precis: no original has this hash.",
  hint: "Use the 24 hexadecimal digits of a marker; originals are deleted when the store's retention says so.",
};

interface RowLimits {
  readonly thresholdTokens: number;
  readonly targetTokens: number;
}

interface RowTools {
  readonly tokens: (text: string) => number;
  readonly hash: Hash;
}

interface ShortenedRows {
  readonly rows: readonly Fields[];
  readonly before: number;
  readonly after: number;
  readonly originals: readonly Original[];
  /** Of the originals, the hashes that the markers show. */
  readonly hashes: readonly string[];
}

/** What a marker shows of a text: the digits of its recall id, and as many of its hash that a stranger cannot guess them. */
function markerHash({ id, text }: Pick<Original, "id" | "text">, hash: Hash): string {
  return id.slice(1) + hash(text).slice(id.length - 1, MARKER_HEX_DIGITS);
}

function ownMarker(text: string, hash: Hash): string {
  return markerHash({ id: recallId(text, hash), text }, hash);
}

/** From mild to severe: texts above `triggerTokens` become digests of about `targetTokens`. */
const STEPS = [
  { triggerTokens: 500, targetTokens: 150 },
  { triggerTokens: 100, targetTokens: 60 },
] as const;
const ROW_OVERHEAD_TOKENS = 4;

interface Row {
  readonly given: Fields;
  shown: Fields;
  tokens: number;
  step: number;
}

function shortenRows(given: readonly Fields[], limits: RowLimits, tools: RowTools): ShortenedRows {
  const originals = new Map<string, Original>();
  const rows = given.map((row): Row => ({ given: row, shown: row, tokens: rowTokens(row, tools), step: 0 }));
  const before = rows.reduce((sum, { tokens }) => sum + tokens, 0);
  const next = STEPS.map(() => 0);
  let total = 0;
  rows.forEach((newest, at) => {
    total += newest.tokens;
    if (total <= limits.thresholdTokens) return;
    STEPS.forEach((_, step) => {
      for (; next[step]! < at && total > limits.targetTokens; next[step]!++)
        total -= shorten(rows[next[step]!]!, step, tools, originals);
    });
    if (total > limits.thresholdTokens) total -= shorten(newest, 0, tools, originals);
  });
  const hashes = [...originals.keys()];
  return { rows: rows.map(({ shown }) => shown), before, after: total, originals: [...originals.values()], hashes };
}

/** Answers with the tokens that it saved. */
function shorten(row: Row, step: number, tools: RowTools, originals: Map<string, Original>): number {
  const was = row.tokens;
  row.shown = withTexts(row.given, (text) => writeDigest(text, row.given["role"], STEPS[step]!, tools));
  row.tokens = rowTokens(row.shown, tools);
  for (const text of listTexts(row.given)) {
    const hash = ownMarker(text, tools.hash);
    if (originals.has(hash) || listTexts(row.shown).includes(text)) continue;
    const id = recallId(text, tools.hash);
    originals.set(hash, { id, kind: "text", label: `${String(row.given["role"])} message`, text });
  }
  return was - row.tokens;
}

function writeDigest(text: string, role: unknown, step: (typeof STEPS)[number], { tokens, hash }: RowTools): string {
  const recall = `hash=${ownMarker(text, hash)}`;
  const call = describeCall(role === "tool" ? "result" : "message", "");
  const digest = digestResult({ text, call, focus: [], recall, tokens, ...step });
  return digest === undefined ? text : digest.text.replace(`recall ${recall}`, recall);
}

function rowTokens(row: Fields, { tokens }: RowTools): number {
  return ROW_OVERHEAD_TOKENS + listTexts(row).reduce((sum, text) => sum + tokens(text), 0);
}

function listTexts({ content }: Fields): readonly string[] {
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown) => (isTextPart(part) ? [part["text"]] : []));
}

function withTexts(row: Fields, change: (text: string) => string): Fields {
  const { content } = row;
  if (typeof content === "string") return { ...row, content: change(content) };
  if (!Array.isArray(content)) return row;
  return {
    ...row,
    content: content.map((part: unknown) => (isTextPart(part) ? { ...part, text: change(part["text"]) } : part)),
  };
}

function isTextPart(part: unknown): part is Fields & { readonly text: string } {
  return isFields(part) && typeof part["text"] === "string";
}
