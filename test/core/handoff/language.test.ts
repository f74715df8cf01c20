/** In which language a person writes: by what they wrote themselves, in whatever script, and not by what they pasted. */
import { describe, expect, it } from "vitest";
import { languageOf, languageOfPeople } from "../../../src/core/handoff/language.ts";
import { textMessage } from "../../../src/core/transcript/message.ts";

describe("the language of a text", () => {
  it.each([
    ["在庫確認済。次、試験環境で動作確認お願い", "ja"],
    ["進捗確認。残作業は？修正完了後、報告", "ja"],
    ["カンマを含む行が失われます。", "ja"],
    ["请检查一下这个功能，测试环境里的库存数据不对，修复之后再告诉我结果，谢谢。", "zh"],
    ["日语界面里的「の」要改掉，其他的文字先不要动，改完之后请把所有的页面再检查一遍。", "zh"],
    ["이제 테스트도 봐 주세요.", "ko"],
    ["Bitte ストリーム in Zeile 3 prüfen, das ist nicht übersetzt und steht dort für alle Besucher der Seite.", "de"],
  ])("%j is %s", (text, language) => {
    expect(languageOf(text)).toBe(language);
  });
});

describe("the language of people", () => {
  const LOG = Array.from(
    { length: 40 },
    (_, at) => `2026-11-08T18:34:0${at % 9}Z WARN worker-2 is not ready for the id=${at}f path=/api/v1/a status=404`,
  );
  it.each([
    ["de", "geht immer noch nicht:", "Error: the build failed with exit code 1, please fix it"],
    ["es", "por favor, mira el registro", "TypeError: cannot read the name of undefined and this is not the end"],
    ["fr", "le serveur ne répond pas", "fatal: this is not a repository, and it is not for you"],
    ["en", "this is what it says", "Error: boom"],
  ])("is %s where they paste logs in English below their own words", (language, words, error) => {
    const pasted = textMessage("user", [words, ...LOG, error].join("\n"));
    expect(languageOfPeople([pasted, pasted, pasted])).toBe(language);
  });

  it("is that of their newest messages", () => {
    const talk = (text: string) => textMessage("user", `${text}\n`.repeat(200));
    expect(
      languageOfPeople([talk("das ist der Fehler, bitte nicht"), talk("this is the error and it is not for you")]),
    ).toBe("en");
  });
});
