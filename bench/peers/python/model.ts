/** The stub of a model behind a port on this machine, for peers that ask one by OpenAI's Chat API in their own process. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

type Answer = (prompt: string) => string;

export interface Model {
  readonly url: string;
  /** Who answers from now on. One peer asks at a time. */
  readonly answering: (answer: Answer) => void;
}

interface ChatBody {
  readonly messages: readonly { readonly content: string }[];
}

export async function startModel(): Promise<Model> {
  let answer: Answer | undefined;
  const server = createServer((request, response) => {
    const send = (status: number, body: object): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (request.method !== "POST" || request.url !== "/v1/chat/completions")
      return send(404, { error: { message: "there is only POST /v1/chat/completions" } });
    promptOf(request).then(
      (prompt) => send(200, completionOf(answer!(prompt))),
      (error: unknown) => send(400, { error: { message: String(error) } }),
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  // It is there for as long as somebody else keeps the process.
  server.unref();
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, answering: (next) => void (answer = next) };
}

async function promptOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as ChatBody;
  return messages.map(({ content }) => content).join("\n");
}

function completionOf(content: string): object {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const choice = { index: 0, finish_reason: "stop", message: { role: "assistant", content } };
  return { id: "stub", object: "chat.completion", created: 0, model: "stub", choices: [choice], usage };
}
