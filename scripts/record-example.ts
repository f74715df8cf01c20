/**
 * Records the example sessions in `examples/`: scripted agents drive real tools over `examples/shop` and a small booking
 * desk, and what really came back is written down. Run it when the shop, the desk or a script changes: `npm run record`.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { BOOKINGS_SYSTEM, recordBookingsSession } from "../examples/record/bookings-session.ts";
import { BOOKING_TOOLS, claudeCodeSession, CODING_TOOLS, openAiChatBody } from "../examples/record/formats.ts";
import { createRecorder, type Recorder, type Turn } from "../examples/record/recorder.ts";
import { REFUNDS_SYSTEM, recordRefundsSession } from "../examples/record/refunds-session.ts";
import { recordRestartSession } from "../examples/record/restart-session.ts";
import { createWorkspace } from "../examples/record/workspace.ts";

const EXAMPLES = join(import.meta.dirname, "..", "examples");
const RESTART_SESSION_ID = "7d0c2a54-5b1e-4c7e-9f3a-2e8b6c41d907";
const START = Date.parse("2026-03-12T08:58:00.000Z");

function recorded(script: (session: Recorder) => void): readonly Turn[] {
  const workspace = createWorkspace();
  try {
    const session = createRecorder(workspace, START);
    script(session);
    return session.turns();
  } finally {
    workspace.remove();
  }
}

const refunds = recorded(recordRefundsSession);
writeFileSync(
  join(EXAMPLES, "refunds.openai-chat.json"),
  openAiChatBody({ system: REFUNDS_SYSTEM, tools: CODING_TOOLS }, refunds),
);

const bookings = recorded(recordBookingsSession);
writeFileSync(
  join(EXAMPLES, "bookings.openai-chat.json"),
  openAiChatBody({ system: BOOKINGS_SYSTEM, tools: BOOKING_TOOLS }, bookings),
);

const restart = recorded(recordRestartSession);
writeFileSync(join(EXAMPLES, "restart.claude-code.jsonl"), claudeCodeSession(restart, RESTART_SESSION_ID));
