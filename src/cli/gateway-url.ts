/** Where this machine reaches a gateway, and whether one answers there. */

const ANSWER_WITHIN_MS = 2_000;

/** An address that stands for every address of this machine is none to go to. */
export function gatewayUrl(host: string, port: number): string {
  const reachable = ["0.0.0.0", "::"].includes(host) ? "127.0.0.1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

export async function isGateway(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const response = await fetch(`${url}/_precis/health`, { signal, redirect: "manual" });
    return ((await response.json()) as { readonly status?: unknown }).status === "ok";
  } catch {
    return false;
  }
}
