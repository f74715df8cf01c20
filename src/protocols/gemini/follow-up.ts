/** How a question is put behind a Gemini request: its settings are together in `generationConfig`. */
import type { Fields } from "../dialect.ts";
import { countOf, fieldsOf, isFields, textOf } from "../fields.ts";
import { CALL_DEMANDED, JSON_DEMANDED, type FollowUpForm } from "../follow-up-form.ts";
import { wholeAnswerPath } from "./routes.ts";

type Member = (key: string) => unknown;

function settingsOf(member: Member): Fields {
  return fieldsOf(member("generationConfig"));
}

export const geminiFollowUp: FollowUpForm = {
  element: (_, text) => `{"role":"user","parts":[{"text":${JSON.stringify(text)}}]}`,
  thinking: (member) => {
    const thinking = settingsOf(member)["thinkingConfig"];
    const budget = countOf(fieldsOf(thinking)["thinkingBudget"]);
    return { asks: isFields(thinking) && budget !== 0, budgetTokens: budget };
  },
  changes: (member, outputTokens) => {
    const { stopSequences: _, candidateCount: __, ...settings } = settingsOf(member);
    if (!isFields(member("generationConfig"))) return {};
    return { generationConfig: JSON.stringify({ ...settings, maxOutputTokens: outputTokens }) };
  },
  obstacle: (member) => {
    const { mode } = fieldsOf(fieldsOf(member("toolConfig"))["functionCallingConfig"]);
    if (mode === "ANY") return CALL_DEMANDED;
    return formOf(member) === undefined ? undefined : JSON_DEMANDED;
  },
  wholeAnswerPath,
};

/** The form that answers are demanded in; undefined for plain text. */
export function formOf(member: Member): string | undefined {
  const { responseMimeType: type } = settingsOf(member);
  return type === undefined || type === "text/plain" ? undefined : (textOf(type) ?? "unknown");
}
