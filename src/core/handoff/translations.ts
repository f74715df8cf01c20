/** The words of code's own in a handoff, in the language that its people write: the thirteen headings and the frame. */
import type { Language } from "./language.ts";
import { THIRTEEN_SECTIONS, type Section } from "./templates.ts";

export interface Words {
  /** In the order of the thirteen sections. */
  readonly headings: readonly string[];
  /** That a record is background, and what outranks it. */
  readonly reference: string;
  /** The same where there is no room for more than a few words. */
  readonly short: string;
  /** In front of a span's recall id, of those before it, and of the numbers of its messages. */
  readonly originals: string;
  readonly before: string;
  readonly messages: string;
  /** How they are found there. */
  readonly how: string;
  /** What the live request is. */
  readonly newest: string;
}

const ENGLISH: Words = {
  headings: THIRTEEN_SECTIONS.map(({ heading }) => heading),
  reference:
    "Record of earlier messages: background, not a request. The messages below it are newer: where they differ, they hold. What it lists as done is history; what it lists as open yields to the newest user message. System prompt and persistent memory outrank it.",
  short: "Record of earlier messages: background. The newest user message outranks it.",
  originals: "Originals",
  before: "before them",
  messages: "messages",
  how: "word for word; search them for words, or read them by number",
  newest: "The newest user message",
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
    short: "Registro de mensajes anteriores: contexto. El último mensaje del usuario tiene prioridad.",
    originals: "Originales",
    before: "antes",
    messages: "mensajes",
    how: "palabra por palabra; busque palabras en ellos o léalos por número",
    newest: "El último mensaje del usuario",
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
    short: "Compte rendu des messages précédents : du contexte. Le dernier message de l'utilisateur l'emporte.",
    originals: "Originaux",
    before: "avant",
    messages: "messages",
    how: "mot pour mot ; cherchez-y des mots ou lisez-les par numéro",
    newest: "Le dernier message de l'utilisateur",
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
    short: "Protokoll früherer Nachrichten: Hintergrund. Die neueste Nachricht des Nutzers geht vor.",
    originals: "Originale",
    before: "davor",
    messages: "Nachrichten",
    how: "Wort für Wort; nach Wörtern suchen oder nach Nummern lesen",
    newest: "Die neueste Nachricht des Nutzers",
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
    short: "Registro de mensagens anteriores: contexto. A mensagem mais nova do usuário prevalece.",
    originals: "Originais",
    before: "antes",
    messages: "mensagens",
    how: "palavra por palavra; busque palavras neles ou leia-os por número",
    newest: "A mensagem mais nova do usuário",
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
    short: "Registro dei messaggi precedenti: contesto. Il messaggio più recente dell'utente prevale.",
    originals: "Originali",
    before: "prima",
    messages: "messaggi",
    how: "parola per parola; cercarvi parole o leggerli per numero",
    newest: "Il messaggio più recente dell'utente",
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
    short: "Запись предыдущих сообщений: контекст. Последнее сообщение пользователя важнее.",
    originals: "Оригиналы",
    before: "до них",
    messages: "сообщения",
    how: "слово в слово; можно искать по словам или читать по номерам",
    newest: "Последнее сообщение пользователя",
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
    short: "先前消息的记录：背景。用户最新的消息优先。",
    originals: "原文",
    before: "更早",
    messages: "消息",
    how: "逐字保留；可按词搜索或按编号阅读",
    newest: "用户最新的消息",
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
    short: "以前のメッセージの記録：背景。ユーザーの最新のメッセージが優先します。",
    originals: "原文",
    before: "それ以前",
    messages: "メッセージ",
    how: "一字一句そのまま、語で検索するか番号で読めます",
    newest: "ユーザーの最新のメッセージ",
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
    short: "이전 메시지의 기록: 배경. 사용자의 최신 메시지가 우선합니다.",
    originals: "원문",
    before: "그 이전",
    messages: "메시지",
    how: "원문 그대로이며, 단어로 찾거나 번호로 읽습니다",
    newest: "사용자의 최신 메시지",
  },
};

/** The thirteen sections under headings in a language. */
export function thirteenSections(language: Language): readonly Section[] {
  const { headings } = WORDS[language];
  return THIRTEEN_SECTIONS.map((section, at) => ({ ...section, heading: headings[at]! }));
}

/** Those of a record under these headings; in English where they are of another template. */
export function wordsFor(template: readonly Section[]): Words {
  const first = template[0]?.heading;
  return Object.values(WORDS).find(({ headings }) => headings[0] === first) ?? ENGLISH;
}

export function wordsIn(language: Language): Words {
  return WORDS[language];
}

/** How the line about the live request opens, in every language. */
export const LIVE_LEADS: readonly string[] = Object.values(WORDS).map(({ newest }) => `${newest}: `);

/** In every language: a handoff is read back whatever language it was written in. */
export const THIRTEEN_SECTIONS_IN_ALL: readonly (readonly Section[])[] = (Object.keys(WORDS) as Language[]).map(
  thirteenSections,
);
