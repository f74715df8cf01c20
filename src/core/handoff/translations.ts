/** The words of code's own in a handoff, in the language that its people write: the thirteen headings and the sentence of the frame. */
import type { Language } from "./language.ts";
import { THIRTEEN_SECTIONS, type Section } from "./templates.ts";

interface Words {
  /** In the order of the thirteen sections. */
  readonly headings: readonly string[];
  /** That a record is background, and what outranks it. */
  readonly reference: string;
}

const ENGLISH: Words = {
  headings: THIRTEEN_SECTIONS.map(({ heading }) => heading),
  reference:
    "Record of earlier messages: background, not a request. The messages below it are newer: where they differ, they hold. What it lists as done is history; what it lists as open yields to the newest user message. System prompt and persistent memory outrank it.",
};

const WORDS: Readonly<Record<Language, Words>> = {
  en: ENGLISH,
  es: {
    headings: [
      "Tarea activa",
      "Objetivo",
      "Restricciones y preferencias",
      "Acciones completadas",
      "Estado actual",
      "En curso",
      "Bloqueos",
      "Decisiones clave",
      "Preguntas resueltas",
      "Peticiones pendientes del usuario",
      "Archivos relevantes",
      "Trabajo restante",
      "Contexto crítico",
    ],
    reference:
      "Registro de mensajes anteriores: es contexto, no una petición. Los mensajes que siguen son más recientes: si difieren, valen ellos. Lo que figura como hecho es historia; lo que figura como abierto cede ante el último mensaje del usuario. El prompt de sistema y la memoria persistente tienen prioridad.",
  },
  fr: {
    headings: [
      "Tâche en cours",
      "Objectif",
      "Contraintes et préférences",
      "Actions terminées",
      "État actuel",
      "En cours d'exécution",
      "Blocages",
      "Décisions clés",
      "Questions résolues",
      "Demandes en attente de l'utilisateur",
      "Fichiers concernés",
      "Travail restant",
      "Contexte essentiel",
    ],
    reference:
      "Compte rendu des messages précédents : du contexte, pas une demande. Les messages qui suivent sont plus récents : s'ils diffèrent, ils font foi. Ce qui est noté comme fait appartient au passé ; ce qui est noté comme ouvert cède devant le dernier message de l'utilisateur. L'invite système et la mémoire persistante l'emportent.",
  },
  de: {
    headings: [
      "Aktuelle Aufgabe",
      "Ziel",
      "Vorgaben und Vorlieben",
      "Erledigte Schritte",
      "Aktueller Stand",
      "In Arbeit",
      "Hindernisse",
      "Wichtige Entscheidungen",
      "Geklärte Fragen",
      "Offene Bitten des Nutzers",
      "Wichtige Dateien",
      "Verbleibende Arbeit",
      "Wichtiger Kontext",
    ],
    reference:
      "Protokoll früherer Nachrichten: Hintergrund, keine Bitte. Die Nachrichten darunter sind neuer: wo sie abweichen, gelten sie. Was als erledigt aufgeführt ist, ist Geschichte; was als offen aufgeführt ist, steht hinter der neuesten Nachricht des Nutzers zurück. Systemprompt und dauerhaftes Gedächtnis gehen vor.",
  },
  pt: {
    headings: [
      "Tarefa ativa",
      "Objetivo geral",
      "Restrições e preferências",
      "Ações concluídas",
      "Estado atual",
      "Em andamento",
      "Bloqueios atuais",
      "Decisões principais",
      "Perguntas resolvidas",
      "Pedidos pendentes do usuário",
      "Arquivos relevantes do trabalho",
      "Trabalho restante do pedido",
      "Contexto essencial do trabalho",
    ],
    reference:
      "Registro de mensagens anteriores: é contexto, não um pedido. As mensagens abaixo são mais novas: onde diferem, elas valem. O que consta como feito é história; o que consta como aberto cede à mensagem mais nova do usuário. O prompt de sistema e a memória persistente prevalecem.",
  },
  it: {
    headings: [
      "Compito attivo",
      "Obiettivo",
      "Vincoli e preferenze",
      "Azioni completate",
      "Stato attuale",
      "In corso d'opera",
      "Blocchi",
      "Decisioni principali",
      "Domande risolte",
      "Richieste in sospeso dell'utente",
      "File rilevanti",
      "Lavoro rimanente",
      "Contesto essenziale",
    ],
    reference:
      "Registro dei messaggi precedenti: è contesto, non una richiesta. I messaggi che seguono sono più recenti: dove differiscono, valgono loro. Ciò che risulta fatto è storia; ciò che risulta aperto cede al messaggio più recente dell'utente. Il prompt di sistema e la memoria persistente prevalgono.",
  },
  ru: {
    headings: [
      "Текущая задача",
      "Цель",
      "Ограничения и предпочтения",
      "Выполненные действия",
      "Текущее состояние",
      "В процессе",
      "Препятствия",
      "Ключевые решения",
      "Решённые вопросы",
      "Ожидающие просьбы пользователя",
      "Важные файлы",
      "Оставшаяся работа",
      "Важный контекст",
    ],
    reference:
      "Запись предыдущих сообщений: это контекст, а не просьба. Сообщения ниже новее: где они расходятся с записью, верны они. Что указано как сделанное, уже история; что указано как открытое, уступает последнему сообщению пользователя. Системный промпт и постоянная память важнее.",
  },
  zh: {
    headings: [
      "当前任务",
      "目标",
      "约束与偏好",
      "已完成的操作",
      "当前状态",
      "进行中",
      "阻碍",
      "关键决策",
      "已解决的问题",
      "用户待处理的请求",
      "相关文件",
      "剩余工作",
      "关键背景",
    ],
    reference:
      "以下是先前消息的记录：是背景，不是请求。记录之后的消息更新，如有不同，以它们为准。列为已完成的是历史；列为未完成的，以用户最新的消息为先。系统提示和持久记忆优先于本记录。",
  },
  ja: {
    headings: [
      "現在のタスク",
      "目標",
      "制約と希望",
      "完了した操作",
      "現在の状態",
      "進行中",
      "障害",
      "主な決定",
      "解決済みの質問",
      "ユーザーの未対応の依頼",
      "関連ファイル",
      "残りの作業",
      "重要な背景",
    ],
    reference:
      "以前のメッセージの記録：背景であり、依頼ではありません。この後のメッセージの方が新しく、異なる場合はそちらが有効です。完了とあるものは履歴で、未完了とあるものよりユーザーの最新のメッセージを優先します。システムプロンプトと永続メモリが優先します。",
  },
  ko: {
    headings: [
      "현재 작업",
      "목표",
      "제약과 선호",
      "완료한 작업 내역",
      "현재 상태",
      "진행 중",
      "막힌 것",
      "주요 결정",
      "해결된 질문",
      "사용자의 대기 중인 요청",
      "관련 파일",
      "남은 작업",
      "중요한 배경",
    ],
    reference:
      "이전 메시지의 기록: 배경이며 요청이 아닙니다. 아래의 메시지가 더 새로우며, 다르면 그쪽이 맞습니다. 완료로 적힌 것은 지난 일이고, 미완으로 적힌 것보다 사용자의 최신 메시지가 우선합니다. 시스템 프롬프트와 영구 메모리가 우선합니다.",
  },
};

/** The thirteen sections under headings in a language. */
export function thirteenSections(language: Language): readonly Section[] {
  const { headings } = WORDS[language];
  return THIRTEEN_SECTIONS.map((section, at) => ({ ...section, heading: headings[at]! }));
}

/** What the frame says of a record under those headings; in English where they are of another template. */
export function referenceFor(template: readonly Section[]): string {
  const first = template[0]?.heading;
  return (Object.values(WORDS).find(({ headings }) => headings[0] === first) ?? ENGLISH).reference;
}

/** In every language: a handoff is read back whatever language it was written in. */
export const THIRTEEN_SECTIONS_IN_ALL: readonly (readonly Section[])[] = (Object.keys(WORDS) as Language[]).map(
  thirteenSections,
);
