/** The protocols whose vendors have clients that put an answer together from its stream; Gemini has a test of its own. */
export const SDK_PROTOCOLS = ["openai-chat", "openai-responses", "anthropic-messages"] as const;
export type SdkProtocol = (typeof SDK_PROTOCOLS)[number];
