/** Undici's agent without the rest of undici. Its package has no types for single files. */
declare module "undici/lib/dispatcher/agent.js" {
  export { Agent as default } from "undici";
}
