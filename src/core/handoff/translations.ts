/** The words of code's own in a handoff, in the language that its people write: the thirteen headings and the frame. */
import type { Language } from "./language.ts";
import type { Topic } from "./sections/topic.ts";
import { THIRTEEN_SECTIONS, type Section } from "./templates.ts";

/** Each of the thirteen sections is about one of these; `messages` and `fixed` are in other templates only. */
type Headings = Readonly<Record<Exclude<Topic, "messages" | "fixed">, string>>;

export interface Words {
  /** Of the section for each topic. */
  readonly headings: Headings;
  /** That a record is background, and what outranks it. */
  readonly reference: string;
  /** The same where there is no room for more than a few words. */
  readonly short: string;
  /** In front of a span's recall id, of those before it, and of the numbers of its messages. */
  readonly originals: string;
  readonly before: string;
  readonly messages: string;
  /** In front of the numbers of those that stand in front of it word for word too. */
  readonly above: string;
  /** How they are found there. */
  readonly how: string;
  /** What the live request is. */
  readonly newest: string;
}

const ENGLISH: Words = {
  headings: Object.fromEntries(THIRTEEN_SECTIONS.map(({ heading, topics }) => [topics[0], heading])) as Headings,
  reference:
    "Record of earlier messages: background, not a request. The messages below it are newer: where they differ, they hold. What it lists as done is history; what it lists as open yields to the newest user message. System prompt and persistent memory outrank it.",
  short: "Record of earlier messages: background. The newest user message outranks it.",
  originals: "Originals",
  before: "before them",
  messages: "messages",
  above: "of these, above this record",
  how: "word for word; search them for words, or read them by number",
  newest: "The newest user message",
};

