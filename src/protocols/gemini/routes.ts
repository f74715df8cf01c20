/**
 * The paths of the Gemini API: the model and the method are both in the path, under a version or, on Vertex AI, under a
 * project (https://ai.google.dev/api/generate-content, https://ai.google.dev/api/tokens).
 */
import type { RequestedAnswer } from "../definition.ts";

const METHODS = { generateContent: "answer", streamGenerateContent: "answer", countTokens: "count" } as const;

const PATH =
  /^(?:\/v1[a-z0-9]*)?\/(?:projects\/[^/]+\/locations\/[^/]+\/)?(?:publishers\/[^/]+\/)?(?:models|tunedModels)\/([^/:]+):([A-Za-z]+)$/;

export function requestedIn(path: string): RequestedAnswer | undefined {
  const [, model, method] = PATH.exec(path) ?? [];
  if (model === undefined || method === undefined || !Object.hasOwn(METHODS, method)) return undefined;
  return { asks: METHODS[method as keyof typeof METHODS], model: decodeURIComponent(model), label: method };
}

/** The path that gives the same answer whole. */
export function wholeAnswerPath(path: string): string {
  return path
    .replace(":streamGenerateContent", ":generateContent")
    .replace(/([?&])alt=sse(&|$)/, (_, before: string, after: string) => (after === "" ? "" : before));
}
