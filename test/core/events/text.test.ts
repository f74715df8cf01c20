/** Sentences end where they do for a reader: not at an abbreviation or a date, nor within brackets and quotes. */
import { describe, expect, it } from "vitest";
import { sentencesOf } from "../../../src/core/events/text.ts";

describe("the sentences of a line", () => {
  it.each([
    ["Der Betrag ist bis zum 3. Oktober fällig. ", "Dann mahnen wir."],
    ["Dr. Müller hat am 12.3. angerufen, z. B. wegen Art. 14 Abs. 4 Nr. 5 der Verordnung. ", "Die Menge fehlt."],
    ["La Sra. Núñez dice que vence el 3 de oct. según el art. 14 de la ley. ", "¿Por qué?"],
    ["Mr. Smith and Mrs. Jones came at 5 p.m. today. ", "Then they left. ", "Why? ", "Nobody knows!"],
    ["См. стр. 5 и рис. 12. Это всё важно. ", "Дальше проверь счета."],
    ["期限は10月3日です。", "「報告書.v8.xlsx」がないと言っていました。", "なぜですか？", "はい！"],
    ["彼は（詳細は第3章。図も参照）と書いた。", "終わり。"],
    ['He said "Stop. Now." and left. ', "Nobody stayed."],
    ["Sie schrieb: „Das geht. Danach nicht mehr.“ und ging. ", "Alle warten."],
    ["Yes. ", "Then run the tests. ", "All green."],
    ["Das ist gut. ", "Ja. ", "Weiter."],
    ["This (it never closes is long. ", "So it ends here. ", "Fine."],
  ])("are %j …", (...sentences) => {
    expect(sentencesOf(sentences.join(""))).toEqual(sentences);
  });

  it("are the line, also where marks open that close far away or never", () => {
    const line = `( „ [ ${'A word. Another (one. Two) "three. '.repeat(2_000)}`;
    const sentences = sentencesOf(line);
    expect(sentences.join("")).toBe(line);
    expect(sentences.length).toBeGreaterThan(1_000);
  });

  it("are found in linear time in a line of marks", () => {
    const line = "(".repeat(500_000) + ")".repeat(500_000);
    expect(sentencesOf(line).join("")).toBe(line);
  });
});
