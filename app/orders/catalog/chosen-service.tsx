import { useFetcher } from "@remix-run/react";
import Clock from "lucide-react/icons/clock";
import Star from "lucide-react/icons/star";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { deliveryText, sampleText } from "#app/orders/delivery/delivery-time.ts";
import type { ChosenOffer } from "./offers.server.ts";

/** The chosen service: its description, delivery times and favorite star. */
export function ChosenService({ offer, favorite }: { offer: ChosenOffer; favorite: boolean }) {
  const { number } = useFormats();
  const star = useFetcher();
  const submitted = star.formData?.get("wanted");
  const starred = submitted === undefined || submitted === null ? favorite : submitted === "true";

  function toggle() {
    star.submit({ wanted: String(!starred) }, { method: "post", action: `/dashboard/services/${offer.id}` });
  }

  return (
    <div className="flex items-start gap-3 sm:col-span-2">
      <div className="min-w-0 flex-1">
        <h3 className="text-base">{offer.name}</h3>
        <p className="mt-0.5 text-sm text-muted">
          {offer.category} · ID <span className="font-mono">{offer.id}</span>
        </p>
        {offer.description && <p className="mt-2 max-w-prose text-sm whitespace-pre-line">{offer.description}</p>}
        <p className="mt-2 flex items-start gap-1.5 text-sm text-muted">
          <Clock aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span>
            {deliveryText(offer.times)}
            {offer.times && <span className="block text-xs">{sampleText(offer.times, number)}</span>}
          </span>
        </p>
      </div>
      <Button
        variant="quiet"
        aria-pressed={starred}
        aria-label={`Favorite: ${offer.name}`}
        title={starred ? "Remove from favorites" : "Add to favorites"}
        onClick={toggle}
        className="w-11 noscript:hidden sm:w-9"
      >
        <Star aria-hidden className={`size-4 ${starred ? "fill-accent text-accent" : ""}`} />
      </Button>
    </div>
  );
}
