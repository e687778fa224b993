import { expect, test } from "vitest";
import { decodeWords } from "./email-headers.ts";

test.for([
  ["=?ISO-2022-JP?B?GyRCJUYlOSVIGyhC?=", "テスト"],
  ["=?cp932?B?g2WDWINn?=", "テスト"],
  ["=?gb2312?B?suLK1A==?=", "测试"],
  ["=?big5?B?tPq41Q==?=", "測試"],
  ["=?ks_c_5601-1987?B?xde9usau?=", "테스트"],
  ["=?koi8-r?B?9MXT1A==?=", "Тест"],
  ["=?iso-8859-8-i?B?+ezl7Q==?=", "שלום"],
] as const)("decodes %j on the platform that runs it", ([subject, text]) => {
  expect(decodeWords(subject)).toBe(text);
});
