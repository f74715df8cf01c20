/** The corpus through the gateway on Anthropic Messages, with a model that binds its thinking. */
import { describeReplays, NARROW, WIDE } from "./support/replaying.ts";

describeReplays({ protocol: "anthropic-messages", windows: [WIDE, NARROW] });
