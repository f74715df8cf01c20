/** The hooks of an operator: what is told before and after a compaction, and how long each may take. */
import { z } from "zod";
import { DEFAULTS } from "./defaults.ts";

const { hooks } = DEFAULTS;

const HOOKS_MAX = 8;
const HOOK_CHARS_MAX = 4_096;
const TIMEOUT_SECONDS_MAX = 300;

/** An address with credentials would show them wherever it is shown, and no call takes it. */
function isHook(hook: string): boolean {
  if (!/^https?:/i.test(hook)) return /\S/.test(hook) && !hook.includes("\0");
  const url = URL.parse(hook);
  return url !== null && url.hostname !== "" && url.username === "" && url.password === "";
}

function hookList(standard: readonly string[]) {
  return z
    .array(z.string().max(HOOK_CHARS_MAX).refine(isHook, "a command, or an address without credentials"))
    .max(HOOKS_MAX)
    .readonly()
    .default(standard);
}

const EXPECTS = `a list of at most ${HOOKS_MAX} commands or http(s) addresses without credentials`;

export const hooksSection = z
  .strictObject({
    before_compact: hookList(hooks.before_compact).meta({
      description:
        "Run before each attempt to compact, which waits for them: commands for the shell, which get the data on standard input, and http(s) addresses, which get it as the body of a POST.",
      examples: [["save-notes --from-precis"]],
      "x-expects": EXPECTS,
    }),
    after_compact: hookList(hooks.after_compact).meta({
      description: "Run after each compaction that was recorded, in the same two forms. No request waits for them.",
      examples: [["https://hooks.example.com/compacted"]],
      "x-expects": EXPECTS,
    }),
    timeout_seconds: z
      .number()
      .min(0.1)
      .max(TIMEOUT_SECONDS_MAX)
      .default(hooks.timeout_seconds)
      .meta({ description: "How long each hook may take. Then it is stopped, and the work goes on.", examples: [10] }),
  })
  .prefault({})
  .meta({
    description:
      "Commands and addresses that are told of compactions, at the gateway and the command line (docs/hooks.md). A hook that fails is reported and stops nothing.",
  });
