/**
 * What servers say when a request does not fit the model's window, as patterns; the most telling ones first. A saying is a
 * fact about one server, so each line says whose it is. `provider/src/overflow-errors.json` has whole answers with origins.
 */

const N = String.raw`(\d[\d,]*)`;
/** For texts in lower case: that is several times faster than to ignore case in every pattern. */
const phrase = (source: string): RegExp => new RegExp(source);

export interface OverflowPattern {
  readonly says: RegExp;
  /** Which captured number is the limit, and which make up the request. */
  readonly limit?: number;
  readonly requested?: readonly number[];
  /** Which of them is room that was reserved for the answer. */
  readonly output?: number;
}

/** A request that alone is more than its account may send in a minute: a smaller one is taken, and waiting helps nobody. */
export const RATE_LIMIT_PATTERN: OverflowPattern = {
  // Groq (413) and OpenAI (429): "Request too large for gpt-4o in organization org-… on tokens per min (TPM): Limit 30000, Requested 132819."
  says: phrase(
    String.raw`request too large for [^\n]{0,300}? on (?:input )?tokens per min(?:ute)? \(tpm\): limit ${N}, requested ${N}`,
  ),
  limit: 1,
  requested: [2],
};

/** Pictures that are too many, too wide, too heavy or unreadable: without them the request is taken, whatever its tokens are. */
export const MEDIA_PATTERNS: readonly RegExp[] = [
  // Anthropic: "messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels"
  // and "… exceed max allowed size: 8000 pixels"; Bedrock: "image exceed max allowed size for many-image requests: 2000 pixels"
  phrase("image(?: dimensions)? exceeds? max allowed size"),
  // Anthropic: "messages.4.content.1.image.source.base64: image exceeds 5 MB maximum: 6829708 bytes > 5242880 bytes"
  phrase(String.raw`image exceeds [\d.]+ mb maximum`),
  // Anthropic: "messages: too many images and documents: 105 + 0 > 100"; Groq: "Too many images provided. This model supports up to 5 images"
  phrase("too many images"),
  // Anthropic: "Too much media: 0 document pages + 107 images > 100"
  phrase(String.raw`too much media: \d`),
  // OpenCode Zen, Muse Spark: "request contains 52 images, exceeding the maximum of 50 allowed per request"
  phrase(String.raw`\d images, exceeding the maximum of \d`),
  // Gemini: "Please use fewer than 3600 images in your request to models/gemini-1.5-flash"
  phrase(String.raw`use fewer than \d+ images`),
  // Vertex AI: "Unable to submit request because it has 20 video files but the model only supports up to 10."
  phrase(String.raw`it has \d+ \w+ files but the model only supports up to \d`),
  // Gemini: "Request payload size exceeds the limit: 20971520 bytes."
  phrase("request payload size exceeds the limit"),
  // vLLM: "At most 4 image(s) may be provided in one prompt."
  phrase(String.raw`at most \d+ image\(s\) may be provided`),
  // Anthropic: "Could not process image", "messages.186.content.1.image.source.base64: image cannot be empty", "Image format image/png not supported"
  phrase(String.raw`could not process image|image cannot be empty|image format image/\w+ not supported`),
  // OpenAI: "The image data you provided does not represent a valid image."; Gemini: "Provided image is not valid."; its "Unable to process input image."
  phrase("does not represent a valid image|provided image is not valid|unable to process input image"),
  // xAI: "Invalid PNG image.", "Base64 string of provided image cannot be decoded.", "Downloaded response does not contain a valid JPG, PNG, WebP, or ICO image."
  phrase("invalid (?:png|jpe?g|webp|gif) image|provided image cannot be decoded|does not contain a valid jpg, png"),
  // Kimi: "failed to decode image"
  phrase("failed to decode image"),
  // OpenRouter (404), for a model that reads text alone: "No endpoints found that support image input"
  phrase("no endpoints found that support image input"),
];

