import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { StaffField, StaffForm, type StaffFormResult } from "#app/orders/staff/staff-form.tsx";
import { CURRENCY } from "#app/product.ts";

export const CODES_INTENT = "codes";

/** `once` is the key that makes the form take effect once. */
export function CreateCodesForm({
  once,
  maxCodes,
  result,
}: {
  once: string;
  maxCodes: number;
  result: StaffFormResult;
}) {
  const { number } = useFormats();
  const shared = { result, intent: CODES_INTENT };
  return (
    <StaffForm key={once} {...shared} button="Create codes" hidden={{ once }}>
      <StaffField {...shared} name="name" label="Name" help="Only staff see it." maxLength={100} />
      <div className="grid gap-4 sm:grid-cols-2">
        <StaffField {...shared} name="amount" label={`Amount in ${CURRENCY}`} inputMode="decimal" />
        <StaffField
          {...shared}
          name="count"
          label="Number of codes"
          help={`Up to ${number(maxCodes)}`}
          initial={1}
          inputMode="numeric"
        />
        <StaffField
          {...shared}
          name="maxUses"
          label="Uses per code"
          help="Each account can redeem a code once."
          initial={1}
          inputMode="numeric"
        />
        <StaffField {...shared} name="expires" label="Last day (UTC)" optional type="date" />
      </div>
    </StaffForm>
  );
}
