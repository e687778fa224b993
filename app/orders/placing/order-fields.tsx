import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Field, Input } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { Textarea } from "#app/components/forms/textarea.tsx";
import type { ChosenOffer, Offer } from "#app/orders/catalog/offers.server.ts";
import { limitsText } from "#app/orders/catalog/service-options.tsx";
import { ORDER_FIELDS, orderField } from "#app/orders/rules/order-input.ts";
import { ownValue } from "#app/own-value.ts";
import { AgreedLink } from "./agreed-link.tsx";
import type { useLinkCheck } from "./use-link-check.ts";

type Values = {
  /** Values entered so far, by field. */
  filled: Record<string, string>;
  onFill: (name: string, value: string) => void;
  errorOf: (name: string) => string | undefined;
};

/** The fields that the service's type asks for. */
export function OrderFields({
  offer,
  filled,
  onFill,
  errorOf,
  link,
  doubtfulLink,
}: Values & { offer: ChosenOffer; link: ReturnType<typeof useLinkCheck>; doubtfulLink: string | undefined }) {
  const formats = useFormats();
  return (
    <>
      {offer.asksLink && (
        <LinkField initial={filled.link} error={errorOf("link")} check={link} doubtful={doubtfulLink} />
      )}
      {offer.needs.map((need) => (
        <TypeField
          key={`${offer.id} ${need.name}`}
          need={need}
          initial={ownValue(filled, need.name) ?? ""}
          error={errorOf(need.name)}
          onChange={(value) => onFill(need.name, value)}
          limits={need.name === offer.countedBy ? limitsText(offer, formats) : undefined}
          takesCommas={!offer.splitsComments}
        />
      ))}
      {offer.asksQuantity && (
        <Field
          id="order-quantity"
          label={ORDER_FIELDS.quantity.label}
          help={limitsText(offer, formats)}
          error={errorOf("quantity")}
        >
          {(control) => (
            <Input
              {...control}
              name="quantity"
              inputMode="numeric"
              autoComplete="off"
              value={filled.quantity}
              onChange={(event) => onFill("quantity", event.target.value)}
            />
          )}
        </Field>
      )}
      {offer.asksRuns && <DripFeed filled={filled} onFill={onFill} errorOf={errorOf} />}
    </>
  );
}

/** Returns the names of the fields that the form shows, so that an error can appear beside its field. */
export function shownFields(offer: Offer): Set<string> {
  return new Set([
    "service",
    ...(offer.asksLink ? ["link"] : []),
    ...(offer.asksQuantity ? ["quantity"] : []),
    ...(offer.asksRuns ? ["runs", "interval"] : []),
    ...offer.needs.map(({ name }) => name),
  ]);
}

/** `doubtful` is the link of the last attempt, which the customer may agree to. */
function LinkField({
  initial,
  error,
  check: { view, takes, events },
  doubtful,
}: {
  initial: string | undefined;
  error: string | undefined;
  check: ReturnType<typeof useLinkCheck>;
  doubtful: string | undefined;
}) {
  const { label, help } = ORDER_FIELDS.link;
  const text = view?.wrong ?? view?.doubt?.text ?? (view?.right ? undefined : error);
  const agreed = view ? view.doubt?.value : doubtful;
  return (
    <div className="flex flex-col gap-2 sm:col-span-2">
      <Field id="order-link" label={label} help={view?.right ?? (text ? undefined : (takes ?? help))} error={text}>
        {(control) => (
          <Input
            {...control}
            {...events}
            type="url"
            name="link"
            inputMode="url"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            defaultValue={initial}
            placeholder="https://"
          />
        )}
      </Field>
      {agreed && <AgreedLink value={agreed} />}
    </div>
  );
}

function DripFeed({ filled, onFill, errorOf }: Values) {
  const { runs, interval } = ORDER_FIELDS;
  return (
    <div className="grid grid-cols-2 gap-3">
      <Field id="order-runs" label={runs.label} optional error={errorOf("runs")} help={runs.help}>
        {(control) => (
          <Input
            {...control}
            name="runs"
            inputMode="numeric"
            autoComplete="off"
            value={filled.runs ?? ""}
            onChange={(event) => onFill("runs", event.target.value)}
          />
        )}
      </Field>
      <Field id="order-interval" label={interval.label} error={errorOf("interval")} help={interval.help}>
        {(control) => (
          <Input {...control} name="interval" inputMode="numeric" autoComplete="off" defaultValue={filled.interval} />
        )}
      </Field>
    </div>
  );
}

/** A field that only some types of order have. */
function TypeField({
  need,
  initial,
  error,
  limits,
  takesCommas,
  onChange,
}: {
  need: Offer["needs"][number];
  initial: string;
  error: string | undefined;
  limits: string | undefined;
  takesCommas: boolean;
  onChange: (value: string) => void;
}) {
  const { kind, label, choices, help, isSplitAtCommas } = orderField(need.name);
  const rule = isSplitAtCommas && !takesCommas ? `${label} can't contain commas.` : undefined;
  const isList = kind === "lines";
  return (
    <Field
      id={`order-${need.name}`}
      label={label}
      optional={need.optional}
      help={[help, rule, limits].filter(Boolean).join(" ") || undefined}
      error={error}
      className={isList ? "sm:col-span-2" : ""}
    >
      {(control) => {
        const shared = { ...control, name: need.name, defaultValue: initial };
        if (isList) return <Textarea {...shared} onChange={(event) => onChange(event.target.value)} />;
        if (choices) {
          return (
            <Select {...shared}>
              {choices.map((choice, index) => (
                <option key={choice} value={index + 1}>
                  {choice}
                </option>
              ))}
            </Select>
          );
        }
        return (
          <Input
            {...shared}
            inputMode={kind === "number" ? "numeric" : undefined}
            autoComplete="off"
            onChange={(event) => onChange(event.target.value)}
          />
        );
      }}
    </Field>
  );
}
