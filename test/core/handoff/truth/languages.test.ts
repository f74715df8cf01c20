/** One session in eight languages: whatever people write in, the same facts stand in the handoff. */
import { describe, expect, it } from "vitest";
import { agent, call, DOORS, toldOf, user, type Step } from "./sessions.ts";

interface Words {
  /** The first request, a rule, a decision by a person, a conclusion with a count, and what is asked last. */
  readonly request: string;
  readonly rule: string;
  readonly decision: string;
  readonly conclusion: string;
  readonly count: string;
  readonly filler: string;
  readonly next: string;
}

const WORDS: Readonly<Record<string, Words>> = {
  English: {
    request: "Mend the import: it loses rows with a comma.",
    rule: "Never change the schema.",
    decision: "We take the second way, the streaming one.",
    conclusion: "The cause is the splitter, which ignores quotes.",
    count: "Of 4,812 rows, 37 were lost.",
    filler: "Now look at part {} as well, please.",
    next: "And now the tests?",
  },
  German: {
    request: "Repariere den Import: Er verliert Zeilen mit Komma.",
    rule: "Ändere nie das Schema.",
    decision: "Wir nehmen den zweiten Weg, den mit dem Datenstrom.",
    conclusion: "Die Ursache ist der Zerleger, der Anführungszeichen übergeht.",
    count: "Von 4.812 Zeilen fehlten 37.",
    filler: "Sieh dir jetzt bitte auch den Teil {} an.",
    next: "Und jetzt die Tests?",
  },
  Spanish: {
    request: "Arregla la importación: pierde filas con una coma.",
    rule: "No cambies nunca el esquema.",
    decision: "Tomamos la segunda vía, la del flujo.",
    conclusion: "La causa es el separador, que ignora las comillas.",
    count: "De 4.812 filas faltaban 37.",
    filler: "Ahora mira también la parte {}, por favor.",
    next: "¿Y ahora las pruebas?",
  },
  Portuguese: {
    request: "Conserte a importação: ela perde linhas com vírgula.",
    rule: "Nunca altere o esquema.",
    decision: "Vamos pelo segundo caminho, o do fluxo.",
    conclusion: "A causa é o separador, que ignora as aspas.",
    count: "De 4.812 linhas, 37 se perderam.",
    filler: "Agora veja também a parte {}, por favor.",
    next: "E agora os testes?",
  },
  French: {
    request: "Répare l'import : il perd les lignes avec une virgule.",
    rule: "Ne change jamais le schéma.",
    decision: "Nous prenons la deuxième voie, celle du flux.",
    conclusion: "La cause est le découpeur, qui ignore les guillemets.",
    count: "Sur 4 812 lignes, 37 étaient perdues.",
    filler: "Regarde maintenant aussi la partie {}, s'il te plaît.",
    next: "Et maintenant les tests ?",
  },
  Chinese: {
    request: "修复导入功能：带逗号的行会丢失。",
    rule: "绝对不要改动数据库结构。",
    decision: "我们采用第二种方案，也就是流式处理。",
    conclusion: "原因是分割器忽略了引号。",
    count: "4812行中丢失了37行。",
    filler: "现在请再看一下第{}部分。",
    next: "那么测试呢？",
  },
  Japanese: {
    request: "インポートを直してください。カンマを含む行が失われます。",
    rule: "スキーマは絶対に変えないでください。",
    decision: "二つ目の方法、ストリームの方にします。",
    conclusion: "原因は引用符を無視する分割器です。",
    count: "4812行のうち37行が失われていました。",
    filler: "次に第{}部も見てください。",
    next: "ではテストは？",
  },
  Korean: {
    request: "가져오기를 고쳐 주세요. 쉼표가 있는 행이 사라집니다.",
    rule: "스키마는 절대 바꾸지 마세요.",
    decision: "두 번째 방법, 스트림 방식으로 합시다.",
    conclusion: "원인은 따옴표를 무시하는 분할기입니다.",
    count: "4812행 가운데 37행이 사라졌습니다.",
    filler: "이제 {}부도 봐 주세요.",
    next: "그럼 테스트는요?",
  },
};

function sessionIn(words: Words): readonly Step[] {
  const parts = Array.from({ length: 8 }, (_, at) => [
    user(words.filler.replace("{}", String(at + 10))),
    call("Read", { file_path: `data/part-${at + 10}.csv` }, `${at};a;b\n`.repeat(400)),
    agent(words.count.replace("4", String(at + 5))),
  ]).flat();
  return [
    user(`${words.request} ${words.rule}`),
    call("Read", { file_path: "src/import/split.ts" }, "export function split(): void {}\n".repeat(60)),
    agent(`${words.conclusion} ${words.count}`),
    user(words.decision),
    call(
      "Edit",
      { file_path: "src/import/stream.ts", old_string: "a", new_string: "stream(rows)" },
      "The file src/import/stream.ts has been updated.",
    ),
    call(
      "Bash",
      { command: "npm test" },
      "FAIL test/import.test.ts > keeps quoted commas\nTests  1 failed | 52 passed (53)\nExit code 1",
    ),
    ...parts,
    user(words.next),
  ];
}

describe.each(Object.entries(WORDS))("a session in %s", (_, words) => {
  it.each(DOORS)(
    "keeps requests, conclusions, files, counts, the decision and the failing check, through %s",
    async (door) => {
      const { handoff, whole } = await toldOf(door, sessionIn(words), 0.3);
      for (const text of [words.request, words.rule, words.decision, words.conclusion, words.count])
        expect(handoff).toContain(text);
      expect(whole).toContain(words.next);
      expect(handoff).toContain("src/import/stream.ts");
      expect(handoff).toContain("+ stream(rows)");
      expect(handoff).toMatch(/npm test.*1 failed, 52 passed/);
      expect(handoff).toContain("keeps quoted commas");
    },
  );
});
