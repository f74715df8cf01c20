/** A server of the Model Context Protocol with many tools, as a client meets them where several servers are set up. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

export const SERVER_NAME = "depot";
export const TOOLS = 100;

/** The name of tool `at` on the server. */
export function toolName(at: number): string {
  return `report_${String(at).padStart(3, "0")}`;
}

/** What tool `at` answers; nothing else in the run says it. */
export function answerOf(at: number): string {
  return `Depot ${at} weighed ${at * 37 + 11} parcels today.`;
}

async function serve(): Promise<void> {
  const server = new McpServer({ name: SERVER_NAME, version: "1.0.0" });
  for (let at = 0; at < TOOLS; at++)
    server.registerTool(
      toolName(at),
      {
        description: `Reports what depot ${at} weighed. Takes a day and, if only a part is wanted, a shift or a scale. Answers with the number of parcels, and with those that were weighed twice where "details" is set. Days before the opening of the depot are refused, and so are days in the future.`,
        inputSchema: {
          day: z.string().optional().describe("The day as YYYY-MM-DD; today by default."),
          shift: z.enum(["early", "late", "night"]).optional().describe("Only one shift of that day."),
          scale: z.number().int().optional().describe("Only one scale, by its number on the plan of the depot."),
          details: z.boolean().optional().describe("Also list the parcels that were weighed twice."),
        },
      },
      () => ({ content: [{ type: "text", text: answerOf(at) }] }),
    );
  await server.connect(new StdioServerTransport());
}

if (import.meta.main) await serve();
