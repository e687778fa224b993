import Check from "lucide-react/icons/check";
import Minus from "lucide-react/icons/minus";
import type { ReactNode } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money, Rate } from "#app/components/formats/money-amount.tsx";
import type { Formats } from "#app/components/formats/number-formats.ts";
import type { Offer } from "#app/orders/catalog/offers.server.ts";
import type { Quote } from "./quotes/quote.ts";

const NO_CHARGE = "—";

/**
 * The terms and the exact charge of an order. `children` are the button and its notices. On a phone, the charge and the
 * button stay at the end of the window, beside the button of the chat, while the form is scrolled: it has to be a flex
 * column.
 */
export function Receipt({
  offer,
  quoted,
  follow = false,
  children,
}: {
  offer: Offer;
  quoted: Quote;
  /** Stays visible while a tall form beside it is scrolled. */
  follow?: boolean;
  children: ReactNode;
}) {
  const { number } = useFormats();
  return (
    <div className="contents border-line bg-sunken lg:flex lg:flex-col lg:border-l lg:p-6">
      <div className={`contents lg:flex lg:flex-col lg:gap-5 ${follow ? "lg:sticky lg:top-6" : "lg:flex-1"}`}>
        <dl className="flex flex-col border-t border-line bg-sunken p-5 pb-0 text-sm lg:border-0 lg:p-0">
          <Line label={offer.perOrder ? "Price per order" : `Rate per ${number(1000)}`}>
            <Rate micro={offer.rate} />
          </Line>
          <Line label="Quantity">
            <span className="tabular">{quoted.charge === null ? NO_CHARGE : number(quoted.pieces)}</span>
          </Line>
          <Line label="Refill">{offer.refillDays ? `${offer.refillDays}-day` : yesNo(offer.refill)}</Line>
          <Line label="Cancelable">{yesNo(offer.cancel)}</Line>
          <Line label="Drip-feed">{yesNo(offer.dripfeed)}</Line>
        </dl>
        <div
          data-sticky-foot="receipt"
          className={`sticky bottom-0 z-10 flex flex-col gap-3 border-t border-line bg-sunken p-5 pr-20 lg:static lg:border-0 lg:p-0 ${follow ? "" : "lg:mt-auto"}`}
        >
          <dl className="flex items-center justify-between gap-4">
            <dt className="font-medium">Charge</dt>
            <dd className="tabular text-3xl font-semibold tracking-tight" aria-live="polite">
              {quoted.charge === null ? NO_CHARGE : <Money micro={quoted.charge} />}
            </dd>
          </dl>
          {children}
        </div>
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
