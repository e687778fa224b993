import Check from "lucide-react/icons/check";
import Minus from "lucide-react/icons/minus";
import type { ReactNode } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money, Rate } from "#app/components/formats/money-amount.tsx";
import type { Formats } from "#app/components/formats/number-formats.ts";
import type { Offer } from "#app/orders/catalog/offers.server.ts";
import type { Quote } from "./quote.ts";

const NO_CHARGE = "—";

/** The terms and the exact charge of an order. `children` are the button and its notices. */
export function Receipt({
  offer,
  quoted,
  after,
  follow = false,
  children,
}: {
  offer: Offer;
  quoted: Quote;
  /** Balance after the charge, in micro-units, or null while there is no charge. */
  after?: number | null;
  /** Stays visible while a tall form beside it is scrolled. */
  follow?: boolean;
  children: ReactNode;
}) {
  const { number } = useFormats();
  return (
    <div className="flex flex-col border-t border-line bg-sunken p-5 sm:p-6 lg:border-t-0 lg:border-l">
      <div className={`flex flex-col gap-5 ${follow ? "lg:sticky lg:top-6" : "flex-1"}`}>
        <dl className="flex flex-col text-sm">
          <Line label={offer.perOrder ? "Price per order" : `Rate per ${number(1000)}`}>
            <Rate micro={offer.rate} />
          </Line>
          <Line label="Quantity">
            <span className="tabular">{quoted.charge === null ? NO_CHARGE : number(quoted.pieces)}</span>
          </Line>
          <Line label="Refill">{offer.refillDays ? `${offer.refillDays}-day` : yesNo(offer.refill)}</Line>
          <Line label="Cancelable">{yesNo(offer.cancel)}</Line>
          <Line label="Drip-feed">{yesNo(offer.dripfeed)}</Line>
          {after !== undefined && (
            <Line label="Balance after">{after === null ? NO_CHARGE : <Money micro={after} />}</Line>
          )}
          <div className="flex items-baseline justify-between gap-4 pt-4">
            <dt className="font-medium">Charge</dt>
            <dd className="tabular text-3xl font-semibold tracking-tight" aria-live="polite">
              {quoted.charge === null ? NO_CHARGE : <Money micro={quoted.charge} />}
            </dd>
          </div>
        </dl>
        <div className={`flex flex-col gap-3 ${follow ? "" : "mt-auto"}`}>{children}</div>
      </div>
    </div>
  );
}

/** Returns "Order · $4.50", or the verb alone while there is no charge. */
export function withCharge(verb: string, quoted: Quote, { money }: Formats): string {
  return quoted.charge === null ? verb : `${verb} · ${money(quoted.charge)}`;
}

function Line({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex h-10 items-center justify-between gap-4 border-b border-line">
      <dt className="text-muted">{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function yesNo(value: boolean): ReactNode {
  const Icon = value ? Check : Minus;
  return (
    <span className={`flex items-center gap-1.5 ${value ? "" : "text-muted"}`}>
      <Icon aria-hidden className={`size-4 ${value ? "text-accent" : ""}`} />
      {value ? "Yes" : "No"}
    </span>
  );
}
