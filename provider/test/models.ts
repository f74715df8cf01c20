/** A model for each protocol; Anthropic's binds its thinking to what comes before it. */
export const PROTOCOL_MODELS = {
  "openai-chat": "gpt-5.4",
  "openai-responses": "gpt-5.6-sol",
  "anthropic-messages": "claude-opus-5-5",
  "google-gemini": "gemini-3.7-flash",
} as const;
