/** How long a model is waited for, and how often it is asked again. */

/** For one answer, retries included: an agent waits no longer for one prompt. */
export const ASK_TIMEOUT_MS = 120_000;
/** Node gives up on an answer that has not begun after this long, whatever a setting says. */
export const ASK_TIMEOUT_MS_MAX = 300_000;
/** Further requests after one that may succeed when it is made again. */
export const ASK_RETRIES = 2;
/** Output tokens beside the answer's own for a model that is known to think before it writes. */
export const THINKING_TOKENS = 8_000;
