/** The corpus through the gateway on Chat Completions. */
import { describeReplays, NARROW, WIDE } from "./support/replaying.ts";

describeReplays({ protocol: "openai-chat", windows: [WIDE, NARROW] });
