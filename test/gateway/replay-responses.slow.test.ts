/** A third of the corpus through the gateway on Responses. */
import { describeReplays, NARROW, WIDE } from "./support/replaying.ts";

const THIRD = 3;

describeReplays({ protocol: "openai-responses", windows: [WIDE, NARROW], every: THIRD });
