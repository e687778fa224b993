import { type ActionFunctionArgs, type LoaderFunctionArgs, type MetaFunction, redirect } from "@remix-run/cloudflare";
import { Form, useLoaderData } from "@remix-run/react";
import { actorOf, requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { MoreLink, pageOf } from "#app/components/navigation/more-link.tsx";
import { flashCookie } from "#app/components/toast/flash-cookie.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { parseId, requireId } from "#app/http/requests/id-param.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { AuditList } from "#app/orders/staff/audit-list.tsx";
import { Detail, Details } from "#app/orders/staff/details.tsx";
import { disableCodes, listCodes, readBatch } from "#app/orders/top-up/code-batches.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const A_PAGE = 100;

export const meta: MetaFunction<typeof loader> = ({ data: shown }) => [
  { title: `${shown?.batch.name ?? "Codes"} · ${PRODUCT_NAME}` },
];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const batch = await readBatch(context.db, requireId(params.id));
  if (!batch) throw new Response(null, { status: 404 });
  const before = parseId(new URL(request.url).searchParams.get("before"));
  const codes = await listCodes(context.db, batch.id, before, A_PAGE);
  const { history, ...shown } = batch;
  return { batch: shown, history, ...pageOf(codes, A_PAGE, ({ id }) => id) };
}

export async function action({ request, params, context }: ActionFunctionArgs) {
  const viewer = await requireRole(request, context, "admin");
  const form = await readForm(request);
  const batch = await readBatch(context.db, requireId(params.id));
  if (!batch) throw new Response(null, { status: 404 });
  if (form.get("intent") !== "disable") throw new Response(null, { status: 400 });
  const codeId = form.has("code") ? requireId(String(form.get("code"))) : null;
  const actor = actorOf(viewer);
  await disableCodes(context.db, actor, { batchId: batch.id, codeId });
  const said = codeId === null ? "None of these codes works any more." : "The code does not work any more.";
  const { pathname, search } = new URL(request.url);
  return redirect(pathname + search, { headers: { "Set-Cookie": flashCookie(said) } });
}

export default function Batch() {
  const { money, number } = useFormats();
  const { batch, rows, next, history } = useLoaderData<typeof loader>();
  const works = batch.disabledAt === null;
  return (
    <>
      <BackLink to="/admin/codes">Codes</BackLink>
      <h1 className="text-2xl">{batch.name}</h1>
      <div className="mt-6 flex flex-col gap-6">
        <Card title="Details" titleId="details">
          <Details>
            <Detail name="Amount">{money(batch.amount)}</Detail>
            <Detail name="Codes">{number(batch.count)}</Detail>
            <Detail name="Accounts per code">{number(batch.maxUses)}</Detail>
            <Detail name="Works until">
              {batch.expiresAt === null ? "No end" : `${new Date(batch.expiresAt - 1).toISOString().slice(0, 10)}, UTC`}
            </Detail>
            <Detail name="Made">
              <RelativeDate at={batch.createdAt} />
            </Detail>
            {batch.disabledAt !== null && (
              <Detail name="Disabled">
                <RelativeDate at={batch.disabledAt} />
              </Detail>
            )}
          </Details>
          {works && (
            <Form method="post" className="mt-4">
              <Button type="submit" name="intent" value="disable" variant="danger">
                Disable all of them
              </Button>
            </Form>
          )}
        </Card>
        <Card title="Codes" titleId="codes" flush>
          <Table
            label="Codes"
            head={
              <>
                <Th>Ends with</Th>
                <Th>State</Th>
                <Th numeric>Uses left</Th>
                <Th>
                  <span className="sr-only">Disable</span>
                </Th>
              </>
            }
          >
            {rows.map((code) => (
              <tr key={code.id}>
                <Td className="font-mono">…{code.ending}</Td>
                <Td>
                  {code.disabledAt !== null ? (
                    <Badge tone="bad">Disabled</Badge>
                  ) : code.usesLeft === 0 ? (
                    <Badge>Used</Badge>
                  ) : (
                    <Badge tone="good">Unused</Badge>
                  )}
                </Td>
                <Td numeric>{number(code.usesLeft)}</Td>
                <Td className="text-right">
                  {works && code.disabledAt === null && code.usesLeft > 0 && (
                    <Form method="post" preventScrollReset>
                      <input type="hidden" name="code" value={code.id} />
                      <Button
                        type="submit"
                        name="intent"
                        value="disable"
                        variant="quiet"
                        aria-label={`Disable the code ending with ${code.ending}`}
                      >
                        Disable
                      </Button>
                    </Form>
                  )}
                </Td>
              </tr>
            ))}
          </Table>
          <MoreLink name="before" next={next} />
        </Card>
        <Card title="What staff did" titleId="history" flush>
          <AuditList entries={history} />
        </Card>
      </div>
    </>
  );
}
