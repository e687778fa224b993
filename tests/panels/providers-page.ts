import {
  MEANING_NAMES,
  MEANINGS,
  type Meaning,
  meaningRule,
} from "#app/orders/providers/conventions/error-meanings.ts";
import { PANEL_API_V2 } from "#app/orders/providers/conventions/panel-api-v2.ts";
import { HOUR_MS } from "#app/time.ts";
import type { AnswerRow, Verdict } from "./answer-verdicts.ts";
import { ANSWER_ROWS, FIRST_RUN, KNOWN_WRONG, TEXT_ROWS, type TextRow } from "./panel-corpus.ts";
import { serviceTypesSection } from "./service-types-section.ts";

const MAX_SHOWN = 110;

const CALLS: Record<AnswerRow["call"], string> = {
  add: "Placing an order: `add`",
  status: "States of orders: `status`",
  refill: "Requesting a refill: `refill`",
  refill_status: "States of refills: `refill_status`",
  cancel: "Canceling: `cancel`",
  balance: "Our funds: `balance`",
};

/** What follows from the first word of a verdict, by call where that differs. */
const EFFECTS: Record<string, string> = {
  "add accepted": "tracked by this id",
  "add rejected": "canceled and refunded",
  "add unknown": "held for a person",
  "add deferred": "sent again later",
  "refill accepted": "tracked by this id; without one, or with one that was seen before, held",
  "refill rejected": "declined",
  "refill unknown": "held for a person",
  "refill deferred": "sent again later",
  "cancel accepted": "waits for the order's state",
  "cancel rejected": "declined",
  "cancel unknown": "sent again",
  "cancel deferred": "sent again later",
  ask_single: "asked one by one",
  about_all: "asked again later",
  no_answer: "asked again later; counts as a failure",
};

/** Returns docs/providers.md, from the convention, the table of meanings and the corpus. */
export function providersPage(): string {
  return `${[
    "# How answers of providers are read",
    "",
    "`app/orders/providers/reading/` reads answers so. What staff teach for a provider precedes all of it.",
    "",
    "Generated from `app/orders/providers/conventions/` and `tests/panels/`. Don't edit it: run",
    "`vitest run --update --project node tests/structure/providers-page.test.ts` after a change there. Answers and texts are",
    'those of real panels and of programs that order from them, with values rewritten. A source that begins with "made up"',
    "was not seen.",
    "",
    `${ANSWER_ROWS.length} answers and ${TEXT_ROWS.length} error texts were judged by their sense before the reader ran on them. The first run`,
    `read ${FIRST_RUN.answers.right} of ${FIRST_RUN.answers.of} answers and ${FIRST_RUN.texts.right} of ${FIRST_RUN.texts.of} texts as judged; ${FIRST_RUN.answers.silent + FIRST_RUN.texts.silent} of the others would have acted without a person.`,
    ...wrongRows(),
    "",
    "## States of orders",
    "",
    "Case, blanks, hyphens and underscores don't count. A state that isn't listed leaves the order as it is; after an hour it is",
    "held, and staff can teach the word.",
    "",
    ...wordTable(PANEL_API_V2.states),
    "",
    "## States of refills",
    "",
    ...wordTable(PANEL_API_V2.refillStates),
    "",
    ...serviceTypesSection(),
    "",
    "## What an error means",
    "",
    "What an error is about decides, in this order: what may hide an order that was taken, us, another order for the link, the",
    "order itself, now. A request for patience decides nothing. A text without a known meaning holds the order. Where an earlier",
    "attempt may have arrived, an order for the link that runs, or a service that is off, holds it too.",
    "",
    "| meaning | about | what happens | at last held after |",
    "| --- | --- | --- | --- |",
    ...MEANING_NAMES.map(meaningLine),
    "",
    "## Error texts",
    "",
    "| text | meaning | seen in |",
    "| --- | --- | --- |",
    ...TEXT_ROWS.map(textLine),
    ...(Object.keys(CALLS) as AnswerRow["call"][]).flatMap(shapeSection),
  ].join("\n")}\n`;
}

function wrongRows(): string[] {
  const wrong = Object.entries(KNOWN_WRONG);
  if (wrong.length === 0) return ["All are read as judged now."];
  return ["Still read otherwise:", "", ...wrong.map(([name, reason]) => `- ${cell(name)}: ${reason}`)];
}

function wordTable(words: Readonly<Record<string, string>>): string[] {
  const byStatus = Map.groupBy(Object.keys(words), (word) => words[word] ?? "");
  const lines = [...byStatus].map(([status, same]) => `| ${status} | ${same.join(", ")} |`);
  return ["| our state | words |", "| --- | --- |", ...lines];
}

function meaningLine(meaning: Meaning): string {
  const rule = meaningRule(meaning);
  const { says, about, next } = MEANINGS[meaning];
  const bound =
    rule.outcome === "deferred"
      ? `${rule.attempts} attempts or ${rule.maxAgeMs / HOUR_MS} hours`
      : "never: it is closed";
  return `| ${says} (\`${meaning}\`) | ${about} | ${next} | ${bound} |`;
}

function textLine({ text, meaning, source }: TextRow): string {
  return `| ${cell(text)} | ${meaning === null ? "unknown: held" : MEANINGS[meaning].says} | ${source} |`;
}

function shapeSection(call: AnswerRow["call"]): string[] {
  const rows = ANSWER_ROWS.filter((row) => row.call === call);
  return [
    "",
    `## ${CALLS[call]}`,
    "",
    "| shape | answer | read as | what happens | panels | seen in |",
    "| --- | --- | --- | --- | --- | --- |",
    ...rows.map((row) =>
      [
        "",
        cell(row.name),
        `${row.http === 200 ? "" : `HTTP ${row.http} `}${code(row.raw)}`,
        cell(verdictText(row.verdict)),
        effectOf(row),
        row.source.startsWith("made up") ? 0 : row.panels,
        row.source,
        "",
      ]
        .join(" | ")
        .trim(),
    ),
  ];
}

function verdictText(verdict: Verdict): string {
  if (typeof verdict === "string") return verdict;
  return Object.entries(verdict)
    .map(([id, said]) => `${id}: ${said}`)
    .join("; ");
}

function effectOf({ call, verdict }: AnswerRow): string {
  if (typeof verdict === "string") {
    const [kind = ""] = verdict.split(" ");
    if (call === "balance") return kind === "none" ? "the balance stays unknown" : "stored";
    return EFFECTS[`${call} ${kind}`] ?? EFFECTS[kind] ?? "";
  }
  return [...new Set(Object.values(verdict).map(entryEffect))].join("; ");
}

function entryEffect(said: string): string {
  if (said.startsWith("unreadable")) return "held if it stays so";
  if (/undelivered \?$/.test(said)) return "held for a person";
  if (/undelivered 0$/.test(said)) return "closed, nothing refunded";
  return /undelivered/.test(said) ? "closed and refunded" : "stored";
}

function cell(text: string): string {
  return shortened(text).replaceAll("|", "\\|").replaceAll("<", "&lt;");
}

function code(text: string): string {
  return text === "" ? "(empty)" : `\`${shortened(text).replaceAll("|", "\\|").replaceAll("`", "'")}\``;
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s/g, " ").replaceAll("\uFEFF", "").trim();
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
}
