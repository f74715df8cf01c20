/** A script written down: JSON or YAML, one answer or a list of them. */
import { parse } from "yaml";
import { z } from "zod";
import { PrecisError } from "../../src/core/errors.ts";
import type { Answer } from "./answers.ts";
import { faultKind, FAULT_KINDS } from "./faults.ts";

const FAULT = z.strictObject({
  kind: z.union([z.string(), z.number()]).transform((name, context) => {
    const kind = faultKind(String(name));
    if (kind !== undefined) return kind;
    context.addIssue({ code: "custom", message: `expected one of ${FAULT_KINDS.join(", ")}` });
    return z.NEVER;
  }),
  at: z.number().min(0).max(1).optional(),
  ms: z.number().min(0).optional(),
  retryAfterSeconds: z.number().min(0).optional(),
});

const CALL = z.strictObject({
  id: z.string().optional(),
  name: z.string(),
  arguments: z.unknown().optional(),
  custom: z.boolean().optional(),
});

const ANSWER = z.strictObject({
  thinking: z.string().optional(),
  text: z.string().optional(),
  calls: z.array(CALL).optional(),
  stop: z.enum(["stop", "tools", "length", "refusal", "window"]).optional(),
  fault: FAULT.optional(),
  /** How many requests in a row are answered so. */
  repeat: z.int().min(1).optional(),
});

const SCRIPT = z.union([ANSWER.transform((one) => [one]), z.array(ANSWER).min(1)]);

/** Throws `unreadable_input`, with what is wrong and where. */
export function readScript(text: string, fileName: string): readonly Answer[] {
  const found = SCRIPT.safeParse(parsed(text, fileName));
  if (!found.success) throw unreadable(fileName, z.prettifyError(found.error));
  return found.data.flatMap(({ repeat = 1, ...answer }) => Array.from({ length: repeat }, () => answer as Answer));
}

/** JSON is YAML. */
function parsed(text: string, fileName: string): unknown {
  try {
    return parse(text) as unknown;
  } catch (error) {
    throw unreadable(fileName, (error as Error).message);
  }
}

function unreadable(fileName: string, why: string): PrecisError {
  return new PrecisError(`${fileName} is no script: ${why}`, {
    code: "unreadable_input",
    place: fileName,
    hint: "Give one answer or a list: text, thinking, calls [{name, arguments}], stop, fault {kind, at, ms}, repeat.",
  });
}
