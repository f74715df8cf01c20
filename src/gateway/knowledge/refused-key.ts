/** Whether a provider refused a request because of who sent it, and not because of what it says. */

const BY_STATUS: ReadonlySet<number> = new Set([401, 403]);
/** Google answers so with a 400 (https://ai.google.dev/gemini-api/docs/troubleshooting, `API_KEY_INVALID`). */
const INVALID_KEY = /API_KEY_INVALID|API key not valid/;

export function refusesSender(status: number, error: string | undefined): boolean {
  return BY_STATUS.has(status) || (status === 400 && error !== undefined && INVALID_KEY.test(error));
}
