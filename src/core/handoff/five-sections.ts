/** The five sections of OpenCode's summary (IA al Día 2026), under headings in the user's language. */
import type { Language } from "./language.ts";
import type { Section } from "./templates.ts";
import type { Topic } from "./sections/topic.ts";

interface Kind {
  readonly topics: readonly Topic[];
  readonly asked?: Topic;
  readonly purpose: string;
}

const KINDS: readonly Kind[] = [
  { topics: ["actions", "resolved"], purpose: "numbered: what was done to what, and how it ended" },
  {
    topics: ["task", "progress", "state", "goal", "blocked"],
    asked: "progress",
    purpose: "what is being worked on, its progress, and what blocks it",
  },
  { topics: ["files"], purpose: "the files that were changed, and those that were read for it" },
  { topics: ["remaining", "pending"], purpose: "what comes next, as statements" },
  {
    topics: ["decisions", "constraints", "context"],
    purpose: "technical decisions that matter, with their reasons",
  },
];

/** In the order of the kinds. */
const HEADINGS: Readonly<Record<Language, readonly string[]>> = {
  en: ["What Was Done", "What Is Under Way", "Changed Files", "What Comes Next", "Technical Decisions"],
  es: ["Lo que se hizo", "En lo que se trabaja", "Archivos modificados", "Próximos pasos", "Decisiones técnicas"],
  fr: ["Ce qui a été fait", "Ce qui est en cours", "Fichiers modifiés", "Prochaines étapes", "Décisions techniques"],
  de: [
    "Was getan wurde",
    "Woran gearbeitet wird",
    "Geänderte Dateien",
    "Nächste Schritte",
    "Technische Entscheidungen",
  ],
  pt: ["O que foi feito", "Em que se trabalha", "Arquivos alterados", "Próximos passos", "Decisões técnicas"],
  it: ["Che cosa è stato fatto", "A che cosa si lavora", "File modificati", "Prossimi passi", "Decisioni tecniche"],
  ru: ["Что сделано", "Что в работе", "Изменённые файлы", "Следующие шаги", "Технические решения"],
  zh: ["已完成的工作", "正在进行的工作", "修改过的文件", "后续步骤", "重要技术决策"],
  ja: ["完了した作業", "進行中の作業", "変更したファイル", "次の手順", "重要な技術的決定"],
  ko: ["완료한 작업", "진행 중인 작업", "변경한 파일", "다음 단계", "중요한 기술적 결정"],
};

export function fiveSections(language: Language): readonly Section[] {
  return KINDS.map((kind, at) => ({ ...kind, heading: HEADINGS[language][at]!, level: 2 }));
}

/** In every language: a handoff is read back whatever language it was written in. */
export const FIVE_SECTIONS_IN_ALL: readonly (readonly Section[])[] = (Object.keys(HEADINGS) as Language[]).map(
  fiveSections,
);
