import * as fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { CLASSES, CLASS_BITS, createPieces, estimateText } from "../../../src/core/transcript/estimate.ts";
import { WEIGHTS } from "../../../src/core/transcript/estimate-weights.ts";

const { classOf: CLASS_OF, next: NEXT, states: STATES } = createPieces();

/** Any text: code units at random (lone surrogates among them), words, and runs. */
const texts = fc.oneof(
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 300 }).map((units) => String.fromCharCode(...units)),
  fc.array(fc.lorem({ maxCount: 9 }), { maxLength: 20 }).map((lines) => lines.join("\n")),
  fc.tuple(fc.string({ minLength: 1, maxLength: 3 }), fc.nat(500)).map(([unit, times]) => unit.repeat(times)),
);

describe("any text", () => {
  test("weighs a whole number, nothing only when empty", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const tokens = estimateText(text);
        expect(Number.isSafeInteger(tokens)).toBe(true);
        expect(tokens > 0).toBe(text !== "");
      }),
    );
  });

  test("never weighs more than its start does with more behind it", () => {
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        expect(estimateText(a + b)).toBeGreaterThanOrEqual(estimateText(a));
      }),
    );
  });

  test("weighs about what its two halves do, wherever it is cut", () => {
    const SEAM_TOKENS = 16;
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        const seam = Math.abs(estimateText(a + b) - estimateText(a) - estimateText(b));
        expect(seam).toBeLessThanOrEqual(SEAM_TOKENS);
      }),
    );
  });

  test("cannot weigh nothing for long: a cycle of steps without weight would hide a message of any length", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 6 }), (unit) => {
        expect(estimateText(unit.repeat(1000))).toBeGreaterThan(5 * unit.length);
      }),
    );
  });
});

describe("the automaton", () => {
  test("walks a text in one go, however it is read", () => {
    const rows = new Map(
      WEIGHTS.trim()
        .split("\n")
        .map((row) => row.split(": ") as [string, string]),
    );
    const weights = STATES.flatMap((state) => (rows.get(state) ?? "").split(" ").map(Number));
    const walked = (text: string): number => {
      let [state, milli] = [0, 0];
      for (let at = 0; at < text.length; at++) {
        const step = state | CLASS_OF[text.charCodeAt(at)]!;
        milli += weights[step]!;
        state = NEXT[step]!;
      }
      return text === "" ? 0 : Math.max(1, Math.round(milli / 1000));
    };
    // Long enough to be read in many pieces, of ASCII and of more.
    const long = fc.tuple(fc.string({ maxLength: 70 }), texts, fc.nat(900)).map(([a, b, times]) => a.repeat(times) + b);
    fc.assert(
      fc.property(fc.array(long, { maxLength: 3 }), (parts) => {
        const text = parts.join("");
        expect(estimateText(text)).toBe(walked(text));
      }),
    );
  });

  test("addresses every step inside its tables", () => {
    expect(CLASSES.length).toBeLessThanOrEqual(1 << CLASS_BITS);
    expect(CLASS_OF.every((one) => one < CLASSES.length)).toBe(true);
    expect(NEXT.length).toBe(STATES.length << CLASS_BITS);
    expect(NEXT.every((state) => state % (1 << CLASS_BITS) === 0 && state >> CLASS_BITS < STATES.length)).toBe(true);
  });
});

