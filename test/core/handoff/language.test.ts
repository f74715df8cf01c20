/** In which language a person writes: by what they wrote themselves, in whatever script, and not by what they pasted. */
import { describe, expect, it } from "vitest";
import { languageOfPeople } from "../../../src/core/handoff/language.ts";
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
    expect(languageOfPeople([textMessage("user", text)])).toBe(language);
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

  const TRACE = [
    "Error: ENOENT: no such file or directory, open '/srv/app/config.json'",
    "    at loadConfig (/srv/app/src/config.js:12:20)",
    "This usually means that the file was not found. Please check that the path is correct and that it is there.",
  ].join("\n");
  it.each([
    [
      "de",
      "between pasted traces",
      [`Der Dienst startet nicht:\n${TRACE}`, "Schau bitte nach.", `Und jetzt:\n${TRACE}\n`.repeat(6), "Mach weiter."],
    ],
    ["fr", "below a pasted trace", [`${TRACE}\n\nPeux-tu corriger ça ?`]],
    ["es", "beside code", ["Por qué no funciona esto:\n```\nfor the value of this is not what it should be\n```"]],
    ["zh", "beside a trace that is much longer", [`启动不了：\n${`${TRACE}\n`.repeat(9)}`, "继续。"]],
    [
      "en",
      "around a label that they quote",
      [
        "The label must read 'Bestände für die Größe prüfen und an die Buchhaltung schicken', and it is not to be translated.",
      ],
    ],
    ["de", "of few words", ["prüf mal", "ja", "weiter", "mach das so", "ok danke"]],
    ["pt", "of few words", ["tá certo, segue", "roda os testes de novo", "não funcionou"]],
    ["ja", "of few words", ["はい", "続けて"]],
    [
      "de",
      "with one message in English",
      ["Schau dir bitte das Modul an.", "Und jetzt die Tests.", "Please go on with this."],
    ],
  ] as const)("is %s by what is %s", (language, _how, texts) => {
    expect(languageOfPeople(texts.map((text) => textMessage("user", text)))).toBe(language);
  });

  it.each([
    ["Catalan", "El servei no arrenca, pots mirar què passa amb la configuració? Ara corregeix el fitxer."],
    ["Galician", "O servizo non arranca, podes ver que pasa coa configuración? Agora corrixe o ficheiro."],
    ["Dutch", "De dienst start niet, kun je naar de configuratie kijken? Blijf van de database af."],
    ["Danish", "Tjenesten starter ikke, kan du se på konfigurationen? Det er den der fejler."],
    ["Turkish", "Servis başlamıyor, yapılandırmaya bakar mısın? Şimdi dosyayı düzelt ama veritabanına dokunma."],
    ["Romanian", "Serviciul nu pornește, poți să te uiți la configurație? Corectează acum un fișier."],
    ["Czech", "Služba se nespustí, podívej se prosím na konfiguraci. Je to ne moc dobré."],
    ["Finnish", "Palvelu ei käynnisty, tarkista asetukset ja testit. Se on ja pysyy, ja nyt?"],
    ["Ukrainian", "Сервіс не запускається, перевір конфігурацію."],
    ["Bulgarian", "Услугата не тръгва, провери конфигурацията, защото сървърът не отговаря."],
    ["Arabic", "الخدمة لا تعمل، تحقق من الإعدادات من فضلك."],
  ])("is English where it is one that nothing is written in: %s", (_name, text) => {
    expect(languageOfPeople([textMessage("user", text)])).toBe("en");
  });
});