export const CONTEXT_PATTERNS: readonly OverflowPattern[] = [
  // Anthropic: "prompt is too long: 213462 tokens > 200000 maximum"
  { says: phrase(`prompt is too long: ${N} tokens > ${N} maximum`), requested: [1], limit: 2 },
  // Fireworks: "The prompt is too long: 40177, model maximum context length: 32767"
  { says: phrase(`prompt is too long: ${N}, model maximum context length: ${N}`), requested: [1], limit: 2 },
  { says: phrase("prompt is too long") },
  // Anthropic: "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"
  { says: phrase(String.raw`exceed context limit: ${N} \+ ${N} > ${N}`), requested: [1, 2], output: 2, limit: 3 },
  { says: phrase("exceed context limit") },
  // OpenAI, Azure, DeepSeek, vLLM: "… maximum context length is 65536 tokens. However, you requested 66343 tokens (62247 in the messages, 4096 in the completion)."
  // and with "730 in the functions, and" between them; OpenRouter: "… about 42988 tokens (38892 of text input, 4096 in the output)".
  {
    says: phrase(
      String.raw`maximum context length is ${N} tokens[.,] however,? you requested(?: about)? ${N} tokens \([^)]{0,120}?${N} (?:in|for) the (?:completion|output)`,
    ),
    limit: 1,
    requested: [2],
    output: 3,
  },
  // vLLM, Cloudflare: "… However, you requested 16000 output tokens and your prompt contains at least 115073 input tokens"
  {
    says: phrase(
      `maximum context length is ${N} tokens\\. however, you requested ${N} output tokens and your prompt contains(?: at least)? ${N}`,
    ),
    limit: 1,
    requested: [2, 3],
    output: 2,
  },
  // vLLM: "'max_tokens' … is too large: 2000. This model's maximum context length is 4096 tokens and your request has 2104 input tokens"
  {
    says: phrase(`is too large: ${N}\\. this model's maximum context length is ${N} tokens and your request has ${N}`),
    output: 1,
    limit: 2,
    requested: [1, 3],
  },
  // OpenAI, OpenRouter: "This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens."
  {
    says: phrase(
      `maximum context length is ${N} tokens[.,] however,? (?:you requested|your messages resulted in|your request has)(?: about)? ${N}`,
    ),
    limit: 1,
    requested: [2],
  },
  { says: phrase(`maximum context length is ${N}`), limit: 1 },
  // Cloudflare: "Requested token count exceeds the model's maximum context length of 256000 tokens. You requested a total of 256878 tokens: 31216 tokens from the input messages and 225662 tokens for the completion."
  {
    says: phrase(
      `maximum context length of ${N} tokens\\. you requested a total of ${N} tokens: ${N} tokens from the input messages and ${N}`,
    ),
    limit: 1,
    requested: [2],
    output: 4,
  },
  { says: phrase(`maximum context length of ${N}`), limit: 1 },
  // Mistral: "Prompt contains 40000 tokens … too large for model with 32768 maximum context length"
  {
    says: phrase(`prompt contains ${N} tokens.{0,80}? too large for model with ${N} maximum`),
    requested: [1],
    limit: 2,
  },
  { says: phrase(`too large for model with ${N} maximum`), limit: 1 },
  { says: phrase("maximum context (?:length|limit)") },
  // OpenAI: "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 305127 tokens."
  {
    says: phrase(`input tokens exceed the configured limit of ${N} tokens\\. your messages resulted in ${N}`),
    limit: 1,
    requested: [2],
  },
  { says: phrase(`input tokens exceed the configured limit of ${N}`), limit: 1 },
  { says: phrase("input tokens exceed the configured limit") },
  // OpenAI Responses: "Your input exceeds the context window of this model. Please adjust your input and try again."
  { says: phrase("exceeds the context window") },
  // Gemini: "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."
  {
    says: phrase(String.raw`input token count \(?${N}\)? exceeds the maximum number of tokens allowed \(?${N}`),
    requested: [1],
    limit: 2,
  },
  { says: phrase(String.raw`input token count exceeds the maximum number of tokens allowed \(?${N}`), limit: 1 },
  { says: phrase("input token count exceeds the maximum") },
  // xAI: "This model's maximum prompt length is 131072 but the request contains 537812 tokens."
  { says: phrase(`maximum prompt length is ${N} but the request contains ${N}`), limit: 1, requested: [2] },
  { says: phrase("maximum prompt length is") },
  // GitHub Copilot: "prompt token count of 140000 exceeds the limit of 128000"
  { says: phrase(`prompt token count of ${N} exceeds the limit of ${N}`), requested: [1], limit: 2 },
  // GitHub Models (413): "Request body too large for gpt-4o model. Max size: 8000 tokens."
  { says: phrase(`request body too large for [^\\n]{0,120}? model\\. max size: ${N} tokens`), limit: 1 },
  // Moonshot: "Invalid request: Your request exceeded model token limit: 131072 (requested: 140000)"
  { says: phrase(String.raw`exceeded model token limit: ${N} \(requested: ${N}`), limit: 1, requested: [2] },
  { says: phrase(`exceeded model token limit: ${N}`), limit: 1 },
  { says: phrase("exceeded model token limit") },
  // Qwen on DashScope: "Range of input length should be [1, 258048]"
  { says: phrase(String.raw`range of input length should be \[1, ${N}\]`), limit: 1 },
  { says: phrase("range of input length should be") },
  // Amazon Bedrock: "Input is too long for requested model."
  { says: phrase("input is too long for requested model") },
  // SGLang, Together: "The input (61709 tokens) is longer than the model's context length (40960 tokens)."
  {
    says: phrase(String.raw`input \(${N} tokens\) is longer than the model's context length \(${N} tokens\)`),
    requested: [1],
    limit: 2,
  },
  { says: phrase("is longer than the model's context length") },
  // SGLang: "Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens)."
  {
    says: phrase(String.raw`input length \(${N} tokens\) exceeds the maximum allowed length \(${N} tokens\)`),
    requested: [1],
    limit: 2,
  },
  // vLLM: "The decoder prompt (length 10127) is longer than the maximum model length of 8192."
  {
    says: phrase(String.raw`prompt \((?:total )?length ${N}\) is longer than the maximum model length of ${N}`),
    requested: [1],
    limit: 2,
  },
  // vLLM: "The prompt (total length 25938) is too long to fit into the model (context length 4096)."
  {
    says: phrase(
      String.raw`prompt \((?:total )?length ${N}\) is too long to fit into the model \(context length ${N}\)`,
    ),
    requested: [1],
    limit: 2,
  },
  { says: phrase("is longer than the maximum model length|is too long to fit into the model") },
  // TGI, Together: "`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 80125 `inputs` tokens and 4096 `max_new_tokens`"
  {
    says: phrase(
      "`?inputs`? tokens \\+ `?max_new_tokens`? must be <= " + N + "\\. given: " + N + " `?inputs`? tokens and " + N,
    ),
    limit: 1,
    requested: [2, 3],
    output: 3,
  },
  { says: phrase("`?inputs`? tokens \\+ `?max_new_tokens`? must be") },
  // TGI: "`inputs` must have less than 1024 tokens. Given: 1244"
  { says: phrase("`?inputs`? must have less than " + N + " tokens\\. given: " + N), limit: 1, requested: [2] },
  // llama.cpp: "request (355724 tokens) exceeds the available context size (262144 tokens), try increasing it"
  {
    says: phrase(String.raw`request \(${N} tokens\) exceeds the available context size \(${N} tokens\)`),
    requested: [1],
    limit: 2,
  },
  { says: phrase("exceeds the available context size") },
  // llama-cpp-python: "Requested tokens (2664) exceed context window of 2048"
  { says: phrase(String.raw`requested tokens \(${N}\) exceed context window of ${N}`), requested: [1], limit: 2 },
  // LM Studio: "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 10247 >= n_ctx: 4096)."
  {
    says: phrase(String.raw`greater than the context length \(n_keep: ${N} ?>= ?n_ctx: ${N}\)`),
    requested: [1],
    limit: 2,
  },
  { says: phrase("greater than the context length") },
  // LM Studio: "Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens"
  {
    says: phrase(
      `trying to keep the first ${N} tokens when[^\\n]{0,80}? loaded with (?:a )?context length of only ${N}`,
    ),
    requested: [1],
    limit: 2,
  },
  { says: phrase("trying to keep the first .{0,20}tokens when (?:the )?context") },
  // DS4 server: "Prompt has 300,000 tokens, but the configured context size is 131,072 tokens"
  { says: phrase(`prompt has ${N} tokens?, but the configured context size is ${N}`), requested: [1], limit: 2 },
  // Ollama: "the input length exceeds the context length"; "prompt too long; exceeded max context length by 1200 tokens", which is a difference.
  { says: phrase("input length exceeds the context length|prompt too long; exceeded (?:max )?context length") },
  // MiniMax: "invalid params, context window exceeds limit (2013)", where 2013 is the error's number.
  { says: phrase("context window exceeds limit") },
  // NVIDIA: "You passed 170753 input tokens and requested 32000 output tokens. However, the model's context length is only 202752 tokens"
  {
    says: phrase(
      `you passed ${N} input tokens and requested ${N} output tokens\\. however, the model's context length is only ${N}`,
    ),
    requested: [1, 2],
    output: 2,
    limit: 3,
  },
  { says: phrase(`context length is only ${N} tokens`), limit: 1 },
  // Cohere: "too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354."
  {
    says: phrase(
      String.raw`too many tokens: (?:total )?number of tokens [^\n]{0,60}?cannot exceed ${N} - received ${N}`,
    ),
    limit: 1,
    requested: [2],
  },
  { says: phrase("too many tokens: (?:total )?number of tokens") },
  // Zhipu: "Prompt exceeds max length"; mlx-serve: "Prompt exceeds maximum context length"
  { says: phrase("prompt exceeds max length") },
  // Cerebras: "Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000"
  {
    says: phrase(`reduce the length of the messages[^\\n]{0,40}? current length is ${N} while limit is ${N}`),
    requested: [1],
    limit: 2,
  },
  // Groq: "Please reduce the length of the messages or completion."
  { says: phrase("reduce the length of the messages") },
  // LiteLLM puts its own name before what a provider said.
  { says: phrase("contextwindowexceedederror") },
];