/** Written for this test, so no fit has seen it. */
const HELD_OUT: readonly (readonly [category: string, allowed: number, text: string])[] = [
  [
    "English",
    0.08,
    `The ferry leaves at a quarter past seven, and the harbour master is strict about it. We carried the crates down
the hill ourselves because the truck had a flat tyre, then waited for an hour in the drizzle. Nobody complained. When
the fog lifted we could see the lighthouse again, smaller than I remembered, with its paint coming off in long strips.`,
  ],
  [
    "code",
    0.1,
    `export async function retryWithBackoff<T>(task: () => Promise<T>, options: RetryOptions): Promise<T> {
  let lastError: unknown;
  for (let attempt = 0; attempt < options.maxAttempts; attempt++) {
    try {
      return await task();
    } catch (error) {
      lastError = error;
      if (!isTransient(error)) throw error;
      await sleep(options.baseDelayMs * 2 ** attempt);
    }
  }
  throw new RetryExhaustedError(options.maxAttempts, { cause: lastError });
}`,
  ],
  [
    "JSON",
    0.12,
    JSON.stringify({
      order: { id: "A-20931", currency: "EUR", total: 184.5, lines: [{ sku: "KB-77", quantity: 2, price: 64.25 }] },
      customer: {
        firstName: "Ida",
        lastName: "Brandt",
        address: { street: "Elm Road 12", zip: "20144", country: "DE" },
      },
      shipped: false,
      notes: null,
      createdAt: "2026-03-14T09:26:53.589Z",
    }),
  ],
  [
    "log",
    0.12,
    `2026-02-11 08:13:22,104 INFO  [pool-4-thread-2] c.a.billing.InvoiceJob - processed 1482 invoices in 93127 ms
2026-02-11 08:13:22,391 WARN  [pool-4-thread-7] c.a.billing.MailSender - smtp timeout after 30000 ms, attempt 2 of 5
2026-02-11 08:13:24,002 ERROR [pool-4-thread-7] c.a.billing.MailSender - giving up on message 8f31c0de-77aa-4b0e-9c55-1f0e6f2d9a10
java.net.SocketTimeoutException: Read timed out
	at java.base/sun.nio.ch.NioSocketImpl.timedRead(NioSocketImpl.java:283)
	at com.acme.billing.MailSender.send(MailSender.java:118)`,
  ],
  [
    "Chinese",
    0.12,
    "昨天下午我们把新的缓存策略部署到了测试环境，命中率从百分之六十提高到了百分之八十五，但是内存占用也增加了不少。下一步需要确认过期时间是否合理，以及在高并发的情况下会不会出现数据不一致的问题。",
  ],
  [
    "Japanese",
    0.12,
    "新しい画面のデザインについて、明日の会議で意見を聞かせてください。特に検索結果の並び順と、エラーが発生したときのメッセージが分かりやすいかどうかを確認したいと思っています。",
  ],
  [
    "Korean",
    0.15,
    "어제 배포한 이후로 응답 시간이 조금 느려졌다는 의견이 있습니다. 원인을 찾기 위해 서버의 기록과 데이터베이스 질의를 함께 살펴보고, 문제가 있으면 이전 버전으로 되돌릴 계획입니다.",
  ],
  [
    "Russian",
    0.2,
    "Вчера после обновления пользователи стали жаловаться, что страница заказа открывается слишком медленно. Мы проверили запросы и нашли один, который каждый раз читает всю таблицу целиком.",
  ],
];

describe("held-out text", () => {
  test.each(HELD_OUT)("%s is within %d of the exact count", (_category, allowed, text) => {
    const exact = countTokens(text);
    expect(Math.abs(estimateText(text) / exact - 1)).toBeLessThan(allowed);
  });

  const bytes = Uint8Array.from({ length: 1500 }, (_, index) => (index * 2_654_435_761) >>> 13);
  const base64 = Buffer.from(bytes).toString("base64");
  const hex = Buffer.from(bytes).toString("hex");

  test.each([
    ["base64", base64],
    ["hexadecimal", hex],
  ])("%s is not counted as prose", (_name, text) => {
    const exact = countTokens(text);
    expect(exact).toBeGreaterThan(text.length / 2.5);
    expect(Math.abs(estimateText(text) / exact - 1)).toBeLessThan(0.12);
  });

  test("a run of one character costs what its few long tokens do", () => {
    for (const character of ["-", "=", "#", " ", "*", "."]) {
      const run = character.repeat(200);
      expect(estimateText(run)).toBeLessThan(3 * countTokens(run) + 3);
    }
  });
});

test("a million characters without a break take no longer than prose of that length", () => {
  const prose = (HELD_OUT[0] as readonly unknown[])[2] as string;
  const length = 1_000_000;
  const ordinary = prose.repeat(length / prose.length + 1).slice(0, length);
  const unbroken = ordinary.replaceAll(/\s|[.,]/g, "x");
  // A quadratic walk takes thousands of times longer; a busy machine must not decide.
  expect(fastest(unbroken)).toBeLessThan(100 * fastest(ordinary) + 100);
});

function fastest(text: string): number {
  return Math.min(...Array.from({ length: 7 }, () => elapsed(text)));
}

function elapsed(text: string): number {
  const start = performance.now();
  estimateText(text);
  return performance.now() - start;
}
