/** A handoff has the frame of its language: no words of code's own in the frame are left in English, and it is read back. */
import { describe, expect, it } from "vitest";
import type { Language } from "../../../src/core/handoff/language.ts";
import { createEngine } from "../../../src/core/engines/engines.ts";
import { ENGINE_DEFAULTS } from "../../../src/core/engines/settings.ts";
import { frameOf } from "../../../src/core/handoff/framing.ts";
import { thirteenSections, wordsIn } from "../../../src/core/handoff/translations.ts";
import { parseHandoff } from "../../../src/core/handoff/write.ts";
import { chain, compacted, filler, measure, ran, talk, user } from "../../support/compacting.ts";

const SPOKEN: Readonly<Record<Exclude<Language, "en">, string>> = {
  es: "Los depósitos y las cajas están listos, pero ahora revisa los pedidos por favor.",
  fr: "Les caisses et les dépôts sont prêts, vérifie les commandes pour cette semaine avec une liste.",
  de: "Die Kisten und der Bestand sind nicht geprüft, bitte prüfe jetzt die Rechnungen mit der Liste.",
  pt: "Os depósitos não estão prontos, mas agora faça uma lista para você em ordem.",
  it: "Il deposito e gli ordini sono pronti, ora che è tutto in ordine controlla il resto per questo mese.",
  ru: "Склад ещё не проверен, проверь теперь счета за неделю.",
  zh: "仓库还没有检查，现在请检查这一周的发票。",
  ja: "倉庫はまだ確認していません。今週の請求書を確認してください。",
  ko: "창고를 아직 확인하지 않았습니다. 이제 이번 주 송장을 확인해 주세요.",
};

const IN_ENGLISH = /Originals|before them|word for word|newest user message|Record of/;

describe.each(Object.entries(SPOKEN) as [Language, string][])("a handoff in %s", (language, spoken) => {
  const replaced = { recall: "r0123456789abcdef", earlier: ["raaaaaaaaaaaaaaaa"], first: 3, last: 40 };

  it.each([true, false])("has a frame of that language, where it is short: %s", (isShort) => {
    const { opening, closing } = frameOf(replaced, wordsIn(language), isShort);
    expect(opening).not.toMatch(IN_ENGLISH);
    const spans = parseHandoff(`${opening}\n${closing}`)?.spans;
    expect(spans).toEqual([replaced.recall, ...(isShort ? [] : replaced.earlier)]);
  });

  it("names the newest message in it", async () => {
    const work = Array.from({ length: 12 }, (_, at) => ran("read", { path: `src/${at}.ts` }, filler(600)));
    const { text } = await compacted(
      talk(user(spoken), ...work.slice(0, 8), user(`${spoken} ${spoken}`), ...work.slice(8)),
      {
        budget: 5_000,
      },
    );
    expect(text).toContain(`## ${thirteenSections(language)[0]!.heading}\n- ${wordsIn(language).newest}: `);
    expect(text).not.toMatch(IN_ENGLISH);
  });

  it.each(["handoff", "layered", "stepped"] as const)("has that frame in the engine %s too", async (name) => {
    const work = Array.from({ length: 12 }, (_, at) => ran("read", { path: `src/${at}.ts` }, filler(600)));
    const engine = createEngine(name, ENGINE_DEFAULTS);
    const original = talk(user(spoken), ...work.slice(0, 8), user(`${spoken} ${spoken}`), ...work.slice(8));
    const request = { measure, chain, reason: "explicit", budget: 3_000 } as const;
    const outcome = await engine.compact(engine.init(), original, request);
    expect(JSON.stringify(outcome)).toContain(wordsIn(language).originals);
    expect(JSON.stringify(outcome)).not.toMatch(IN_ENGLISH);
  });
});
