/** What people and the agent said stands in their words: rules, corrections after what they correct, conclusions in any script. */
import { describe, expect, it } from "vitest";
import { agent, call, DOORS, section, toldOf, user, work, type Step } from "./sessions.ts";

const NEXT = user("Which page is next?");

/** Whether the first stands before the last that is said of it. */
function corrected(handoff: string, before: string, after: string): void {
  expect(handoff).toContain(after);
  if (handoff.includes(before)) expect(handoff.lastIndexOf(after)).toBeGreaterThan(handoff.lastIndexOf(before));
}

describe.each(DOORS)("through %s", (door) => {
  describe("a rule that was lifted or replaced", () => {
    it.each([
      ["Do not touch the schema until the review is over.", "The review is over, you may change the schema again."],
      ["Use Redis 6 only.", "Forget Redis 6, we take Valkey 8 from now on."],
      ["Make sure that every label is in capitals.", "No, lower case after all, all of the labels."],
      ["Bitte keine neuen Pakete einbauen.", "Neue Pakete sind jetzt doch erlaubt."],
      ["请不要改动数据库结构。", "现在可以改动数据库结构了。"],
    ])("%j has what changed it behind it", async (rule, lifted) => {
      const steps = [
        user(rule),
        agent("Understood."),
        ...work(1, "intro"),
        user(lifted),
        agent("Understood, so it is."),
      ];
      const { handoff } = await toldOf(door, [...steps, ...work(5), NEXT]);
      corrected(handoff, rule, lifted);
      expect(section(handoff, "Constraints & Preferences")).not.toContain(rule);
    });
  });

  describe("a value that was replaced", () => {
    it.each([
      ["The budget is 4,200 euros.", "The budget is now 5,150 euros.", "5,150"],
      ["The host is heron-2.internal.", "The host has moved to heron-9.internal.", "heron-9"],
      ["The job runs at 03:40.", "The job runs at 05:10, this replaces the earlier time.", "05:10"],
      ["Der Port ist 7113.", "Der Port ist jetzt 7226.", "7226"],
      ["担当者は佐藤さんです。", "担当者は鈴木さんに変わりました。", "鈴木さん"],
    ])("%j is followed by %j", async (old, now, value) => {
      const steps = [user(old), agent("Noted."), ...work(1, "intro"), user(now), agent("Noted, that is the one.")];
      const { handoff } = await toldOf(door, [...steps, ...work(5), NEXT]);
      expect(handoff).toContain(value);
      corrected(handoff, old, now);
      expect(section(handoff, "Constraints & Preferences")).not.toContain(old);
    });
  });

  describe("rules in the middle of a chat, however they are worded", () => {
    const RULES = [
      "Before you delete a row, show me the row.",
      "Close each answer with the number of rows that are left.",
      "When I name a town, say its country first.",
      "Écris toutes les dates en entier.",
      "Schreib jede Zahl mit ihrer Einheit.",
      "一覧は五十音順に並べてください。",
    ];
    it("stand word for word", async () => {
      const chat = RULES.flatMap((rule, at) => [
        user(`What is the town number ${at} on the list, and how many rows does it have?`),
        agent(`It is the town ${at * 7}, with ${at * 11} rows in the table of the year.`),
        user(rule),
        agent("I will."),
      ]);
      const { handoff } = await toldOf(door, [user("Let us tidy the list."), ...chat, ...work(4), NEXT], 0.3);
      for (const rule of RULES) expect(handoff).toContain(rule);
    });
  });

  describe("a small conversation", () => {
    const FACTS = ["never more than 890 euros", "MK4-7710", "C22", "ferry", "a child seat"];
    const talk: readonly Step[] = [
      user("We plan the trip to the island. All in all it may cost never more than 890 euros."),
      agent("Good, I keep to that."),
      user("The booking code is MK4-7710, and we leave from gate C22."),
      agent("Both are noted."),
      user("We take the ferry and not the plane, and we need a child seat."),
      agent("The ferry it is, with the seat."),
      ...Array.from({ length: 24 }, (_, at) => [
        user(`How was the weather on the day ${at} over there, by the way, and was the sea calm?`),
        agent(`On the day ${at} it was mild with some wind in the evening, and the sea was calm enough for a swim.`),
      ]).flat(),
      user("What shall we pack?"),
    ];
    it.each([0.35, 0.5, 0.7])("keeps what was settled, at %d", async (share) => {
      const { whole } = await toldOf(door, talk, share);
      for (const fact of FACTS) expect(whole).toContain(fact);
    });
  });

  describe("a conclusion of the agent", () => {
    it.each([
      ["从日志看原因是连接池提前关闭了套接字。", "数据表现在一共有三百一十二行。"],
      ["ログを見ると、接続プールがソケットを早く閉じています。", "表は全部で三百十二行になりました。"],
      ["로그를 보면 연결 풀이 소켓을 너무 일찍 닫습니다.", "표는 이제 모두 삼백십이 행입니다."],
      ["Das Protokoll zeigt: Der Pool schließt die Verbindung zu früh.", "Die Tabelle hat jetzt 312 Zeilen."],
      ["سجل الأخطاء يظهر أن المجمع يغلق الاتصال مبكرا.", "في الجدول الآن 312 صفا."],
    ])("stands: %s", async (cause, count) => {
      const look = (name: string): Step =>
        call("Bash", { command: `cat log/${name}.txt` }, "a line of the log\n".repeat(200));
      const steps = [user("Look into it."), look("a"), agent(cause), user("Go on."), look("b"), agent(count)];
      const { handoff } = await toldOf(door, [...steps, ...work(5), NEXT]);
      expect(handoff).toContain(cause);
      expect(handoff).toContain(count);
    });
  });
});
