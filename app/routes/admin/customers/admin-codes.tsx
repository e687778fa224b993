import { type ActionFunctionArgs, data, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/cloudflare";
import { Link, useActionData, useLoaderData } from "@remix-run/react";
import Ticket from "lucide-react/icons/ticket";
import { actorOf, requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { MoreLink, pageOf } from "#app/components/navigation/more-link.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { parseId } from "#app/http/requests/id-param.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { NewCodes } from "#app/orders/staff/customers/new-codes.tsx";
import { StaffField, StaffForm } from "#app/orders/staff/staff-form.tsx";
import { codesInput, parseStaffForm } from "#app/orders/staff/staff-input.server.ts";
import { createCodes, listBatches, MAX_CODES_PER_BATCH } from "#app/orders/top-up/code-batches.server.ts";
import { CURRENCY, PRODUCT_NAME } from "#app/product.ts";

const A_PAGE = 50;
const INTENT = "codes";

export const meta: MetaFunction = () => [{ title: `Codes · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const before = parseId(new URL(request.url).searchParams.get("before"));
  const batches = await listBatches(context.db, before, A_PAGE);
  return {
    ...pageOf(batches, A_PAGE, ({ id }) => id),
    once: crypto.randomUUID(),
    most: MAX_CODES_PER_BATCH,
    now: Date.now(),
  };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const viewer = await requireRole(request, context, "admin");
  const parsed = parseStaffForm(codesInput, INTENT, await readForm(request));
  if (!parsed.ok) return data({ answer: parsed.answer, made: null }, { status: 400 });
  const { once, expires: expiresAt, name, amount, count, maxUses } = parsed.input;
  const actor = actorOf(viewer);
  const made = await createCodes(context.db, actor, { name, amount, count, maxUses, expiresAt }, once);
  if (!made) {
    const error = "This form was sent before: its codes are made and are not shown again.";
    return data({ answer: { intent: INTENT, error }, made: null }, { status: 409 });
  }
  // The one time that they are seen: no cache may keep them.
  return data({ answer: null, made: { ...made, name, amount } }, { headers: { "Cache-Control": "no-store" } });
}

export default function Codes() {
  const { money, number } = useFormats();
  const { rows, next, once, most, now } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>();
  const shared = { answer: result?.answer ?? null, intent: INTENT };
  return (
    <>
      <h1 className="text-2xl">Codes</h1>
      <p className="mt-1 max-w-prose text-sm text-muted">
        A code brings its amount to the balance of whoever redeems it. Codes are shown once, when they are made.
      </p>
      <div className="mt-6 flex flex-col gap-6">
        {result?.made && <NewCodes key={result.made.batchId} made={result.made} />}
        <section aria-label="Batches" className="overflow-clip rounded-md border border-line bg-raised">
          {rows.length === 0 ? (
            <EmptyState icon={Ticket} title="No codes yet">
              Make some below: for a campaign, for a reseller, or for one customer.
            </EmptyState>
          ) : (
            <Table
              label="Batches of codes"
              head={
                <>
                  <Th>Name</Th>
                  <Th>State</Th>
                  <Th numeric>Amount</Th>
                  <Th numeric>Codes</Th>
                  <Th numeric>Used</Th>
                  <Th>Made</Th>
                </>
              }
            >
              {rows.map((batch) => (
                <tr key={batch.id}>
                  <Td>
                    <Link
                      to={`/admin/codes/${batch.id}`}
                      className="inline-flex h-11 items-center underline underline-offset-4 sm:h-10"
                    >
                      {batch.name}
                    </Link>
                  </Td>
                  <Td>
                    {batch.disabledAt !== null ? (
                      <Badge tone="bad">Disabled</Badge>
                    ) : batch.expiresAt !== null && batch.expiresAt <= now ? (
                      <Badge>Expired</Badge>
                    ) : (
                      <Badge tone="good">Valid</Badge>
                    )}
                  </Td>
                  <Td numeric>{money(batch.amount)}</Td>
                  <Td numeric>{number(batch.count)}</Td>
                  <Td numeric>
                    {number(batch.used)}
                    <span className="text-muted"> / {number(batch.count * batch.maxUses)}</span>
                  </Td>
                  <Td className="text-muted">
                    <RelativeDate at={batch.createdAt} />
                  </Td>
                </tr>
              ))}
            </Table>
          )}
          <MoreLink name="before" next={next} />
        </section>
        <div className="max-w-3xl">
          <Card title="Make codes" titleId="make">
            <StaffForm key={once} {...shared} button="Make codes" hidden={{ once }}>
              <StaffField
                {...shared}
                name="name"
                label="Name"
                help="For you, to know later what they were for."
                maxLength={100}
              />
              <div className="grid gap-4 sm:grid-cols-2">
                <StaffField {...shared} name="amount" label={`Amount in ${CURRENCY}`} inputMode="decimal" />
                <StaffField
                  {...shared}
                  name="count"
                  label="How many codes"
                  help={`At most ${number(most)}`}
                  initial={1}
                  inputMode="numeric"
                />
                <StaffField
                  {...shared}
                  name="maxUses"
                  label="Accounts per code"
                  help="Each account may use a code once."
                  initial={1}
                  inputMode="numeric"
                />
                <StaffField {...shared} name="expires" label="Last day (UTC)" optional type="date" />
              </div>
            </StaffForm>
          </Card>
        </div>
      </div>
    </>
  );
}
