/** A call of a model that is prepared before it is sent, and made smaller where the provider finds it too large. */
import type { FrameworkConversation, FrameworkPrepared, Surroundings } from "./conversation.ts";

/** How often one call is made smaller and sent again. */
const RECOVERIES_MAX = 4;

export interface ModelCall<Framework> {
  readonly messages: readonly Framework[];
  readonly around?: Surroundings;
  readonly signal?: AbortSignal | undefined;
}

export async function callPrepared<Framework, Result>(
  { prepare, recover }: FrameworkConversation<Framework>,
  { messages, around, signal }: ModelCall<Framework>,
  send: (sent: FrameworkPrepared<Framework>) => PromiseLike<Result>,
): Promise<Result> {
  let sent = await prepare(messages, around, signal === undefined ? {} : { signal });
  for (let attempt = 0; ; attempt++) {
    try {
      return await send(sent);
    } catch (error) {
      const smaller = attempt < RECOVERIES_MAX ? await recover(error, messages, around) : undefined;
      if (smaller === undefined) throw error;
      sent = smaller;
    }
  }
}
