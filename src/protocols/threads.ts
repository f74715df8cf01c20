/** Conversations that a provider keeps for a short time, of which a request brings only what is new. */

/** What a request has to do with one. */
export type ThreadUse =
  /** It brings the whole conversation, and its answer's id names what the provider keeps. */
  | { readonly kind: "create" }
  /** It brings what is new since the answer of that id. */
  | { readonly kind: "continue"; readonly previousId: string };

/** An error as clients of the protocol know it. */
export interface ThreadRefusal {
  readonly status: number;
  /** JSON. */
  readonly body: string;
}

export interface ThreadForm {
  /** Undefined for a request that is whole and asks for nothing to be kept. */
  readonly useOf: (member: (key: string) => unknown) => ThreadUse | undefined;
  /** The client sends the whole conversation again, and a new thread begins. */
  readonly notFound: (previousId: string) => ThreadRefusal;
  /** The client sends whole conversations from now on. */
  readonly unsupported: () => ThreadRefusal;
}
