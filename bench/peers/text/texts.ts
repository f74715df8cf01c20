/** The texts that everyone reads: made from a seed, of the kinds that agents' tools return. */
import { createNames, type Names } from "../../traffic/names.ts";
import { build, diff, json, listing, log, search, source, testRun } from "../../traffic/outputs.ts";

const SEED = 41;
const CHINESE = [
  "压缩之后",
  "上下文窗口",
  "会话记录",
  "仍然有效",
  "令牌数量",
  "测试失败",
  "请检查配置文件",
  "摘要",
  "没有丢失",
];

export function texts(): Readonly<Record<string, string>> {
  const names = createNames(SEED);
  return {
    English: names.times(2_000, () => `${names.sentence(14)}.`).join(" "),
    source: source(names, 3_000),
    diff: diff(names, 300),
    log: log(names, 2_000),
    "test run": `${testRun(names, 600)}\n${build(names, 300)}`,
    listing: `${listing(names, 900)}\n${search(names, 500)}`,
    JSON: json(names, 500),
    Chinese: names.times(4_000, () => `${names.pick(CHINESE)}${names.pick(["，", "。"])}`).join(""),
    base64: base64(names),
  };
}

function base64(names: Names): string {
  return names.times(400, () => btoa(names.hex(54))).join("\n");
}
