/** Where this machine reaches a gateway that listens on an address: one that stands for every address is none to go to. */
export function gatewayUrl(host: string, port: number): string {
  const reachable = ["0.0.0.0", "::"].includes(host) ? "127.0.0.1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}
