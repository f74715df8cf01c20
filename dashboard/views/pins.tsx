/** What is pinned: messages that stay word for word and facts that every handoff states. */
import { useState } from "preact/hooks";
import type { SessionPins } from "../../src/session/history.ts";
import type { Pin } from "../../src/session/pins.ts";
import { get, send, sessionPath, type SessionRef } from "../api.ts";
import { Failed, Loaded } from "../parts/states.tsx";
import { useResource } from "../resource.ts";

export function Pins({ session, messages }: { readonly session: SessionRef; readonly messages: number }) {
  const pins = useResource(`${session.tenant}/${session.id}`, (signal) =>
    get<SessionPins>(sessionPath(session, "/pins"), signal),
  );
  const [error, setError] = useState<Error>();
  const change = async (what: string, body: object): Promise<void> => {
    try {
      setError(undefined);
      await send(sessionPath(session, what), body);
      pins.reload();
    } catch (why) {
      setError(why instanceof Error ? why : new Error(String(why)));
    }
  };
  const add = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const text = String(new FormData(form).get("what")).trim();
    const isRange = /^\d+(-\d+)?$/.test(text);
    void change("/pin", isRange ? { messages: text } : { fact: text }).then(() => form.reset());
  };
  return (
    <section class="panel">
      <h2>Pinned</h2>
      <Loaded of={pins}>
        {({ pins: all }) =>
          all.length === 0 ? (
            <p class="dim">Nothing. Every compaction keeps pinned messages word for word and states pinned facts.</p>
          ) : (
            <ul class="pins">
              {all.map((pin) => (
                <li key={pin.id}>
                  <span>{sayOf(pin)}</span>
                  <button type="button" class="quiet" onClick={() => void change("/unpin", { pin: pin.id })}>
                    Unpin<span class="hidden"> {pin.id}</span>
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <form class="inline" onSubmit={add}>
        <label class="grow">
          <span class="hidden">Messages or a fact to pin</span>
          <input
            name="what"
            required
            maxLength={2_000}
            placeholder={`A fact, or messages: 3-${Math.max(3, messages)}`}
          />
        </label>
        <button type="submit">Pin</button>
      </form>
      {error === undefined ? null : <Failed error={error} />}
    </section>
  );
}

function sayOf({ fact, messages }: Pin): string {
  if (fact !== undefined) return fact;
  if (messages === undefined) return "";
  const { from, to } = messages;
  return from === to ? `Message ${from}` : `Messages ${from} to ${to}`;
}