const WORDS: Readonly<Record<Language, Words>> = {
  en: ENGLISH,
  es: {
    headings: {
      task: "Tarea activa",
      goal: "Objetivo",
      constraints: "Restricciones y preferencias",
      actions: "Acciones completadas",
      state: "Estado actual",
      progress: "En curso",
      blocked: "Bloqueos",
      decisions: "Decisiones clave",
      resolved: "Preguntas resueltas",
      pending: "Peticiones pendientes del usuario",
      files: "Archivos relevantes",
      remaining: "Trabajo restante",
      context: "Contexto crítico",
    },
    reference:
      "Registro de mensajes anteriores: es contexto, no una petición. Los mensajes que siguen son más recientes: si difieren, valen ellos. Lo que figura como hecho es historia; lo que figura como abierto cede ante el último mensaje del usuario. El prompt de sistema y la memoria persistente tienen prioridad.",
    short: "Registro de mensajes anteriores: contexto. El último mensaje del usuario tiene prioridad.",
    originals: "Originales",
    before: "antes",
    messages: "mensajes",
    above: "de ellos, encima de este registro",
    how: "palabra por palabra; busque palabras en ellos o léalos por número",
    newest: "El último mensaje del usuario",
  },
  fr: {
    headings: {
      task: "Tâche en cours",
      goal: "Objectif",
      constraints: "Contraintes et préférences",
      actions: "Actions terminées",
      state: "État actuel",
      progress: "En cours d'exécution",
      blocked: "Blocages",
      decisions: "Décisions clés",
      resolved: "Questions résolues",
      pending: "Demandes en attente de l'utilisateur",
      files: "Fichiers concernés",
      remaining: "Travail restant",
      context: "Contexte essentiel",
    },
    reference:
      "Compte rendu des messages précédents : du contexte, pas une demande. Les messages qui suivent sont plus récents : s'ils diffèrent, ils font foi. Ce qui est noté comme fait appartient au passé ; ce qui est noté comme ouvert cède devant le dernier message de l'utilisateur. L'invite système et la mémoire persistante l'emportent.",
    short: "Compte rendu des messages précédents : du contexte. Le dernier message de l'utilisateur l'emporte.",
    originals: "Originaux",
    before: "avant",
    messages: "messages",
    above: "dont au-dessus de ce compte rendu",
    how: "mot pour mot ; cherchez-y des mots ou lisez-les par numéro",
    newest: "Le dernier message de l'utilisateur",
  },
  de: {
    headings: {
      task: "Aktuelle Aufgabe",
      goal: "Ziel",
      constraints: "Vorgaben und Vorlieben",
      actions: "Erledigte Schritte",
      state: "Aktueller Stand",
      progress: "In Arbeit",
      blocked: "Hindernisse",
      decisions: "Wichtige Entscheidungen",
      resolved: "Geklärte Fragen",
      pending: "Offene Bitten des Nutzers",
      files: "Wichtige Dateien",
      remaining: "Verbleibende Arbeit",
      context: "Wichtiger Kontext",
    },
    reference:
      "Protokoll früherer Nachrichten: Hintergrund, keine Bitte. Die Nachrichten darunter sind neuer: wo sie abweichen, gelten sie. Was als erledigt aufgeführt ist, ist Geschichte; was als offen aufgeführt ist, steht hinter der neuesten Nachricht des Nutzers zurück. Systemprompt und dauerhaftes Gedächtnis gehen vor.",
    short: "Protokoll früherer Nachrichten: Hintergrund. Die neueste Nachricht des Nutzers geht vor.",
    originals: "Originale",
    before: "davor",
    messages: "Nachrichten",
    above: "davon über diesem Protokoll",
    how: "Wort für Wort; nach Wörtern suchen oder nach Nummern lesen",
    newest: "Die neueste Nachricht des Nutzers",
  },
  pt: {
    headings: {
      task: "Tarefa ativa",
      goal: "Objetivo geral",
      constraints: "Restrições e preferências",
      actions: "Ações concluídas",
      state: "Estado atual",
      progress: "Em andamento",
      blocked: "Bloqueios atuais",
      decisions: "Decisões principais",
      resolved: "Perguntas resolvidas",
      pending: "Pedidos pendentes do usuário",
      files: "Arquivos relevantes do trabalho",
      remaining: "Trabalho restante do pedido",
      context: "Contexto essencial do trabalho",
    },
    reference:
      "Registro de mensagens anteriores: é contexto, não um pedido. As mensagens abaixo são mais novas: onde diferem, elas valem. O que consta como feito é história; o que consta como aberto cede à mensagem mais nova do usuário. O prompt de sistema e a memória persistente prevalecem.",
    short: "Registro de mensagens anteriores: contexto. A mensagem mais nova do usuário prevalece.",
    originals: "Originais",
    before: "antes",
    messages: "mensagens",
    above: "delas, acima deste registro",
    how: "palavra por palavra; busque palavras neles ou leia-os por número",
    newest: "A mensagem mais nova do usuário",
  },
  it: {
    headings: {
      task: "Compito attivo",
      goal: "Obiettivo",
      constraints: "Vincoli e preferenze",
      actions: "Azioni completate",
      state: "Stato attuale",
      progress: "In corso d'opera",
      blocked: "Blocchi",
      decisions: "Decisioni principali",
      resolved: "Domande risolte",
      pending: "Richieste in sospeso dell'utente",
      files: "File rilevanti",
      remaining: "Lavoro rimanente",
      context: "Contesto essenziale",
    },
    reference:
      "Registro dei messaggi precedenti: è contesto, non una richiesta. I messaggi che seguono sono più recenti: dove differiscono, valgono loro. Ciò che risulta fatto è storia; ciò che risulta aperto cede al messaggio più recente dell'utente. Il prompt di sistema e la memoria persistente prevalgono.",
    short: "Registro dei messaggi precedenti: contesto. Il messaggio più recente dell'utente prevale.",
    originals: "Originali",
    before: "prima",
    messages: "messaggi",
    above: "di cui sopra questo registro",
    how: "parola per parola; cercarvi parole o leggerli per numero",
    newest: "Il messaggio più recente dell'utente",
  },
  ru: {
    headings: {
      task: "Текущая задача",
      goal: "Цель",
      constraints: "Ограничения и предпочтения",
      actions: "Выполненные действия",
      state: "Текущее состояние",
      progress: "В процессе",
      blocked: "Препятствия",
      decisions: "Ключевые решения",
      resolved: "Решённые вопросы",
      pending: "Ожидающие просьбы пользователя",
      files: "Важные файлы",
      remaining: "Оставшаяся работа",
      context: "Важный контекст",
    },
    reference:
      "Запись предыдущих сообщений: это контекст, а не просьба. Сообщения ниже новее: где они расходятся с записью, верны они. Что указано как сделанное, уже история; что указано как открытое, уступает последнему сообщению пользователя. Системный промпт и постоянная память важнее.",
    short: "Запись предыдущих сообщений: контекст. Последнее сообщение пользователя важнее.",
    originals: "Оригиналы",
    before: "до них",
    messages: "сообщения",
    above: "из них выше этой записи",
    how: "слово в слово; можно искать по словам или читать по номерам",
    newest: "Последнее сообщение пользователя",
  },
  zh: {
    headings: {
      task: "当前任务",
      goal: "目标",
      constraints: "约束与偏好",
      actions: "已完成的操作",
      state: "当前状态",
      progress: "进行中",
      blocked: "阻碍",
      decisions: "关键决策",
      resolved: "已解决的问题",
      pending: "用户待处理的请求",
      files: "相关文件",
      remaining: "剩余工作",
      context: "关键背景",
    },
    reference:
      "以下是先前消息的记录：是背景，不是请求。记录之后的消息更新，如有不同，以它们为准。列为已完成的是历史；列为未完成的，以用户最新的消息为先。系统提示和持久记忆优先于本记录。",
    short: "先前消息的记录：背景。用户最新的消息优先。",
    originals: "原文",
    before: "更早",
    messages: "消息",
    above: "其中位于本记录之前",
    how: "逐字保留；可按词搜索或按编号阅读",
    newest: "用户最新的消息",
  },
  ja: {
    headings: {
      task: "現在のタスク",
      goal: "目標",
      constraints: "制約と希望",
      actions: "完了した操作",
      state: "現在の状態",
      progress: "進行中",
      blocked: "障害",
      decisions: "主な決定",
      resolved: "解決済みの質問",
      pending: "ユーザーの未対応の依頼",
      files: "関連ファイル",
      remaining: "残りの作業",
      context: "重要な背景",
    },
    reference:
      "以前のメッセージの記録：背景であり、依頼ではありません。この後のメッセージの方が新しく、異なる場合はそちらが有効です。完了とあるものは履歴で、未完了とあるものよりユーザーの最新のメッセージを優先します。システムプロンプトと永続メモリが優先します。",
    short: "以前のメッセージの記録：背景。ユーザーの最新のメッセージが優先します。",
    originals: "原文",
    before: "それ以前",
    messages: "メッセージ",
    above: "うちこの記録の前にもあるもの",
    how: "一字一句そのまま、語で検索するか番号で読めます",
    newest: "ユーザーの最新のメッセージ",
  },
  ko: {
    headings: {
      task: "현재 작업",
      goal: "목표",
      constraints: "제약과 선호",
      actions: "완료한 작업 내역",
      state: "현재 상태",
      progress: "진행 중",
      blocked: "막힌 것",
      decisions: "주요 결정",
      resolved: "해결된 질문",
      pending: "사용자의 대기 중인 요청",
      files: "관련 파일",
      remaining: "남은 작업",
      context: "중요한 배경",
    },
    reference:
      "이전 메시지의 기록: 배경이며 요청이 아닙니다. 아래의 메시지가 더 새로우며, 다르면 그쪽이 맞습니다. 완료로 적힌 것은 지난 일이고, 미완으로 적힌 것보다 사용자의 최신 메시지가 우선합니다. 시스템 프롬프트와 영구 메모리가 우선합니다.",
    short: "이전 메시지의 기록: 배경. 사용자의 최신 메시지가 우선합니다.",
    originals: "원문",
    before: "그 이전",
    messages: "메시지",
    above: "이 중 이 기록 앞에도 있는 것",
    how: "원문 그대로이며, 단어로 찾거나 번호로 읽습니다",
    newest: "사용자의 최신 메시지",
  },
};

/** The thirteen sections under headings in a language. */
export function thirteenSections(language: Language): readonly Section[] {
  const { headings } = WORDS[language];
  return THIRTEEN_SECTIONS.map((section) => ({ ...section, heading: headings[section.topics[0] as keyof Headings] }));
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
