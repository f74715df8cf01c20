/** What OpenClaw loads: the plugin of the package that this folder is in. */
export { default } from "../../dist/integrations/openclaw/index.js";
