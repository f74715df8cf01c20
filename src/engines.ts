/** `precis/engines`: the contract an engine fulfils, and the built-in engines. */
export type * from "./core/engines/contract.ts";
