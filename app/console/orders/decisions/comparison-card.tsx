import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Card } from "#app/components/ui/card.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { ReasonField } from "#app/console/reason-field.tsx";
import { CURRENCY } from "#app/product.ts";
import { type Comparison, NO_EFFECT_TEXTS } from "./comparison.ts";

export type ComparedResult = FormResult & { comparison?: Comparison };

/** Asks the provider about the order now, shows both sides, and applies what the provider says. */
export function ComparisonCard({ provider, result }: { provider: string; result: ComparedResult | null }) {
  const comparison = result?.comparison;
  return (
    <Card title={`Compare with ${provider}`} titleId="compare">
      <div className="flex flex-col gap-4">
        <ActionForm intent="compare" result={result}>
          <div>
            <SubmitButton variant="secondary">{comparison ? "Ask again" : "Compare now"}</SubmitButton>
          </div>
        </ActionForm>
        {comparison && <Sides comparison={comparison} provider={provider} />}
        {comparison && <Effect comparison={comparison} result={result} />}
      </div>
    </Card>
  );
}

function Sides({ comparison: { ours, theirs, words }, provider }: { comparison: Comparison; provider: string }) {
  const { number } = useFormats();
  const count = (value: number | null | undefined) => (value === null || value === undefined ? "—" : number(value));
  const difference = (one: number | null, other: number | null | undefined) =>
    one === null || other === null || other === undefined ? "—" : one === other ? "None" : number(other - one);
  const isOurs = theirs === null || theirs.currency === "" || theirs.currency.toUpperCase() === CURRENCY;
  // Panels that don't know their charge say 0.
  const isTold = isOurs && (theirs?.cost !== 0 || theirs.status === "Canceled");
  const theirCost = isTold ? (theirs?.cost ?? null) : null;
  return (
    <div className="-mx-4 border-y border-line sm:-mx-5">
      <Table
        label="Here and at the provider"
        head={
          <>
            <Th>Field</Th>
            <Th>Here</Th>
            <Th>{provider}</Th>
            <Th>Difference</Th>
          </>
        }
      >
        <tr>
          <Td>Status</Td>
          <Td>{ours.status}</Td>
          <Td>{theirs?.status ?? "—"}</Td>
          <Td>{theirs?.status == null ? "—" : theirs.status === ours.status ? "None" : "Differs"}</Td>
        </tr>
        <tr>
          <Td>Remains</Td>
          <Td>{count(ours.remains)}</Td>
          <Td>{count(theirs?.remains)}</Td>
          <Td>{difference(ours.remains, theirs?.remains)}</Td>
        </tr>
        <tr>
          <Td>Start count</Td>
          <Td>{count(ours.startCount)}</Td>
          <Td>{count(theirs?.startCount)}</Td>
          <Td>{difference(ours.startCount, theirs?.startCount)}</Td>
        </tr>
        <tr>
          <Td>Cost</Td>
          <Td>{ours.cost === null ? "—" : <Money micro={ours.cost} />}</Td>
          <Td>{theirCost === null ? isOurs ? "—" : `In ${theirs?.currency}` : <Money micro={theirCost} />}</Td>
          <Td>
            {ours.cost === null || theirCost === null ? (
              "—"
            ) : ours.cost === theirCost ? (
              "None"
            ) : (
              <Money micro={theirCost - ours.cost} />
            )}
          </Td>
        </tr>
      </Table>
      <code className="block max-h-40 overflow-y-auto bg-sunken p-4 font-mono text-xs break-all whitespace-pre-wrap sm:px-5">
        {words || "(nothing)"}
      </code>
    </div>
  );
}

function Effect({ comparison: { effect, digest }, result }: { comparison: Comparison; result: FormResult | null }) {
  const { money } = useFormats();
  if (effect.kind !== "goes_on" && effect.kind !== "ends") {
    return <p className="text-sm text-muted">{NO_EFFECT_TEXTS[effect.kind]}</p>;
  }
  return (
    <ActionForm intent="apply-compared" asksIdentity result={result} hidden={{ digest }}>
      <p className="text-sm">
        {effect.kind === "ends"
          ? `The order ends as ${effect.status}, and we refund ${money(effect.refund)}.`
          : `The order goes on as ${effect.status}.`}
      </p>
      <ReasonField />
      <div>
        <SubmitButton>Apply what it says</SubmitButton>
      </div>
    </ActionForm>
  );
}
