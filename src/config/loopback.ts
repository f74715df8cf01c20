/** Whether an address to listen on can be reached from this machine only. */
import { isIP } from "node:net";

export function isLoopback(host: string): boolean {
  const bare = host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
  if (isIP(bare) === 4) return bare.startsWith("127.");
  return bare === "::1" || bare.toLowerCase() === "localhost" || bare.toLowerCase().endsWith(".localhost");
}
