import { useFormats } from "#app/components/formats/formats-provider.tsx";
import type { ErrorCall, RulePreview } from "./rule-preview.server.ts";

const WHEN: Record<ErrorCall, string> = {
  add: "when an order is refused so",
  status: "when this is said in place of an order's status",
  refill_status: "when this is said in place of a refill's status",
};

/** What a rule does to open orders or refills, or to orders that are refused so, in sentences. */
export function RuleEffect({ preview }: { preview: RulePreview }) {
  const { number, money } = useFormats();
  const { rule, closes, refund, goesOn, staysHeld, isCut, next } = preview;
  const [one, many] = rule.kind === "refill_state" ? ["refill", "refills"] : ["open order", "open orders"];
  const count = (of: number, [single, several]: [string, string] = [one, many]) =>
    `${number(of)} ${of === 1 ? single : several}`;
  const isNone = closes + goesOn + staysHeld === 0;
  return (
    <ul className="flex list-disc flex-col gap-1 pl-5 text-sm">
      {next.map(({ call, says }) => (
        <li key={call}>
          From now on, {WHEN[call]}: {says}
        </li>
      ))}
      {rule.kind === "error" ? (
        <li>
          {staysHeld === 0
            ? "No held order was answered so."
            : `${count(staysHeld, ["held order was", "held orders were"])} answered so. They stay held for your decision.`}
        </li>
      ) : (
        <>
          {isNone && <li>No {one} has a kept answer with it. It holds for the answers to come.</li>}
          {closes > 0 && (
            <li>
              It ends {count(closes)}
              {rule.kind === "state" && ` and refunds ${refund === 0 ? "nothing" : money(refund)}`}.
            </li>
          )}
          {goesOn > 0 && (
            <li>
              {count(goesOn)} {goesOn === 1 ? "goes" : "go"} on.
            </li>
          )}
          {staysHeld > 0 && (
            <li>
              {count(staysHeld)} {staysHeld === 1 ? "ends" : "end"} without saying what was delivered, and{" "}
              {staysHeld === 1 ? "waits" : "wait"} for your decision.
            </li>
          )}
        </>
      )}
      {isCut && <li>Only the newest 200 of them were read. There are more.</li>}
      {rule.kind !== "error" && !isNone && (
        <li className="text-muted">Saving moves no money. Each one is asked about again first.</li>
      )}
    </ul>
  );
}
